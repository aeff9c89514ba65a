"""Constituency parsing: sentences as trees of labelled brackets."""
