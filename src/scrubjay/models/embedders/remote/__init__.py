"""Embedders whose model runs on a server."""
