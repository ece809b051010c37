"""Losses: what a release costs, 0 is untouched."""
