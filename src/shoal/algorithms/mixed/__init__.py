"""Makers for tables with baskets."""
