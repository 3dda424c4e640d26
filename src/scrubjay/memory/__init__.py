"""The write path: what a caller gives is checked, guarded, compared with what is known, and stored."""
