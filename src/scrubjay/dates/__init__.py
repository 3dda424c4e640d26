"""Times as they are stored, as people write them, and as questions name them."""
