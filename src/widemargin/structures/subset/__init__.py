"""Sets of sentences within a budget."""
