"""What `import widemargin` offers."""

import subprocess
import sys

import widemargin


def test_all_is_sorted_complete_and_importable():
    assert widemargin.__all__ == sorted(widemargin._WHERE)
    for name in widemargin.__all__:
        assert getattr(widemargin, name) is not None


def test_importing_and_help_load_nothing_heavy():
    heavy = {"numpy", "numba", "matplotlib"}
    code = f"import sys, widemargin, widemargin.cli; widemargin.cli.parser(); print(sorted({heavy} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
