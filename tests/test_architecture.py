"""The house's rules, read off the sources: who may import whom, where names of families and structures may stand, how long things may be.

not_yet.txt lists today's exceptions, one a line. A line that is no longer needed fails the test, so the list can only become shorter:
`python tests/test_architecture.py` takes such lines out. What shall stay an exception has its reason in the tables below.
"""

import ast
import collections
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "widemargin"
LIST = pathlib.Path(__file__).parent / "not_yet.txt"

# folder or module: what of ours it may import, beside itself, `errors`, `parallel` and `contents`
BELOW = {
    "compiler": "",
    "workers": "",
    "engine": "compiler",
    "structures": "compiler engine",
    "scoring": "compiler engine structures",
    "readers": "compiler engine",
    "metrics": "compiler engine",
    "features": "compiler engine structures scoring readers",
    "learners": "compiler engine structures scoring workers",
    "models": "readers",
    "corpora": "readers",
    "show": "readers metrics",
    "families": "workers compiler engine structures scoring readers metrics features learners models corpora show",
    "study": "workers compiler engine structures scoring readers metrics features learners models corpora show families",
    "cli": "workers compiler engine structures scoring readers metrics features learners models corpora show families study",
    "web": "engine structures scoring readers metrics features learners models corpora show families study",
}
BETWEEN_FAMILIES = {("translation", "reranking")}
PUBLIC = ("__init__", "__main__")  # the package's own names, handed out lazily
KNOWS_FAMILIES = ("families.registry", "study.papers.")  # beside each family's own folder

# "file: function" -> why it has more than eight arguments; "file" -> why it has more than 300 lines
MANY_ARGUMENTS: dict[str, str] = {
    "families.recipes: __init__": "the fields of a recipe, by keyword",
    "families.recipes: train": "what users may choose, by keyword",
}
LONG_FILES: dict[str, str] = {}
NO_STRUCTURE = {("features.templates", "choice")}  # a kind of argument in the template language
ARGUMENTS, LINES, BLOCK = 8, 300, 10


@functools.cache
def modules() -> dict[str, ast.Module]:
    """Every module of the package by its name without `widemargin.`; a package by that of its folder, and then `.__init__`."""
    return {
        ".".join(path.relative_to(PACKAGE).with_suffix("").parts): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def place(module: str) -> pathlib.Path:
    return PACKAGE / (module.replace(".", "/") + ".py")


def folder(module: str) -> str:
    return module.split(".")[0]


def family(module: str) -> str:
    """The family whose folder a module is in, or nothing."""
    parts = module.split(".")
    return parts[1] if parts[0] == "families" and len(parts) > 2 else ""


def families() -> set[str]:
    return {family(module) for module in modules()} - {""}


@functools.cache
def nodes(module: str) -> list[ast.AST]:
    """All of a module but its docstrings."""
    every = list(ast.walk(modules()[module]))
    texts = {
        id(node.body[0].value)
        for node in every
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and node.body and isinstance(node.body[0], ast.Expr)
    }
    return [node for node in every if id(node) not in texts]


@functools.cache
def imports(module: str) -> list[str]:
    """What a module imports of ours, at top level or later."""
    return sorted({name for node in nodes(module) for name in imported(node)})


def imported(node: ast.AST) -> list[str]:
    """Our modules that a statement imports."""
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        names = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        return []
    found = []
    for name in names:
        path = name.removeprefix("widemargin.")
        if path == name:
            continue
        while path and path not in modules() and f"{path}.__init__" not in modules():
            path = path.rpartition(".")[0]
        found.append(path if path in modules() or not path else f"{path}.__init__")
    return [name for name in found if name]


def top_level(tree: ast.Module) -> list[ast.AST]:
    """Statements that run when a module is imported; not those for type checkers."""
    out: list[ast.AST] = []
    for node in tree.body:
        if isinstance(node, ast.If | ast.Try):
            checked = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            out += [] if checked else node.body
        else:
            out.append(node)
    return out


def strings(node: ast.AST) -> list[str]:
    """Texts in a constant or in a tuple, list or set of constants."""
    return [part.value for part in ast.walk(node) if isinstance(part, ast.Constant) and isinstance(part.value, str)]


# ---- rules: each yields the lines of not_yet.txt that it would need --------------------------------------------------------------------


def arrows():
    """compiler <- engine <- structures, scoring <- learners, features, readers, metrics <- families <- cli, study, web."""
    for module in modules():
        if module in PUBLIC:
            continue
        may = {folder(module), "errors", "parallel", "garbage", "contents", *BELOW.get(folder(module), "").split()}
        for other in imports(module):
            mine, theirs = family(module), family(other)
            apart = mine and theirs and mine != theirs and (mine, theirs) not in BETWEEN_FAMILIES
            if folder(other) not in may or apart:
                yield f"import: {module} -> {other}"


def cycles():
    """Any module can be imported first: no circle of imports at top level. A module needs the packages above it."""
    needs = {}
    for module, tree in modules().items():
        found = {name for node in top_level(tree) for name in imported(node)}
        found |= {f"{parent}.__init__" for name in found for parent in parents(name) if not module.startswith(f"{parent}.")}
        needs[module] = {name for name in found if name != module and name in modules()}
    done: set[str] = set()
    while ready := {module for module, other in needs.items() if module not in done and other <= done}:
        done |= ready
    for module in sorted(set(needs) - done):
        reached, todo = set(), list(needs[module])
        while todo:
            if (name := todo.pop()) not in reached:
                reached.add(name)
                todo += needs[name]
        if module in reached:
            yield f"cycle: {module}"


def parents(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:i]) for i in range(1, len(parts))]


