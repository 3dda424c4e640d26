"""SQLite as a store: one file, with its words and vectors."""
