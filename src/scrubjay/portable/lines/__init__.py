"""The lines of an export: checked, read, signed, and described by a JSON Schema."""
