"""Table 3: SGD, the quadratic kernel scaled too; then all sentences, with the quadratic kernel written out."""

from ..reproducing import Report, Settings
from .methods import SCALED_SGD, SGD, WHOLE
from .tables import table


def report(settings: Settings) -> Report:
    """Five kernels, the scaled one and the CRF."""
    return table(3, (*SGD, SCALED_SGD), WHOLE, settings)
