"""What connects memories: names for the same thing."""
