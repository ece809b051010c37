"""Hierarchies that are edited on the page: the trees, and the list that shows one."""
