"""How memories change: steps from one to the next, updates, conflicts, and undoing."""
