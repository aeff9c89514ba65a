"""Compiled code of constituency parsing."""
