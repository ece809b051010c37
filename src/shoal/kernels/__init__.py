"""Numba kernels: arrays in, arrays out; they import numpy and numba and nothing of ours."""
