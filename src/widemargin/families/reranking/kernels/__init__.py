"""Compiled code of reranking."""
