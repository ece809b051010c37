"""Several releases of one shape, judged together; see `shoal.privacy.several` for what that means."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from shoal.data import Baskets, Trees
from shoal.data.arrays import B1, I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.write.folders import private_of
from shoal.io.write.groups import Groups, read_items
from shoal.io.write.trees import frame_of
from shoal.privacy import counts_households
from shoal.privacy.equivalence_class import group
from shoal.privacy.several import (
    JointItems,
    JointVerdict,
    LinkedItems,
    LinkedRelease,
    breaking,
    everybody_in,
    judge_jointly,
    labels_of,
)
from shoal.publish.data_files import (
    groups_beside,
    names_of,
    read_data,
    read_names,
    read_rows,
    same_names,
)
from shoal.publish.draft import Dataset, JudgingContext
from shoal.publish.manifests import ChangedError, claim_of_config, claim_stated_in, read_manifest
from shoal.publish.shapes.base import SHAPES
from shoal.publish.shapes.baskets.verification import forms_of
from shoal.publish.shapes.table.verification import published
from shoal.publish.verify import VerificationCase, case_of
from shoal.release import Claim, Published, PublishedMixed, Verdict

__all__ = [
    "One",
    "Part",
    "earlier_cells",
    "held_items",
    "held_tables",
    "judge_one",
    "judged",
    "left_out",
    "said_of",
]


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
    known: JudgingContext
    who: I8
    persons: I8 | None = None
    gone: int = 0

    @property
    def name(self) -> str:
        """What it is called in a message."""
        return self.folder.resolve().name


def judged(parts: Sequence[Part]) -> JointVerdict | str:
    """Judge releases together, or say in a sentence why that is not possible."""
    shape = parts[0].claim.shape
    if any(part.known.centres for part in parts):
        return _MEANS
    if shape == "table" and not any(part.claim.blanks for part in parts):
        return judge_jointly(held_tables(parts))
    if shape in ("table", "trees") or any(part.claim.votes for part in parts):
        return _same(parts)
    if any(part.known.rows is None or not _same_baskets(part, parts[0]) for part in parts):
        return _ONE_FILE
    return _mixed(parts) if shape == "mixed" else _baskets(parts)


_MEANS = (
    "a release of means has no values to compare with other releases, so it is not judged with them; publish one "
    "release of these people"
)


def said_of(found: JointVerdict, names: Sequence[str]) -> Verdict:
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


def held_tables(parts: Sequence[Part], also: Iterable[str] = ()) -> list[LinkedRelease]:
    """Tables as somebody holds them; what is a quasi-identifier in one of them is one wherever it is published.

    `also` are quasi-identifiers that none of them need have.
    """
    own = {name for part in parts for name, role in part.known.columns.items() if role == "quasi"}
    known = own | {*also}
    return [_held(part, known) for part in parts]


def _held(part: Part, known: set[str]) -> LinkedRelease:
    roles = {name: role for name, role in part.known.columns.items() if role != "items"}
    seen = published(part.frame, roles)
    others = {name: "quasi" for name, role in roles.items() if role != "quasi" and name in known}
    labels = {**seen.quasi, **published(part.frame, others).quasi}
    return LinkedRelease(part.claim, part.who, group(tuple(labels.values()))[0], seen.sensitive, part.persons)


def _baskets(parts: Sequence[Part]) -> JointVerdict:
    items = _side_by_side(parts, parts[0].known.originals.baskets)
    verdicts = tuple(
        part.claim.check(items.published(place, _secrets(part))) for place, part in enumerate(parts)
    )
    everybody, gone = everybody_in([part.who for part in parts])
    return JointVerdict(verdicts, len(everybody), max(said.broken for said in verdicts), int(gone.sum()))


def _mixed(parts: Sequence[Part]) -> JointVerdict:
    held = parts[0].known.originals
    items = _side_by_side(parts, held.baskets)

    def check(place: int, seen: Published) -> Verdict:
        part = parts[place]
        return part.claim.check(PublishedMixed(seen, items.published(place, _secrets(part))))

    found = judge_jointly(held_tables(parts), check)
    return replace(found, few=max(found.few, *(said.broken for said in found.verdicts)))


def _secrets(part: Part) -> frozenset[int]:
    """The items that are sensitive by the release's own configuration, in the codes that all share."""
    own: Baskets = part.known.originals.baskets
    return own.sensitive


