"""Record trees at the door: a person's values, one below the other."""
