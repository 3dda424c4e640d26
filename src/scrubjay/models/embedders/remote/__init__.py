"""Embedders that a server runs."""
