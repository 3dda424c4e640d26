"""Functions on plain text: words, languages, kinds of memories, secrets, and safe display of untrusted text."""
