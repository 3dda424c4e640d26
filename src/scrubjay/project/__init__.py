"""The project that a folder belongs to, and whether its memory is trusted."""
