"""The only door through which a release leaves: `door` judges what was written before it has a name."""
