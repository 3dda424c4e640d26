"""Language models: those that make vectors, those that write text, and how their servers are asked."""
