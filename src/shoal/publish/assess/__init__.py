"""What a release is worth and what it tells, measured beside its originals: below the door, and handed to it."""
