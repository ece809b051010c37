"""Kernels that order, assign and vote over whole baskets."""
