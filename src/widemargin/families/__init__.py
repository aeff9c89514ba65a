"""One folder per kind of output; base.py says what a family is."""
