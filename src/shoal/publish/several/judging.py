"""Several releases of one shape, judged together; see `shoal.privacy.several` for what that means."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Baskets, Trees
from shoal.data.types import I8
from shoal.discreet import Discreet
from shoal.io.list_cells import read_lists
from shoal.io.tree_write import frame_of
from shoal.privacy import Nonreciprocal
from shoal.privacy.lookalikes import group
from shoal.privacy.several import Held, Together, everybody_in, together
from shoal.privacy.several_items import HeldItems, SideBySide
from shoal.publish.baskets.judging import forms_of
from shoal.publish.protocols import Known
from shoal.publish.table.judging import published
from shoal.release import Claim, Published, PublishedMixed, Verdict

__all__ = ["Part", "held_items", "held_tables", "judged", "said_of"]


@dataclass(frozen=True, repr=False)
class Part(Discreet):
    """One of several releases, as it was read.

    folder  : where it is, or its name where it is not written yet; only the name is told
    claim   : what it promises
    frame   : its data
    known   : its columns, what its labels stand for, its originals and, where they are the same for all, its rows
    who     : int64[n]  whose row it is, in numbers that all releases share
    persons : int64[n]  whom its claim counts where a person has several rows; None when every row is a person
    gone    : how many items it states to have left out of its records
    """

    folder: Path
    claim: Claim
    frame: Any
    known: Known
    who: I8
    persons: I8 | None = None
    gone: int = 0

    @property
    def name(self) -> str:
        """What it is called in a message."""
        return self.folder.resolve().name


def judged(parts: Sequence[Part]) -> Together | str:
    """Judge releases together, or say in a sentence why that is not possible."""
    shape = parts[0].claim.shape
    if shape == "table":
        return together(held_tables(parts))
    if shape == "trees" or any(isinstance(part.claim, Nonreciprocal) for part in parts):
        return _same(parts)
    if any(part.known.rows is None or not _same_baskets(part, parts[0]) for part in parts):
        return _ONE_FILE
    return _mixed(parts) if shape == "mixed" else _baskets(parts)


def said_of(found: Together, names: Sequence[str]) -> Verdict:
    """What several releases keep together, in one verdict."""
    reached = {} if found.smallest is None else {"k": found.smallest}
    if found:
        least = "" if found.smallest is None else f"; the smallest joint class has {found.smallest} people"
        sentence = f"all {len(names)} releases keep their claims for whoever holds all of them{least}"
        return Verdict(True, sentence, reached=reached)
    lines = [
        f"release {number} ({name}) beside the others: {said.sentence}"
        for number, (name, said) in enumerate(zip(names, found.verdicts, strict=True), start=1)
        if not said
    ]
    if not any(said.judged and not said for said in found.verdicts):
        return Verdict(False, "; ".join(lines), judged=False)
    alone = "" if found.alone is None else f", {found.alone} of them alone"
    sentence = (
        f"whoever holds all {len(names)} releases finds {found.few} of {found.people} people less hidden than "
        f"promised{alone}"
    )
    broken = max(said.broken for said in found.verdicts)
    return Verdict(False, "; ".join([sentence, *lines]), True, broken, reached=reached)


def held_tables(parts: Sequence[Part], also: Iterable[str] = ()) -> list[Held]:
    """Tables as somebody holds them; what is a quasi-identifier in one of them is one wherever it is published.

    `also` are quasi-identifiers that none of them need have.
    """
    own = {name for part in parts for name, role in part.known.columns.items() if role == "quasi"}
    known = own | {*also}
    return [_held(part, known) for part in parts]


def _held(part: Part, known: set[str]) -> Held:
    roles = {name: role for name, role in part.known.columns.items() if role != "items"}
    seen = published(part.frame, roles)
    others = {name: "quasi" for name, role in roles.items() if role != "quasi" and name in known}
    labels = {**seen.quasi, **published(part.frame, others).quasi}
    return Held(part.claim, part.who, group(tuple(labels.values()))[0], seen.sensitive, part.persons)


def _baskets(parts: Sequence[Part]) -> Together:
    items = _side_by_side(parts, parts[0].known.originals.baskets)
    verdicts = tuple(
        part.claim.check(items.published(place, _secrets(part))) for place, part in enumerate(parts)
    )
    everybody, gone = everybody_in([part.who for part in parts])
    return Together(verdicts, len(everybody), max(said.broken for said in verdicts), int(gone.sum()))


def _mixed(parts: Sequence[Part]) -> Together:
    held = parts[0].known.originals
    items = _side_by_side(parts, held.baskets)

    def check(place: int, seen: Published) -> Verdict:
        part = parts[place]
        return part.claim.check(PublishedMixed(seen, items.published(place, _secrets(part))))

    found = together(held_tables(parts), check)
    return replace(found, few=max(found.few, *(said.broken for said in found.verdicts)))


def _secrets(part: Part) -> frozenset[int]:
    """The items that are sensitive by the release's own configuration, in the codes that all share."""
    own: Baskets = part.known.originals.baskets
    return own.sensitive


def _side_by_side(parts: Sequence[Part], baskets: Baskets) -> SideBySide:
    return SideBySide(baskets, tuple(held_items(part, baskets) for part in parts))


def held_items(part: Part, baskets: Baskets) -> HeldItems:
    """The items of one release, in the codes of the originals."""
    (name,) = [name for name, role in part.known.columns.items() if role == "items"]
    start, items, entries = read_lists(part.frame[name])
    forms = forms_of(entries, baskets.values, part.known.hierarchies.get(name))
    return HeldItems(np.asarray(part.known.rows), start, items, forms)


def _same_baskets(one: Part, other: Part) -> bool:
    """Whether two releases are of the same baskets, record by record."""
    first: Baskets = one.known.originals.baskets
    second: Baskets = other.known.originals.baskets
    return first is second or (
        first.values == second.values
        and np.array_equal(first.start, second.start)
        and np.array_equal(first.items, second.items)
    )


def _same(parts: Sequence[Part]) -> Together | str:
    """Releases that publish the same of everybody tell together what one of them tells; others are not judged."""
    first = _in_order(parts[0])
    if not all(_in_order(part).equals(first) for part in parts[1:]):
        return _NOT_THE_SAME
    yes = Verdict(True, "it publishes the same of everybody as the others")
    return Together(tuple(yes for _ in parts), len(parts[0].who), 0, 0)


def _in_order(part: Part) -> pl.DataFrame:
    frame = frame_of(part.frame) if isinstance(part.frame, Trees) else part.frame
    order = np.argsort(part.who, kind="stable")
    return frame.select(sorted(frame.columns))[order].with_columns(who=pl.Series(part.who[order]))


_ONE_FILE = (
    "several releases of baskets are judged together only where they are of the same file, and these are not; make "
    "them from one file, or publish one of them"
)
_NOT_THE_SAME = (
    "several releases of record trees, or of baskets by vote, can be judged together only where they publish the same "
    "of everybody, and these do not; publish one of them, or make the later one with --recoding from the recoding.json "
    "of the earlier one"
)
