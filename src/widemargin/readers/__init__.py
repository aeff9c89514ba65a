"""Bytes of files to integer codes, and back."""
