"""Gimpel and Smith (2010), Softmax-margin training for structured log-linear models: its figures and its table with this library."""
