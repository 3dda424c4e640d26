"""Memories in a PostgreSQL database, with pgvector."""
