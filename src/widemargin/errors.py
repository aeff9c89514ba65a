"""One kind of error for everything a user can get wrong: a sentence that says what, where, and what would work."""


class InputError(ValueError):
    """Bad input: shown as one sentence, exit status 2. `where` is a file or file:line and goes in front of the sentence."""

    def __init__(self, sentence: str, where: str | None = None):
        self.sentence, self.where = sentence, where
        super().__init__(f"{where}: {sentence}" if where else sentence)
