"""The read path: candidates by word and by meaning, signals, scores, and the results."""
