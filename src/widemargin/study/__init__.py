"""Comparisons of learners, curves, and papers reproduced."""
