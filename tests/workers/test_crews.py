"""Crews: answers in the order of calls, errors as they were raised; workers that die are replaced, but not for ever."""

import functools

import pytest
from counters import Counter

from widemargin.errors import InputError
from widemargin.workers import Engine
from widemargin.workers.crew import Call

pytestmark = pytest.mark.twice
every_engine = pytest.mark.parametrize("engine", ["threads", "processes"])


@every_engine
def test_answers_come_in_the_order_of_calls(engine):
    with Engine(engine, 2).crew() as crew:
        crew.seat(3, lambda k: Counter)
        heard = []
        calls = [Call(k, "add", (10**k,)) for k in (2, 0, 1, 0)]
        assert crew.ask(calls, lambda i, answer: heard.append((i, answer))) == [100, 1, 10, 2]
        assert sorted(heard) == [(0, 100), (1, 1), (2, 10), (3, 2)]
        assert set(crew.ask([Call(-1, "add", (0,))] * 5)) <= {2, 10}  # what seats 0 and 1 have: the first of either worker
        crew.seat(1, lambda k: Counter)
        assert crew.ask([Call(0, "add", (1,))]) == [1]


@every_engine
def test_an_error_is_raised_as_it_was(engine):
    with Engine(engine, 2).crew() as crew:
        crew.seat(2, lambda k: Counter)
        with pytest.raises(InputError, match="here:1: this is wrong"):
            crew.ask([Call(0, "fail"), Call(1, "add", (1,))])
        assert crew.ask([Call(0, "add", (5,))]) == [5]


def test_a_worker_that_dies_is_replaced_and_brought_back(tmp_path):
    (ticket := tmp_path / "ticket").write_text("")
    notes = []
    with Engine("processes", 1).crew(notes.append) as crew:
        make = functools.partial(Counter, at=12, tickets=[str(ticket)])
        crew.seat(1, lambda k: make, lambda k: [Call(k, "add", (10,))])
        assert crew.ask([Call(0, "add", (1,)), Call(0, "add", (1,))]) == [11, 11]  # the second was asked of a new one, back at 10
    assert notes == ["worker 1 has died; another takes its place"]


def test_three_deaths_over_one_call_are_an_error(tmp_path):
    tickets = [tmp_path / str(number) for number in range(3)]
    for ticket in tickets:
        ticket.write_text("")
    with Engine("processes", 1).crew() as crew:
        crew.seat(1, lambda k: functools.partial(Counter, at=1, tickets=[str(ticket) for ticket in tickets]))
        with pytest.raises(InputError, match="3 workers died"):
            crew.ask([Call(0, "add", (1,))])


def test_what_cannot_be_sent_is_refused():
    with Engine("processes", 1).crew() as crew:
        crew.seat(1, lambda k: lambda: Counter())
        with pytest.raises(InputError, match="cannot be sent to another process"):
            crew.ask([Call(0, "add", (1,))])


def test_engines_that_there_are_not():
    with pytest.raises(InputError, match="choose one of threads, processes, ray"):
        Engine("mpi")
    with pytest.raises(InputError, match="an address is that of a Ray cluster"):
        Engine("processes", address="127.0.0.1:6379")
