"""Table 2: structured SMO."""

from ..reproducing import Report, Settings
from .methods import SMO
from .tables import table


def report(settings: Settings) -> Report:
    """Five kernels and the CRF."""
    return table(2, SMO, (), settings)
