"""The help of every command and what is said of wrong input are what tests/snapshots shows; support/snapshots.py writes them anew."""

import pytest

from snapshots import ERRORS, SNAPSHOTS, errors, helps

pytestmark = pytest.mark.wide
RENEW = "if this is meant: python tests/support/snapshots.py"


@pytest.fixture(scope="module")
def helped():
    return helps()


def kept(name: str) -> str:
    return (SNAPSHOTS / name).read_text(encoding="utf-8")


def test_every_file_is_of_a_command(helped):
    assert {path.name for path in SNAPSHOTS.glob("*.txt")} == {*helped, "errors.txt"}, RENEW


def test_help(helped):
    for name, text in helped.items():
        assert text.split() == kept(name).split(), f"{name}: {RENEW}"  # versions of Python break lines in other places


def test_errors(tmp_path):
    told = errors(tmp_path)
    for new, old in zip(told.split("\n\n"), kept("errors.txt").split("\n\n")):
        assert new == old, RENEW
    assert told == kept("errors.txt"), RENEW
    assert len(ERRORS) >= 20
    assert told.count("[status 2]") == len(ERRORS)
    assert "Traceback" not in told
