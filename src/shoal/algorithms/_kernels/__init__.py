"""Kernels that several themes share."""
