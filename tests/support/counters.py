"""An object for workers of a crew: it counts, and may end its process."""

import os

from widemargin.errors import InputError


class Counter:
    """Counts; at the number `at` it ends its process, once for every file in `tickets`, which it removes."""

    def __init__(self, at=0, tickets=()):
        self.count, self.at, self.tickets = 0, at, tickets

    def add(self, more):
        self.count += more
        for ticket in self.tickets if self.count == self.at else ():
            if os.path.exists(ticket):
                os.unlink(ticket)
                os._exit(9)
        return self.count

    def fail(self):
        raise InputError("this is wrong", "here:1")
