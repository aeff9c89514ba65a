"""What `import widemargin` offers."""

import subprocess
import sys
from pathlib import Path

import pytest

import widemargin
from widemargin.families.base import Family, Task
from widemargin.families.registry import MODULES, families, register


def test_all_is_sorted_complete_and_importable():
    assert widemargin.__all__ == sorted(widemargin.__all__)
    assert {"train", "load", "SequenceTagger", "DependencyParser", "Recipe", "Problem", "learner_named"} <= set(widemargin.__all__)
    assert set(widemargin.__all__) <= set(dir(widemargin))
    for name in widemargin.__all__:
        assert getattr(widemargin, name) is not None


def test_type_checkers_see_the_same_names():
    folder = Path(widemargin.__file__).parent
    assert (folder / "py.typed").exists()
    expected = sorted(f"from {module} import {name} as {name}" for name, module in widemargin._where().items())
    assert sorted(line for line in (folder / "__init__.pyi").read_text().splitlines() if line.startswith("from ")) == expected


def test_every_public_docstring_says_what_is_needed():
    """A class says its parameters and shows an example; a function its parameters and an example; all as numpydoc lays them out."""
    import inspect

    lacking = []
    for name in widemargin.__all__:
        thing = getattr(widemargin, name)
        text = inspect.getdoc(thing) or ""
        wanted = ["Examples"]
        if inspect.isclass(thing):
            wanted += ["Parameters"] if len(inspect.signature(thing).parameters) else []
            wanted += ["Attributes"] if hasattr(thing, "fit") else []
        elif inspect.isfunction(thing):
            wanted += ["Parameters"] if len(inspect.signature(thing).parameters) else []
        else:
            continue  # a table
        lacking += [f"{name}: {title}" for title in wanted if f"{title}\n{'-' * len(title)}" not in text]
    assert not lacking


@pytest.mark.wide
def test_examples_of_public_docstrings_say_what_is_so():
    import doctest

    failed = []
    for name in widemargin.__all__:
        text = getattr(widemargin, name).__doc__ or ""
        test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
        runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
        failed += [name] if runner.run(test).failed else []
    assert not failed


def test_importing_and_help_load_nothing_heavy():
    heavy = {"numpy", "numba", "matplotlib"}
    code = f"import sys, widemargin, widemargin.cli; widemargin.cli.parser(); dir(widemargin); print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_main_leaves_numba_as_it_is():
    """A command called from Python must not change what the process does with Numba."""
    code = "import numba.np.linalg as m; before = m.ensure_blas; from widemargin.cli import main; main(['list', 'tasks']); "
    code += "assert m.ensure_blas is before"
    subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)


class Poems(Family):
    name = "poems"
    tasks = {"rhyme": Task("rhyme", "which lines rhyme", (), "none", "as-is", "accuracy")}


def test_families_from_outside():
    """A family that is registered is known by its task and its name, and may not take another's tasks."""
    from widemargin.errors import InputError
    from widemargin.families import registry

    assert len(families()) == len(MODULES)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_registered", {})
        poems = register(Poems())
        assert registry.family_of_task("rhyme") is poems
        assert registry.family_of_model({"kind": "model", "family": "poems"}) is poems
        other = type("Other", (Poems,), {"name": "other"})()
        with pytest.raises(InputError, match="one of the family poems"):
            register(other)
        with pytest.raises(InputError, match="rhyme"):
            registry.family_of_task("sonnet")
    with pytest.raises(InputError, match="'prose', which is not known"):
        registry.family_of_model({"kind": "model", "family": "prose"})
