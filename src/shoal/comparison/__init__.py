"""Several methods over the same data, side by side."""
