"""Caches beside the file, which only propose: lost or damaged, they change no answer."""
