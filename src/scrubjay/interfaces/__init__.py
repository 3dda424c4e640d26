"""The doors: each parses what it is asked, makes one call inward, and renders the answer."""
