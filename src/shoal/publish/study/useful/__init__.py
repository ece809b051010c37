"""What a release is good for, as analysts mean it: models, associations, counts, means with their intervals."""
