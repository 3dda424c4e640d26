"""What several commands share: options for fields, completion, progress, confirmation at the terminal."""
