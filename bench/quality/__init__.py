"""How well Scrubjay finds, on public sets and one of our own: `python -m bench.quality`, or `make quality`."""
