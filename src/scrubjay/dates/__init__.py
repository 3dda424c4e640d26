"""Timestamps as they are stored, dates as people write them, and the times that questions name."""
