"""Makers for baskets."""