def _side_by_side(parts: Sequence[Part], baskets: Baskets) -> JointItems:
    return JointItems(baskets, tuple(held_items(part, baskets) for part in parts))


def held_items(part: Part, baskets: Baskets) -> LinkedItems:
    """The items of one release, in the codes of the originals."""
    (name,) = [name for name, role in part.known.columns.items() if role == "items"]
    start, items, entries = read_items(part.frame[name], part.known.groups)
    forms = forms_of(entries, baskets.values, part.known.hierarchies.get(name))
    return LinkedItems(np.asarray(part.known.rows), start, items, forms)


def _same_baskets(one: Part, other: Part) -> bool:
    """Whether two releases are of the same baskets, record by record."""
    first: Baskets = one.known.originals.baskets
    second: Baskets = other.known.originals.baskets
    return first is second or (
        first.values == second.values
        and np.array_equal(first.start, second.start)
        and np.array_equal(first.items, second.items)
    )


def _same(parts: Sequence[Part]) -> JointVerdict | str:
    """Releases that publish the same of everybody tell together what one of them tells; others are not judged."""
    first = _in_order(parts[0])
    if not all(_in_order(part).equals(first) for part in parts[1:]):
        return _NOT_THE_SAME
    yes = Verdict(True, "it publishes the same of everybody as the others")
    return JointVerdict(tuple(yes for _ in parts), len(parts[0].who), 0, 0)


def _in_order(part: Part) -> pl.DataFrame:
    frame = frame_of(part.frame) if isinstance(part.frame, Trees) else part.frame
    order = np.argsort(part.who, kind="stable")
    return frame.select(sorted(frame.columns))[order].with_columns(who=pl.Series(part.who[order]))


_ONE_FILE = (
    "several releases of baskets are judged together only where they are of the same file, and these are not; make "
    "them from one file, or publish one of them"
)
_NOT_THE_SAME = (
    "several releases of record trees, of baskets by vote, or of tables with blanks, can be judged together only "
    "where they publish the same of everybody, and these do not; publish one of them, or, of record trees and baskets, "
    "make the later one with --recoding from the recoding.json of the earlier one"
)

# Each of several releases by itself: what a judge says of it, and the names of the people behind its rows.


@dataclass(frozen=True, repr=False)
class One(Discreet):
    """One of several releases.

    name  : what it is called
    said  : what a judge says of it by itself
    case  : what it is; None where it cannot be read
    own   : whether the originals that were given are its own, so that it was compared with them
    """

    name: str
    said: Verdict
    case: VerificationCase | None = None
    own: bool = True

    @property
    def told(self) -> dict[str, Any]:
        """What it promises, in our own words."""
        return {} if self.case is None else self.case.told

    @property
    def placed(self) -> bool:
        """Whether it is known whose row is whose."""
        return self.case is not None and (not self.own or self.case.known.rows is not None)

    @cached_property
    def names(self) -> list[str] | None:
        """The name of the person behind each row; None where people have none."""
        assert self.case is not None
        if not self.own:
            return read_names(private_of(self.case.folder.resolve()))
        names, rows = names_of(self.case.known.originals), np.asarray(self.case.known.rows)
        return None if names is None else [names[row] for row in rows.tolist()]

    @cached_property
    def frame(self) -> Any:
        """Its data."""
        assert self.case is not None
        return read_data(self.case.folder, SHAPES[self.case.claim.shape].files, self.case.manifest["columns"])

    @cached_property
    def groups(self) -> Groups:
        """The groups of items that its rows name."""
        assert self.case is not None
        return groups_beside(self.case.folder, self.case.manifest["columns"])


