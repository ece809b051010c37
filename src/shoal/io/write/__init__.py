"""Releases out, on disk for certain, and back: what is judged is what was written."""
