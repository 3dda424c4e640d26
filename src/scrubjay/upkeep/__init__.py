"""Work on a whole memory: missing vectors, extraction from conversations, synthesis."""
