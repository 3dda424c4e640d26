"""Reading and writing files safely: regular files only, private to their owner."""
