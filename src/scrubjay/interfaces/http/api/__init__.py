"""The HTTP API: every verb of the Python surface as plain JSON at /api/v1. The table of verbs is remote/verbs.py."""
