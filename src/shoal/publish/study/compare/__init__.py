"""Comparing methods: each at every point of a sweep, judged like a release, and nothing of it published."""
