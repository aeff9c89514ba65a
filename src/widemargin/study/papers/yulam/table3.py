"""Table 3: SGD, the quadratic kernel scaled too; then all sentences, with the quadratic kernel written out."""

from widemargin.study.papers.yulam.methods import SCALED_SGD, SGD, WHOLE
from widemargin.study.papers.yulam.tables import table
from widemargin.study.reproduction import Report, Settings


def report(settings: Settings) -> Report:
    """Five kernels, the scaled one and the CRF."""
    return table(3, (*SGD, SCALED_SGD), WHOLE, settings, settings.wants)
