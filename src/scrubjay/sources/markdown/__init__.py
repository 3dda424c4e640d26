"""Notes and other text files as sources: reading, front matter, cutting into passages."""
