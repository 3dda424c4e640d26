"""Memories that leave the store and come into it: exports, imports, backups, and forgetting for good."""
