"""Compiled code of parsers: codes of arcs, scores, gradients."""
