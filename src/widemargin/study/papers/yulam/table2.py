"""Table 2: structured SMO."""

from widemargin.study.papers.yulam.methods import SMO
from widemargin.study.papers.yulam.tables import table
from widemargin.study.reproduction import Report, Settings


def report(settings: Settings) -> Report:
    """Five kernels and the CRF."""
    return table(2, SMO, (), settings, settings.wants)
