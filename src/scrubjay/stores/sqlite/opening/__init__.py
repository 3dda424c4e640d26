"""How a SQLite file is opened: one connection, whose log lies beside it, and its newest schema."""
