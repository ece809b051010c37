"""Ground that everything stands on: errors, progress, signals, names of things, and a repr without values."""
