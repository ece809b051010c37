"""Methods for tables that leave single cells out."""
