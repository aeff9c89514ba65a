"""Numba, imported without scipy.linalg.

With the first kernel Numba imports the rest of itself, looks for BLAS in scipy.linalg, and so imports that: a third of the whole, and no
kernel of ours needs it. Here the look is answered by whether scipy is there. Numba is left as it always is: it imports scipy.linalg when
a function that it compiles, anybody's, calls BLAS.
"""

import importlib.util
import sys


def import_without_scipy() -> None:
    """Import the module of Numba that looks for BLAS, unless somebody has done so."""
    import numba.np.linalg as linalg

    look = getattr(linalg, "ensure_blas", None)
    if look is None or "numba.np.arraymath" in sys.modules:
        return
    linalg.ensure_blas = _by_its_place
    try:
        import numba.np.arraymath as arraymath

        arraymath.ensure_blas = look
    finally:
        linalg.ensure_blas = look


def _by_its_place() -> None:
    """What Numba asks: an ImportError where there is no BLAS."""
    if importlib.util.find_spec("scipy") is None:
        raise ImportError("there is no scipy")
