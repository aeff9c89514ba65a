"""Some thousand cases with fixed seeds, small languages and arrays by Hypothesis, and every case that was ever found.

All of it runs in workers of plain Python: nothing is compiled, and what hangs or crashes is told and not suffered.
"""

import os

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from fuzz import cases, mutate, pool
from fuzz.__main__ import planned, table
from fuzz.targets import PLAIN, estimators, settings, templates

CASES, SEED, LIMIT = 4000, 20, 10.0
QUICK = hypothesis(max_examples=150, derandomize=True, database=None)


@pytest.fixture(scope="module")
def seeds(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz") / "seeds"
    pool.make_seeds(folder)
    return folder


@pytest.fixture(scope="module")
def worker(seeds):
    process = pool.Worker(PLAIN, seeds, LIMIT)
    yield process
    process.close()


def holds(worker, target, case):
    """The case is answered, or refused in a sentence."""
    found = pool.marked(worker, target, case)
    assert found is None, found


def test_cases_of_every_target(seeds):
    crowd = pool.Pool(seeds, LIMIT)
    crowd.run(planned(CASES, SEED, [], compiled=False), workers=min(2, os.cpu_count() or 1))
    found = [
        f"{name}: {mark} {cases.packed(case)}"[:600]
        for (name, _), tally in crowd.tallies.items()
        for mark, (_, case) in tally.marks.items()
    ]
    assert not found, "\n".join([table(crowd.tallies), *found])


@pytest.mark.parametrize(("target", "case"), [pytest.param(target, case, id=name) for name, target, _, case in cases.read_found()])
def test_what_was_found_once(worker, target, case):
    holds(worker, target, case)


# ---- by Hypothesis -----------------------------------------------------------------------------------------------------------------------


def language(pieces):
    """Texts of a small language, and of none."""
    return st.one_of(st.lists(st.sampled_from(sorted(set(pieces))), max_size=12).map("".join), st.text(max_size=20))


@QUICK
@given(text=language(templates.PIECES), use=st.booleans())
def test_templates(worker, text, use):
    holds(worker, "templates", {"text": text, "use": use})


@QUICK
@given(text=language(templates.FOREIGN), dialect=st.sampled_from([None, "crfpp", "wapiti"]), use=st.booleans())
def test_foreign_templates(worker, text, dialect, use):
    holds(worker, "foreign-templates", {"text": text, "dialect": dialect, "use": use})


@QUICK
@given(text=language(templates.ARC_PIECES))
def test_arc_templates(worker, text):
    holds(worker, "arc-templates", {"text": text})


@QUICK
@given(text=language(settings.COSTS), target=st.sampled_from(["costs", "arc-costs"]))
def test_costs(worker, text, target):
    holds(worker, target, {"text": text, "file": b""})


@QUICK
@given(items=st.lists(language([*settings.KEYS, *settings.VALUES, "=", ","]), max_size=3), task=st.sampled_from(["chunk", "depparse"]))
def test_settings(worker, items, task):
    holds(worker, "settings", {"task": task, "learner": None, "set": items, "how": {"cost": None, "l1": 0.0, "l2": None}})


LEAF = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4), st.sampled_from(list(estimators.ODDITIES)))
ANY = st.recursive(LEAF, lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(lambda x: {"tuple": x}), max_leaves=8)
TABLE = st.integers(0, 10**6).map(lambda seed: estimators.matrix(mutate.Random(seed), 4))


@QUICK
@given(X=ANY | TABLE, y=ANY | st.just(["a", "b", "a", "b"]), ask=st.sampled_from(estimators.ASK))
def test_what_taggers_are_given(worker, X, y, ask):
    holds(worker, "taggers", {"X": X, "y": y, "parameters": {}, "ask": ask})


@QUICK
@given(X=ANY | st.just([["the", "cat"]]), y=ANY, ask=st.sampled_from(estimators.ASK))
def test_what_parsers_are_given(worker, X, y, ask):
    holds(worker, "parsers", {"X": X, "y": y, "parameters": {}, "ask": ask})
