"""How one connection to a SQLite file is opened."""
