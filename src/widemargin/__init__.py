"""widemargin: learning to predict structures."""

__version__ = "0.1.0"
