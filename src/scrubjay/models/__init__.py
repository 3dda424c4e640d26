"""Language models: embedders that make vectors, generators that write text, and the client for their servers."""
