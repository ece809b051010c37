"""The only door through which a release leaves."""
