"""What all baskets have in common that do not fit in memory."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self

from shoal.data.types import I8
from shoal.errors import InputError
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.large.room import Room
from shoal.release import Claim, RecodedBaskets, Result

__all__ = ["BasketsAside"]


@dataclass(frozen=True, repr=False)
class BasketsAside(BasketData):
    """Baskets in files of their own; `baskets` has their items, and no record.

    held : how many items the records hold together
    room : the folder of the files; it goes with the dataset
    """

    held: int = field(kw_only=True)
    room: Room = field(kw_only=True)

    @property
    def cells(self) -> int:
        """How many items a maker looks at."""
        return self.held

    @cached_property
    def key(self) -> int:
        """A random number that records are hashed with."""
        return int.from_bytes(os.urandom(8))

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[RecodedBaskets]:
        """Refuse: a stored recoding is applied to records in memory."""
        raise InputError(
            "recoding: the records are too many to be held in memory; recode them in several files"
        )

    def without_traces(self, result: Result[Any], remake: object = None) -> tuple[Self, Result[Any]]:
        """Both as they are: nothing was left out."""
        return self, result

    def size(self, release: Any) -> int:
        """Say none: records are shuffled when they are written."""
        return 0

    def shuffled(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same: records are shuffled when they are written."""
        return result

    def noted(self, shown: int) -> list[dict[str, Any]]:
        """Whether only one item is published; `shown` is how many different ones are."""
        few = shown <= 1 and self.records > 1
        return [{"kind": "one value", "column": "items", "count": self.records}] if few else []
