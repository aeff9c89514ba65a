"""One of K labels: the smallest structure."""
