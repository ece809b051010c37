"""Attackers that are played against a release: what each knows, and how likely each person is found.

Pure functions of what was known, what was published and whose row is whose. Each shape's file holds a table of its
players.

Attackers count who fits what they know from the published rows, and not by `shoal.risks.look_alikes`, which all other
figures on exposed people come from: they are there to find what that count, a method or a judge overlooks. Shared are
only the functions of `shoal.data.arrays`, and the fewest rows that a claim's attacker of items or values has to choose
from, which the audit hands to them where it was counted on the same view.
"""
