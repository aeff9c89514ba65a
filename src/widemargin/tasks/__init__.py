"""Tasks wired together: reader, features, structure, cost, metric."""
