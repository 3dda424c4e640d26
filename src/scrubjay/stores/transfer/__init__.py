"""Moving memories between stores: what leaves with them, and how it is merged into what is there."""