def judge_one(folder: Path, config: Config, originals: Dataset) -> One:
    """Judge a release as `verify` does: against the originals where they are its own, else from its folder alone.

    They are not its own where they have another number of records, or other people where rows.parquet names them.
    """
    name = folder.resolve().name
    claim_of_config(config)
    try:
        manifest = read_manifest(folder)
    except ChangedError as error:
        return One(name, Verdict(False, str(error)))
    try:
        claim = claim_stated_in(manifest, config)
    except InputError as error:
        return One(name, Verdict(False, str(error)))
    if counts_households(claim):
        return One(
            name, Verdict(False, "it counts households, and several releases are judged by people", False)
        )
    own = _is_own(folder, manifest["records_in"], originals)
    case = case_of(folder, manifest, claim, config, originals if own else None)
    try:
        said = case.verdict()
    except InputError as error:
        said = Verdict(False, str(error))
    return One(name, said, case, own)


def _is_own(folder: Path, records: int, originals: Dataset) -> bool:
    """Whether originals are those of a release, as far as names tell."""
    private = private_of(folder.resolve())
    rows, names = read_rows(private), read_names(private)
    if rows is None or names is None:
        return True
    inside = bool(((rows >= 0) & (rows < originals.records)).all())
    return records == originals.records and inside and same_names(originals, rows, names)


# Who cannot be in a release beside earlier ones: too few of the people with whom they shared a class still are.


def earlier_cells(who: I8, earlier: Sequence[LinkedRelease]) -> I8:
    """Numbers that are equal where earlier releases show the same of records' people: their joint classes."""
    return group([labels_of(who, held.who, held.kinds) for held in earlier])[0]


def left_out(
    who: I8, now: LinkedRelease, earlier: Sequence[LinkedRelease], rng: np.random.Generator
) -> tuple[B1, I8]:
    """Which records are left out, and the people of whom even then too little is hidden.

    `now` is a release of all records whose classes are `earlier_cells`. Somebody who is in an earlier release and not
    in this one shows it by being missing. So people of one joint class who are missing must be as many as promised,
    or none; and so must those who stay. Where k is all that is promised, as few as possible are left out of a joint
    class; elsewhere all of it.
    """
    everybody, _ = everybody_in([who, *(held.who for held in earlier)])
    cell = earlier_cells(everybody, earlier)
    mine = cell[np.searchsorted(everybody, who)]
    crowd = max(held.claim.crowd for held in [now, *earlier])
    gone = np.bincount(cell[~np.isin(everybody, who)], minlength=int(cell.max(initial=0)) + 1)
    known = np.zeros(len(gone), dtype=bool)
    known[cell[np.isin(everybody, np.concatenate([held.who for held in earlier]))]] = True
    out = np.zeros(len(who), dtype=bool)
    for number in np.unique(mine).tolist():
        inside = np.flatnonzero(mine == number)
        many = _fewest(len(inside), int(gone[number]), crowd, bool(known[number]))
        out[rng.permutation(inside)[:many]] = True  # who is left out shall tell nothing
    while True:
        bad = breaking([*earlier, _some(now, ~out)])
        whole = np.isin(mine, cell[np.searchsorted(everybody, bad)]) & ~out
        if not len(bad) or not whole.any():
            return out, bad
        out |= whole


def _fewest(there: int, gone: int, crowd: int, known: bool) -> int:
    """How many of a joint class are left out, so that those who stay and those who are missing are enough, or none.

    >>> [_fewest(*case) for case in [(7, 0, 5, True), (12, 1, 5, True), (6, 1, 5, True), (3, 0, 5, False)]]
    [0, 4, 6, 3]
    """
    short = crowd - gone if known and 0 < gone < crowd else 0
    return short if there - short >= crowd else there


def _some(held: LinkedRelease, rows: B1) -> LinkedRelease:
    sensitive = {
        name: type(column)(column.codes[rows], column.values) for name, column in held.sensitive.items()
    }
    persons = None if held.persons is None else held.persons[rows]
    return LinkedRelease(held.claim, held.who[rows], held.kinds[rows], sensitive, persons)
