"""What is collected in which mode (support/modes.py), and what may be missing on a machine: any other skip is a failure."""

import pathlib
import re

import pytest
import widths
from hypothesis import HealthCheck, settings
from modes import COMPILED

# machines are shared: how long a case takes says nothing about the code
settings.register_profile("shared machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared machine")

MISSING = re.compile(
    r"could not import '(pycrfsuite|seqeval|ray|rouge_score[.\w]*)'"
    r"|needs .* in \$?WIDEMARGIN_DATA"
    r"|scikit-learn: "  # its own checks may want packages that are not here
)


# Files that take longest, so that no worker is left with one of them at the end; files that compile the same stand one after another.
LONG = (
    "families/test_conformance.py",
    "docs/test_constituency_page.py",
    "families/test_conformance_verbs.py",
    "families/test_conformance_estimators.py",
    "compiler/test_outside.py",
    "structures/test_count_costs.py",
    "structures/test_spans_enumerated.py",
    "families/tagging/test_expanded_kernel.py",
    "families/dependencies/test_sibling_features.py",
)


def pytest_addoption(parser):
    parser.addoption("--wide", action="store_true", help="compile every combination (make test-all)")


def pytest_configure(config):
    if COMPILED and not config.getoption("--wide"):
        widths.use_few()
    if not COMPILED:
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered in scalar:RuntimeWarning")  # hashes wrap around


def named(config):
    """Test files that were asked for by name: they run in any mode."""
    return {(config.invocation_params.dir / str(arg).split("::")[0]).resolve() for arg in config.args}


def pytest_ignore_collect(collection_path, config):
    if not COMPILED and collection_path.suffix == ".py" and collection_path not in named(config):
        return None if re.search(r"mark\.twice|mark\.wide|wide[=(]", collection_path.read_text(encoding="utf-8")) else True
    return None


def pytest_collection_modifyitems(config, items):
    asked = named(config)

    def runs(item):
        marks = {mark.name for mark in item.iter_markers()}
        if COMPILED:
            return "wide" not in marks or config.getoption("--wide")
        return "compiled" not in marks and (bool(marks & {"twice", "wide"}) or pathlib.Path(item.path) in asked)

    elsewhere = [item for item in items if not runs(item)]
    config.hook.pytest_deselected(items=elsewhere)
    first = {config.rootpath / "tests" / name: place for place, name in enumerate(LONG)}
    items[:] = sorted(filter(runs, items), key=lambda item: first.get(pathlib.Path(item.path), len(LONG)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return expected((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return expected((yield))


def expected(report):
    """A skip says that something is missing on this machine, and what; one that says anything else is a failure."""
    if report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not MISSING.search(reason):
            report.outcome, report.longrepr = "failed", f"skipped for a reason that tests/conftest.py does not know: {reason}"
    return report
