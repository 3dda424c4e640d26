"""Programs that make files of this repository: the bundled model, the generated docs."""
