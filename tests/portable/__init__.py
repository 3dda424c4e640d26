"""Tests of what leaves a store and comes into it."""
