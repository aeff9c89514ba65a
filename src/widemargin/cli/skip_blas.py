"""Imported by the program `widemargin` alone, in whose process no other code uses Numba: a command starts sooner."""


def skip_blas() -> None:
    """Let Numba not look for BLAS in scipy before its first kernel: no kernel of ours calls it, and that import is a third of a start.

    Numba looks once ahead, and again when a function that it compiles needs BLAS; only the first is answered "not there". Still, this is
    for processes of our own: np.convolve and np.correlate, compiled, go by the first and take Numba's own loops.
    """
    import numba.np.linalg

    look = numba.np.linalg.ensure_blas

    def not_now() -> None:
        numba.np.linalg.ensure_blas = look
        raise ImportError("not looked for")

    numba.np.linalg.ensure_blas = not_now
