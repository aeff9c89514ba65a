"""Scorers that are not linear in a token's features: kernels on them."""

from widemargin.scoring.kernels.kernel import LINEAR, Kernel

__all__ = ["LINEAR", "Kernel"]
