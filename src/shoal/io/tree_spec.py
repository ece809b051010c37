"""What the section [tree] of a configuration says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shoal.discreet import Discreet
from shoal.hierarchy.files import BuiltFile
from shoal.io.decimals import point_pairs
from shoal.io.hierarchy_spec import HierarchySpec

__all__ = ["TreeSpec"]


@dataclass(frozen=True, slots=True, repr=False)
class TreeSpec(Discreet):
    """How record trees are read, and what their classes are.

    person : of tables, the one with one row per person
    keys   : of tables, "table.column" to "table.column": foreign keys, in place of those that a database states
    drop   : dotted paths that are left out
    heads  : by dotted path of an object, the field that stands above its other fields
    sensitive   : the class that must not be linked to anybody
    hierarchies : by class, a file's path or the recipe to build one
    negations   : classes whose absence the attacker may know
    identifier  : the field that says who a record is; it is checked for repeats and left out
    decimal     : the sign before the decimals of numbers
    """

    person: str | None = None
    keys: Mapping[str, str] = field(default_factory=dict)
    drop: Sequence[str] = ()
    heads: Mapping[str, str] = field(default_factory=dict)
    sensitive: str | None = None
    hierarchies: Mapping[str, HierarchySpec] = field(default_factory=dict)
    negations: Sequence[str] = ()
    identifier: str | None = None
    decimal: str = "."

    def spelled(self, pairs: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """Values as (class, value), decimal commas read; a field with a declared hierarchy keeps its spelling."""
        if self.decimal == ".":
            return pairs
        kept = [kind for kind, spec in self.hierarchies.items() if not isinstance(spec, Mapping | BuiltFile)]
        return point_pairs(pairs, kept)
