"""Notes and other text files as sources: reading, front matter, dividing into passages."""
