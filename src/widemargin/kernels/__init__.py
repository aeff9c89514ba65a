"""The compiled code, and nothing else: kernels import NumPy, Numba and each other, never the rest of the library."""
