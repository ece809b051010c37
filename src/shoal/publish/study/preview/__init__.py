"""What data would look like at a choice, before anything leaves."""
