"""The interfaces: each parses a request, makes one call to the API, and formats the answer."""
