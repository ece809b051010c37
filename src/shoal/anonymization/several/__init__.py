"""Several releases of the same people: who is who, what they keep together, and a release beside earlier ones."""
