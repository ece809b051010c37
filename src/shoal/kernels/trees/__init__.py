"""Kernels of record trees."""
