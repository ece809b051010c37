"""Attackers that are played against a release: what each knows, and how likely each person is found.

Pure functions of what was known, what was published and whose row is whose. Each shape's file holds a table of its
players.
"""
