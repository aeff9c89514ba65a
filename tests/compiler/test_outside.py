"""Kernels for a user's own structures, in the user's own files: cached, and never the code of yesterday's file."""

import pytest
from children import child, compiled

from widemargin.compiler import outside

SHAPES = """
from typing import NamedTuple
import numpy as np
from widemargin.compiler.jit import generic, inner, kernel
from widemargin.engine.rules import catch_up
from widemargin.engine.tables import bundle
from helping import plus

class Rule(NamedTuple):
    size: float

class Rows(NamedTuple):
    last: np.ndarray

@bundle(1)
class Tables(NamedTuple):
    rows: Rows

@catch_up.when(Rule)
def _(rule, weights, f, now):
    weights.last[f] = plus(10 * rule.size, now)

@generic
def area(shape): ...

@area.when(Rule)
def _(shape):
    return shape.size * shape.size

@inner
def twice(rule):
    return 2 * area(rule)

@kernel
def measured(rule):
    return twice(rule)
"""
HELPING = """
import os
from widemargin.compiler.jit import inner
STEP = float(os.environ.get("STEP", "1"))
TABLE = (1, 2)

@inner
def plus(x, y):
    return x + STEP * y * TABLE[0]
"""
# a kernel of the package for types of the user, and a kernel of the user
USE = """
import numpy as np, shapes
from widemargin.engine.table_steps import settle
rows = shapes.Rows(np.zeros(2))
settle(shapes.Tables(rows), shapes.Rule(2.0), 5)
value = shapes.measured(shapes.Rule(3.0))
print(sum(settle.stats.cache_hits.values()), sum(shapes.measured.stats.cache_hits.values()), rows.last[1], value)
"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "shapes.py").write_text(SHAPES)
    (tmp_path / "helping.py").write_text(HELPING)
    return tmp_path


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


@compiled
@pytest.mark.parametrize("mode", ["linked", "plain"])
def test_an_edit_is_compiled_and_no_edit_is_not(files, mode):
    def use(**environment):
        return child(files, USE, WIDEMARGIN_JIT=mode, **environment)

    assert use() == "0 0 25.0 18.0"
    assert use() == "1 1 25.0 18.0"
    edit(files / "shapes.py", "10 * rule.size", "20 * rule.size")  # the body of an answer
    assert use() == "0 0 45.0 18.0"
    assert use() == "1 1 45.0 18.0"
    edit(files / "helping.py", "x + STEP", "x - STEP")  # a function in another file
    assert use() == "0 0 35.0 18.0"
    assert use(STEP="2") == "0 0 30.0 18.0"  # a value that is written into machine code
    assert use() == "1 1 35.0 18.0"
    edit(files / "shapes.py", "2 * area", "3 * area")
    assert use() == "0 0 35.0 27.0"


@compiled
def test_packages_are_digested_as_a_whole(files):
    package = files / "theirs"
    (package / "deep").mkdir(parents=True)
    for name in "__init__.py", "deep/__init__.py":
        (package / name).write_text("")
    (package / "shapes.py").write_text(SHAPES.replace("from helping", "from theirs.deep.helping"))
    (package / "deep" / "helping.py").write_text(HELPING)
    use = USE.replace("import numpy as np, shapes", "import numpy as np\nfrom theirs import shapes")
    assert child(files, use) == "0 0 25.0 18.0"
    assert child(files, use) == "1 1 25.0 18.0"
    edit(package / "deep" / "helping.py", "x + STEP", "x - STEP")
    assert child(files, use) == "0 0 15.0 18.0"


@compiled
def test_what_has_no_file_is_compiled_each_time(files):
    """Classes and answers of __main__, and an answer of __main__ to a question of the package for a class of a file."""
    main = SHAPES + USE.replace("import numpy as np, shapes", "").replace("shapes.", "")
    assert child(files, main) == child(files, main) == "0 0 25.0 18.0"
    assert child(files, main.replace("10 *", "20 *")) == "0 0 45.0 18.0"
    answer = """
import shapes
from widemargin.engine.rules import catch_up
@catch_up.when(shapes.Rule)
def _(rule, weights, f, now):
    weights.last[f] = 7
"""
    assert child(files, answer + USE) == child(files, answer + USE) == "0 0 7.0 18.0"
    assert child(files, answer.replace("7", "8") + USE) == "0 0 8.0 18.0"


@compiled
def test_an_answer_of_the_users_for_a_class_of_the_package_changes_its_kernels(files):
    (files / "answers.py").write_text("""
from widemargin.engine.rules import Sgd, catch_up
@catch_up.when(Sgd)
def _(rule, weights, f, now):
    weights.last[f] = 7
""")
    use = """
import numpy as np
from widemargin.engine.hash import fill_table
table = np.zeros(8, np.uint64)
fill_table(np.arange(3, dtype=np.uint64), table)
print(sum(fill_table.stats.cache_hits.values()))
"""
    assert [child(files, before + use) for before in ("", "", "import answers\n", "import answers\n", "")] == ["0", "1", "0", "1", "1"]
    edit(files / "answers.py", "7", "8")
    assert [child(files, before + use) for before in ("", "import answers\n")] == ["1", "0"]


@compiled
def test_other_modules_of_the_user_change_nothing(files):
    assert child(files, USE) == "0 0 25.0 18.0"
    (files / "elsewhere").mkdir()
    (files / "elsewhere" / "more.py").write_text(SHAPES.replace("10 *", "30 *"))
    before = f"import sys; sys.path.insert(0, {str(files / 'elsewhere')!r}); import more\n"
    assert child(files, before + USE) == "1 1 25.0 18.0"


@compiled
def test_an_edit_in_the_life_of_a_process_is_not_taken_for_what_it_compiled(files):
    """A module is imported, then its file edited, then its kernel compiled: that is the code of the old file."""
    rewrite = f"""
import shapes
path = {str(files / "shapes.py")!r}
text = open(path).read()
open(path, "w").write(text.replace("10 * rule", "20 * rule"))
"""
    assert child(files, rewrite + USE) == "0 0 25.0 18.0"
    assert child(files, USE) == "0 0 45.0 18.0"
    reload = """
import importlib
importlib.reload(shapes)
"""
    edit(files / "shapes.py", "20 * rule", "10 * rule")
    assert child(files, rewrite + reload + USE) == "0 0 45.0 18.0"
    assert child(files, USE) == "1 1 45.0 18.0"


def test_values_that_functions_name_are_found():
    assert dict(outside.named_in(names_things))["outside.KNOWN"] is outside.KNOWN
    local = 3

    def closes():
        return [local for _ in SHAPES]

    assert dict(outside.named_in(closes)) == {"local": 3, "SHAPES": SHAPES}


def names_things():
    return outside.KNOWN