def names_of_families():
    """A family is named by its folder, the registry and papers' studies alone: no import of it, no string that says it."""
    for module in modules():
        for name in sorted(families()):
            if family(module) == name or module.startswith(KNOWS_FAMILIES):
                continue
            said = re.compile(rf"^{name}$|\bfamilies\.{name}\b")
            here = any(family(other) == name for other in imports(module))
            here = here or any(isinstance(node, ast.Constant) and said.search(str(node.value)) for node in nodes(module))
            if here and not family(module):  # between families: a matter of arrows
                yield f"family: {module} says {name}"


def kinds_in_learners():
    """Learners ask, they do not look: no isinstance on problems or structures."""
    for module in modules():
        if folder(module) != "learners":
            continue
        origin = {
            alias.asname or alias.name: node.module or ""
            for node in nodes(module)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for call in nodes(module):
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "isinstance":
                for name in (part.id for part in ast.walk(call.args[1]) if isinstance(part, ast.Name)):
                    if name.endswith("Problem") or ".structures" in origin.get(name, "") or ".families" in origin.get(name, ""):
                        yield f"isinstance: {module} on {name}"


def names_of_structures():
    """No structure is compared by its name as a string, outside its own folder."""
    where = collections.defaultdict(set)
    for module in modules():
        if folder(module) == "structures" and module.count(".") > 1:
            own = module.split(".")[1]
            where[own].add(own)
            for node in nodes(module):
                if isinstance(node, ast.Assign) and any(isinstance(target, ast.Name) and target.id == "name" for target in node.targets):
                    for text in strings(node.value):
                        where[text].add(own)
    for module in modules():
        for node in nodes(module):
            sides = (
                [node.left, *node.comparators]
                if isinstance(node, ast.Compare)
                else [node.value]
                if isinstance(node, ast.MatchValue)
                else []
            )
            for text in (text for side in sides for text in strings(side) if text in where and text):
                if not module.startswith(tuple(f"structures.{own}." for own in where[text])) and (module, text) not in NO_STRUCTURE:
                    yield f"structure: {module} compares with {text!r}"


def compiled_code():
    """Folders that the cache's digest leaves out hold no compiled code."""
    left_out: list[str] = []
    for node in ast.walk(modules()["compiler.cache"]):
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "UNCOMPILED":
            left_out = strings(node.value)
    for module in modules():
        for node in nodes(module):
            makers = {"kernel", "inner", "generic", "phase", "tiny"}
            if isinstance(node, ast.ImportFrom) and node.module == "widemargin.compiler.jit" and {a.name for a in node.names} & makers:
                if folder(module) in left_out:
                    yield f"compiled: {module}"


def named_tuples():
    """Kernels return plain tuples: compiler/README.md says why."""
    tuples = {
        node.name
        for module in modules()
        for node in nodes(module)
        if isinstance(node, ast.ClassDef) and any(isinstance(base, ast.Name) and base.id == "NamedTuple" for base in node.bases)
    }
    for module in modules():
        for node in nodes(module):
            if isinstance(node, ast.FunctionDef) and any(ast.unparse(mark).split("(")[0] == "kernel" for mark in node.decorator_list):
                for back in ast.walk(node):
                    if isinstance(back, ast.Return) and isinstance(back.value, ast.Call):
                        made = back.value.func
                        if getattr(made, "id", "") in tuples or getattr(made, "attr", "") == "_replace":
                            yield f"named tuple: {module}: {node.name}"


def arguments():
    """A function has at most eight arguments."""
    for module in modules():
        for node in nodes(module):
            if isinstance(node, ast.FunctionDef):
                given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                count = len([a for a in given if a.arg not in ("self", "cls")])
                if count > ARGUMENTS and (name := f"{module}: {called(node)}") not in MANY_ARGUMENTS:
                    yield f"arguments: {name} has {count}"


def called(node: ast.FunctionDef) -> str:
    """A function's name, or what it answers where it has none."""
    return node.name if node.name != "_" else ast.unparse(node.decorator_list[0])


def lengths():
    """A file has at most 300 lines."""
    for module in modules():
        if len(place(module).read_text(encoding="utf-8").splitlines()) > LINES and module not in LONG_FILES:
            yield f"lines: {module}"


def doubles():
    """No block of ten lines stands twice: blank lines, comments, imports and indentation aside."""
    seen: dict[tuple, tuple[str, int]] = {}
    for module in modules():
        lines = [line.strip() for line in place(module).read_text(encoding="utf-8").splitlines()]
        for node in nodes(module):
            if isinstance(node, ast.Import | ast.ImportFrom):
                lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
        lines = [line for line in lines if line and not line.startswith("#")]
        inside = 0  # of a double that has been told
        for at in range(len(lines) - BLOCK + 1):
            block = tuple(lines[at : at + BLOCK])
            other, first = seen.setdefault(block, (module, at))
            if (other, first) != (module, at) and not (other == module and at - first < BLOCK):
                if at >= inside:
                    yield f"double: {other} and {module}: {max(block, key=len)}"
                inside = at + BLOCK


RULES = (
    arrows,
    cycles,
    names_of_families,
    kinds_in_learners,
    names_of_structures,
    compiled_code,
    named_tuples,
    arguments,
    lengths,
    doubles,
)


def kept() -> list[str]:
    return LIST.read_text(encoding="utf-8").splitlines()


def test_the_rules_hold_but_for_the_list():
    found = {line for rule in RULES for line in rule()}
    new, over = sorted(found - set(kept())), sorted(set(kept()) - found)
    assert not new, "against the house's rules (ARCHITECTURE.md):\n" + "\n".join(new)
    assert not over, "no longer needed in tests/not_yet.txt (python tests/test_architecture.py takes them out):\n" + "\n".join(over)
    assert kept() == sorted(set(kept()))


def test_every_folder_has_its_place():
    assert {folder(module) for module in modules()} - {*BELOW, *PUBLIC, "errors", "parallel", "garbage", "contents"} == set()


def test_exceptions_are_real():
    """A reason stands only beside what needs it."""
    counts: dict[str, int] = collections.defaultdict(int)
    for module in modules():
        for node in nodes(module):
            if isinstance(node, ast.FunctionDef):
                name, given = f"{module}: {called(node)}", [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                counts[name] = max(counts[name], len(given))
    assert all(counts.get(name, 0) > ARGUMENTS and reason for name, reason in MANY_ARGUMENTS.items())
    assert all(place(name).exists() and reason for name, reason in LONG_FILES.items())


def test_test_modules_do_not_import_each_other():
    for path in (ROOT / "tests").rglob("*.py"):
        assert not re.search(r"^(from|import) (tests?[._]|test_)", path.read_text(encoding="utf-8"), re.M), path


if __name__ == "__main__":
    found = {line for rule in RULES for line in rule()}
    LIST.write_text("".join(f"{line}\n" for line in kept() if line in found), encoding="utf-8")


def test_commands_do_without_scikit_learn():
    """It takes a second to import, and only estimators need it."""
    code = (
        "import sys; from widemargin.cli import main; "
        "main(['train', 'chunk', 'town:train:2', '-o', sys.argv[1], '--epochs', '1']); sys.exit('sklearn' in sys.modules)"
    )
    with tempfile.TemporaryDirectory() as folder:
        found = subprocess.run([sys.executable, "-c", code, f"{folder}/model"], env=os.environ | {"NUMBA_DISABLE_JIT": "1"}, check=False)
    assert found.returncode == 0
