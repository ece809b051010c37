"""How nested records were nested: what trees need to be written the same way again."""

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["Nesting"]


@dataclass(frozen=True, slots=True)
class Nesting:
    """The fields of nested records by their dotted paths.

    heads  : for each object, the field that stands above its other fields
    lists  : the fields whose values mostly came in lists
    order  : every field, in the order in which fields were seen, as its place
    strange : a field whose own name is empty or holds a dot, so that its path does not tell how it was nested
    """

    heads: Mapping[str, str] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    order: Mapping[str, int] = field(default_factory=dict)
    strange: str | None = None
