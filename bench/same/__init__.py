"""Proves that a change of the code's structure changes no answer."""
