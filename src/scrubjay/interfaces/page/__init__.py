"""The page: the memory in a browser. Pages are made here, on the server; small scripts in `static/` add to them."""
