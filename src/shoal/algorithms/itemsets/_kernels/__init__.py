"""Kernels that count and generalize itemsets."""
