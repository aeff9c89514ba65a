"""Compiled parts of coreference."""
