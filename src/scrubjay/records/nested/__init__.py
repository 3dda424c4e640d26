"""Nested JSON: paths into it, merging, and what differs between two values."""
