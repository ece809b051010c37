"""Hierarchies that people would have built by hand, made from the values of a column and how many people hold each."""
