"""A release beside its originals: attackers, exposure, use, and the facts that pages tell of it."""
