"""What connects a memory to files, to other memories and to those who use it."""
