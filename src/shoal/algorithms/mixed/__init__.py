"""Methods for tables with baskets."""
