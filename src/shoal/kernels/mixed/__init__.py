"""Kernels that cluster tables with baskets."""
