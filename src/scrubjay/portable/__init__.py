"""Memories that leave the store: a table for spreadsheets."""
