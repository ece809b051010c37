"""Methods for tables that recode each class on its own: local recoding."""
