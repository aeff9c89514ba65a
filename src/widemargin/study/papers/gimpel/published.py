"""What the paper prints: its Table 2 (scores and what was chosen on development data) and its Table 3 (what each objective asks for)."""

from typing import NamedTuple


class Scores(NamedTuple):
    """A line of Table 2; C and m are None where a method has none."""

    dev: float
    test: float
    C: float | None
    m: int | None
    averaged: bool

    @property
    def chosen(self) -> str:
        """As in our own tables."""
        found = {"m": self.m, "C": self.C, "averaged": "yes" if self.averaged else "no"}
        return " ".join(f"{key}={value}" for key, value in found.items() if value is not None)


class Properties(NamedTuple):
    """A line of Table 3. convex is None where the paper writes N/A."""

    requirements: str
    cost: bool
    convex: bool | None
    probabilistic: bool


TABLE2 = {
    "Perceptron": Scores(90.48, 83.98, None, None, True),
    "MIRA": Scores(91.13, 85.72, 0.01, 20, True),
    "CLL": Scores(90.79, 85.46, 0.01, None, False),
    "Max-Margin": Scores(91.17, 85.28, 0.01, 1, True),
    "Risk": Scores(91.14, 85.59, 0.01, 10, False),
    "Jensen Risk Bound": Scores(91.05, 85.65, 0.01, 1, False),
    "Softmax-Margin": Scores(91.30, 85.84, 0.01, 5, False),
}
DECODING, SUMMING = "decoding", "summing"
COSTLY_DECODING, COSTLY_SUMMING, PRODUCTS = f"cost-augmented {DECODING}", f"cost-augmented {SUMMING}", "expectations of products"
TABLE3 = {
    "Perceptron": Properties(DECODING, False, None, False),
    "MIRA": Properties(COSTLY_DECODING, True, True, False),
    "CLL": Properties(SUMMING, False, True, True),
    "Max-Margin": Properties(COSTLY_DECODING, True, True, False),
    "Risk": Properties(PRODUCTS, True, False, True),
    "Jensen Risk Bound": Properties(COSTLY_SUMMING, True, False, True),
    "Softmax-Margin": Properties(COSTLY_SUMMING, True, True, True),
}
FEATURES = 1_312_255  # "included if it occurred at least once in training data"
