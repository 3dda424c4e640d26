"""Repair: what can be read of a damaged file, in a new one."""
