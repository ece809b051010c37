"""How many people a release leaves alone for whoever knows all of a person, where its claim assumes less.

It is counted on the released records, as anybody can count it: next to the tick of such a claim stands what the tick
does not promise.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Baskets, Trees
from shoal.data.arrays import I8, row_of_entry
from shoal.io.read.cells import cell_texts, factorize
from shoal.io.write.groups import Groups, read_items
from shoal.privacy import LDiversity
from shoal.release import Claim
from shoal.report.facts import FullKnowledge
from shoal.risks.look_alikes import LookAlikes, count_classes, equal_look_alikes
from shoal.utility.classes import class_ids

__all__ = ["full_knowledge", "full_knowledge_of_parts"]

_KNOWN_IN_PART = ("baskets", "mixed", "trees")
"""Shapes whose claims assume that nobody knows all of a person."""


def full_knowledge(
    claim: Claim, frame: Any, roles: Mapping[str, str], groups: Groups, counts: I8 | None = None
) -> FullKnowledge | None:
    """Count the released records that few others equal; None where the claim itself assumes that all is known.

    `frame` holds released cells or trees, `groups` the items behind names that rows have, `counts` how many records
    each row of a table stands for.
    """
    kind = _knowledge_kind(claim)
    if kind is None:
        return None
    if isinstance(frame, Trees):
        secret = getattr(claim, "sensitive", None)
        trees = replace(frame, sensitive=secret if secret in frame.classes else None)
        return _full_knowledge_of(claim, kind, equal_look_alikes(trees))
    quasi = [
        class_ids([factorize(cell_texts(frame[name]))[1]]) for name, role in roles.items() if role == "quasi"
    ]
    classes = class_ids(quasi) if quasi else None
    if kind == "table":
        assert classes is not None
        return _full_knowledge_of(
            claim, kind, count_classes(classes, counts=counts).look_alikes(counts=counts)
        )
    (name,) = [name for name, role in roles.items() if role == "items"]
    return _full_knowledge_of(claim, kind, equal_look_alikes(_sorted_baskets(frame[name], groups), classes))


def full_knowledge_of_parts(claim: Claim, records: int, different: int) -> FullKnowledge | None:
    """Return at least how many are alone among records in parts, of which so many differ; None where nobody need be."""
    kind, unique_records = _knowledge_kind(claim), 2 * different - records
    if kind not in ("trees", "baskets") or unique_records < 1:
        return None
    return FullKnowledge(kind, claim.crowd, records, unique_records, None, _sensitive_of(claim))


def _knowledge_kind(claim: Claim) -> str | None:
    """What is known where all is: of a shape whose claim assumes less, of a table where it leaves classes small."""
    if claim.shape != "table":
        return claim.shape if claim.shape in _KNOWN_IN_PART and not claim.votes else None
    small = claim.crowd < 2 and not any(isinstance(part, LDiversity) for part in claim.parts)
    return "table" if claim.blanks or small else None


def _sensitive_of(claim: Claim) -> str | None:
    return getattr(claim, "sensitive", None)


def _full_knowledge_of(claim: Claim, kind: str, equal: LookAlikes) -> FullKnowledge:
    alone, few = equal.count_below(2), equal.count_below(max(claim.crowd, 2))
    assert alone is not None  # no choice has to be made of what is known
    return FullKnowledge(kind, claim.crowd, equal.people, alone, few, _sensitive_of(claim))


def _sorted_baskets(cells: pl.Series, groups: Groups) -> Baskets:
    """Released lists, the items of each in one order."""
    start, items, entries = read_items(cells, groups)
    order = np.lexsort((items, row_of_entry(start)))
    return Baskets("items", tuple(map(str, range(len(entries)))), start, items[order])
