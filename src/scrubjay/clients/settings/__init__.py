"""Settings files of other programs: edited in place, so that comments, order and spacing stay, and given back."""
