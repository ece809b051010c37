"""Kernels of the lattice of levels."""
