"""What an attacker finds who knows a little more than the claim allows: measured for the owner, told in the audit.

No claim covers these attackers. The figures say how sharply its protection ends.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.data import Trees
from shoal.data.counting import how_many, times
from shoal.data.types import I8
from shoal.io.cells import text
from shoal.io.list_cells import read_lists
from shoal.privacy import KKmAnonymity, KmAnonymity, KMNAnonymity
from shoal.publish.protocols import Dataset
from shoal.release import Result

__all__ = ["beyond_the_claim"]

_QUICK = 200_000  # cells or items, which a judge takes seconds for


def beyond_the_claim(dataset: Dataset, frame: Any, result: Result[Any]) -> dict[str, int]:
    """For each attacker just outside the claim, in words, how many records have fewer than k look-alikes."""
    claim = result.claim
    found: dict[str, int] = {}
    if isinstance(claim, KmAnonymity | KKmAnonymity | KMNAnonymity) and dataset.cells <= _QUICK:
        what = "values" if isinstance(claim, KMNAnonymity) else "items"
        judged = dataset.judge(frame, replace(result, claim=replace(claim, m=claim.m + 1)))
        found[f"records with fewer than {claim.k} look-alikes if {claim.m + 1} {what} are known"] = (
            judged.broken
        )
    counts = getattr(result.release, "counts", None)
    for known, kinds in _whole(frame, dataset):
        few = times(kinds, counts)[kinds] < max(claim.crowd, 2)
        found[f"records with fewer than {max(claim.crowd, 2)} look-alikes if {known}"] = how_many(few, counts)
    return found


def _whole(frame: Any, dataset: Dataset) -> Iterator[tuple[str, I8]]:
    """What else may be known of a record, and numbers that are equal where that is."""
    if isinstance(frame, Trees):
        both = np.stack([frame.items, frame.parents], axis=1)
        yield (
            "the whole tree is known",
            _numbered([both[a:b].tobytes() for a, b in pairwise(frame.start.tolist())]),
        )
        yield "its number of nodes is known", _numbered(np.diff(frame.start).tolist())
        return
    roles = dataset.roles(frame)
    items = [name for name, role in roles.items() if role == "items"]
    if items:
        yield "the whole basket is known", _numbered(frame.select(items[:1]).rows())
        sizes = np.diff(read_lists(text(frame[items[0]]))[0])
        yield "its number of items is known", _numbered(sizes.tolist())
    secret = [name for name, role in roles.items() if role == "sensitive"]
    known = [name for name, role in roles.items() if role == "quasi"]
    if secret and known and set(secret) <= set(frame.columns):
        yield "the sensitive columns are known too", _numbered(frame.select(*known, *secret).rows())


def _numbered(keys: list[Any]) -> I8:
    place: dict[Any, int] = {}
    return np.array([place.setdefault(key, len(place)) for key in keys], dtype=np.int64)
