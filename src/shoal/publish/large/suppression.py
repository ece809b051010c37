"""The records of a table in parts that are kept where some may be left out, as a table of their own.

Who is left out is found in fragments of all records. Then dictionary, hierarchies and cuts are made of the kept alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from shoal.algorithms.fragments import Fragment, find_kept
from shoal.algorithms.knobs import recode_of, suppression_limit
from shoal.base.discreet import SafeRepr
from shoal.base.errors import RefusedError
from shoal.base.progress import Progress, start_step
from shoal.data.arrays import I4, I8
from shoal.engines import Mapper
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.parts.draws import RecordHasher, RunKey
from shoal.parts.records import Dictionary, Parts, RunParts, write_run
from shoal.publish.large.fragment_making import Span, count_group_sizes, cut_fragments
from shoal.publish.large.fragment_release import sort_records, table_of_codes
from shoal.publish.large.parts import TableOrigin
from shoal.release import Claim
from shoal.shapes.hierarchies import is_built

__all__ = ["KeptRecords", "hierarchies_of_kept", "keep_records"]


@dataclass(frozen=True, slots=True, repr=False)
class KeptRecords(SafeRepr):
    """The records that are kept.

    parts      : they, in codes of a dictionary of their own
    dictionary : their distinct cells
    sizes      : how many groups of equal originals there were of each size, before anybody was left out
    """

    parts: RunParts
    dictionary: Dictionary
    sizes: Mapping[int, int]

    def facts(self) -> dict[str, object]:
        """What may be shown: counts."""
        return self.parts.facts()


class _KeptFragment(NamedTuple):
    """What a task says of a fragment: how many records it has and keeps, and how often these hold each value."""

    number: int
    records: int
    kept: int
    counts: tuple[I8, ...]
    sizes: Mapping[int, int]


@dataclass(frozen=True, slots=True, repr=False)
class _KeepTask(SafeRepr):
    """Finds the records of a fragment that are kept, and writes them as a run of their own."""

    method: str
    k: int
    suppress: float
    written: Mapping[str, Any]
    fragments: Parts
    dictionary: Dictionary
    origin: TableOrigin
    hierarchies: Hierarchies
    hasher: RecordHasher
    folder: Path

    def __call__(self, span: tuple[int, Span]) -> _KeptFragment:
        number, place = span
        codes = self.fragments.read(place.first, place.last)
        codes = sort_records(self.hasher, self.origin, codes)
        table = table_of_codes(self.dictionary, self.origin, codes)
        fragment = Fragment(number, {"table": table.in_one_spelling()}, None)
        _, rows = find_kept(self.method, self.hierarchies, self.k, self.suppress, self.written, fragment)
        leaves = np.stack([self.hierarchies[column.name].encode(column) for column in table.quasi], axis=1)
        kept = codes[rows]
        write_run(self.folder / f"{number:06}", kept, np.zeros(len(kept), dtype=np.int64), 1)
        counts = tuple(
            np.bincount(kept[:, j], minlength=len(column.values)) for j, column in enumerate(table.columns)
        )
        return _KeptFragment(number, len(codes), len(kept), counts, count_group_sizes(leaves))


def keep_records(
    data: Any,
    method: str,
    claim: Claim,
    suppress: float,
    options: Mapping[str, Any],
    size: int,
    key: RunKey,
    mapper: Mapper,
    progress: Progress,
) -> KeptRecords | None:
    """Find who is kept where a share of the records may be left out; None where that is everybody.

    Raises
    ------
    RefusedError
        More are left out than may be, or records were lost on their way.
    """
    allowed = suppression_limit(method, suppress, data.parts.n)
    if not allowed:
        return None
    tell = start_step(progress, f"{method}: whom to leave out")
    hasher = data.dictionary.hasher(key.derive("record"))
    parts, spans = cut_fragments(data, method, hasher, key, size, mapper, "everybody")
    folder = data.room.make("kept")
    written = {"recode": recode_of(method, options), "grid": options.get("grid")}
    task = _KeepTask(
        method,
        claim.crowd,
        suppress,
        written,
        parts,
        data.dictionary,
        data.origin,
        data.hierarchies,
        hasher,
        folder,
    )
    found = list[_KeptFragment]()
    for one in mapper(task, list(enumerate(spans))):
        found.append(one)
        tell(len(found) / len(spans))
    found.sort(key=lambda one: one.number)
    left = sum(one.records - one.kept for one in found)
    if sum(one.records for one in found) != data.parts.n or left > allowed:
        raise RefusedError(f"method {method}: it left out records that it must keep; nothing was written")
    data.room.drop("everybody")
    if not left:
        return None
    counts = tuple(np.sum([one.counts[j] for one in found], axis=0) for j in range(len(found[0].counts)))
    kept = RunParts(tuple(folder / f"{one.number:06}" for one in found), tuple(one.kept for one in found))
    dictionary, code_of = _without_values(data.dictionary, counts)
    secret = RunKey.of(None).derive("kept")
    hashers = data.dictionary.hasher(secret), dictionary.hasher(secret)
    recoded = _recode_parts(kept, hashers, code_of, data.room.make("kept again"), mapper)
    data.room.drop("kept")
    return KeptRecords(recoded, dictionary, sum((Counter(one.sizes) for one in found), Counter()))


def _without_values(dictionary: Dictionary, counts: Sequence[I8]) -> tuple[Dictionary, tuple[I4, ...]]:
    """The dictionary of records that hold each value so often, and by column the new code of each old one."""
    held = [np.flatnonzero(many) for many in counts]
    code_of = []
    for many, codes in zip(counts, held, strict=True):
        new = np.full(len(many), -1, dtype=np.int32)
        new[codes] = np.arange(len(codes))
        code_of.append(new)
    values = tuple(
        tuple(own[code] for code in codes.tolist())
        for own, codes in zip(dictionary.values, held, strict=True)
    )
    cells = tuple(own.gather(pl.Series(codes)) for own, codes in zip(dictionary.cells, held, strict=True))
    kept = tuple(many[codes] for many, codes in zip(counts, held, strict=True))
    return replace(dictionary, values=values, cells=cells, counts=kept), tuple(code_of)


def _recode_parts(
    parts: RunParts, hashers: Sequence[RecordHasher], code_of: Sequence[I4], folder: Path, mapper: Mapper
) -> RunParts:
    """The same parts in the codes of another dictionary.

    Raises
    ------
    RefusedError
        They do not say the same, by a keyed sum.
    """
    if any(mapper(partial(_recode_part, parts, hashers, code_of, folder), range(len(parts)))):
        raise RefusedError("refused: records that are kept were changed on their way; nothing was written")
    return RunParts(tuple(folder / run.name for run in parts.runs), parts.sizes)


def _recode_part(
    parts: RunParts, hashers: Sequence[RecordHasher], code_of: Sequence[I4], folder: Path, number: int
) -> bool:
    """The task: write a part in other codes, and say whether it is not the same."""
    codes = parts.read(number)
    new = codes.copy()  # whom records belong to stands behind their columns
    for j, code in enumerate(code_of):
        new[:, j] = code[codes[:, j]]
    write_run(folder / parts.runs[number].name, new, np.zeros(len(new), dtype=np.int64), 1)
    old_sum, new_sum = (
        int(hasher(own).sum(dtype=np.uint64)) for hasher, own in zip(hashers, (codes, new), strict=True)
    )
    return old_sum != new_sum or bool((new[:, : len(code_of)] < 0).any())


def hierarchies_of_kept(
    dictionary: Dictionary, whole: Hierarchies, rules: Mapping[str, Any], bound: Hierarchies
) -> dict[str, Hierarchy]:
    """The hierarchies of the kept: made of their values where rules make them, else named by these."""
    made = {}
    for name, hierarchy in whole.items():
        if is_built(rules.get(name)):
            made[name] = bound[name]
            continue
        values = dictionary.values[dictionary.names.index(name)]
        made[name] = hierarchy.relabel(np.isin(np.arange(hierarchy.size), hierarchy.look_up(values)))
    return made
