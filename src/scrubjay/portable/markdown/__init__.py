"""A folder of Markdown pages: writing one, and taking back what was edited in it."""
