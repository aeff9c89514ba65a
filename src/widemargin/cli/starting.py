"""What a command does before it imports the library, so that it starts sooner."""

import numba.np.linalg


def _no_blas() -> None:
    raise ImportError("not looked for")


# Before its first kernel Numba looks for BLAS in scipy. No kernel of ours calls it, and importing it takes a third of a command's start.
numba.np.linalg.ensure_blas = _no_blas
