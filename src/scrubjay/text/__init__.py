"""Functions of plain text: words, languages, the kind of a memory, secrets, and how the text of others is shown."""
