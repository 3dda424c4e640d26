"""What was deleted: the trash, and marks that keep a source from bringing it back."""
