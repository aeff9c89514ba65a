"""From templates and columns to numbered features."""
