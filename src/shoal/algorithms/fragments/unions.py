"""The releases of all fragments as one release."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.data.lists import owners, take
from shoal.data.types import I4, I8
from shoal.release import Bitmaps, Forms, Recoded, RecodedBaskets, RecodedMixed, Result

__all__ = ["union"]


def union(rows: Sequence[I8], results: Sequence[Result[Any]], records: int) -> Result[Any]:
    """Unite what was made of fragments of `records` records: fragment f is the records rows[f]."""
    releases = [result.release for result in results]
    release = _UNIONS[type(releases[0])](rows, releases, records)
    proof = None if results[0].proof is None else _proof(rows, [result.proof for result in results], records)
    trace = _trace([result.trace for result in results], [len(part) for part in rows])
    told = {"fragments": len(rows), "largest fragment": max(map(len, rows))}
    return Result(release, results[0].claim, proof, {**told, **trace})


def _tables(rows: Sequence[I8], parts: Sequence[Recoded], records: int) -> Recoded:
    columns = range(len(parts[0].names))
    forms, codes = [], []
    for j in columns:
        united, places = _forms([part.forms[j] for part in parts])
        forms.append(united)
        codes.append(
            np.concatenate([place[part.codes[:, j]] for place, part in zip(places, parts, strict=True)])
        )
    kept = _kept(rows, parts)
    order = np.argsort(kept)
    written = np.ascontiguousarray(np.stack(codes, axis=1)[order])
    return Recoded(parts[0].names, tuple(forms), written, kept[order], records)


def _baskets(rows: Sequence[I8], parts: Sequence[RecodedBaskets], records: int) -> RecodedBaskets:
    forms, places = _forms([part.forms for part in parts])
    start = _chained([part.start for part in parts])
    items = np.concatenate([place[part.items] for place, part in zip(places, parts, strict=True)])
    width = max(len(forms.labels), 1)
    items = (np.sort(owners(start) * width + items) % width).astype(np.int32)  # rising in a row, as before
    kept = _kept(rows, parts)
    order = np.argsort(kept)
    gone = sum(part.suppressed for part in parts)
    return RecodedBaskets(forms, *take(start, items, order), kept[order], records, gone)


def _mixed(rows: Sequence[I8], parts: Sequence[RecodedMixed], records: int) -> RecodedMixed:
    tables, baskets = [part.table for part in parts], [part.baskets for part in parts]
    return RecodedMixed(_tables(rows, tables, records), _baskets(rows, baskets, records))


def _bitmaps(rows: Sequence[I8], parts: Sequence[Bitmaps], records: int) -> Bitmaps:
    return Bitmaps(
        parts[0].values,
        _chained([part.start for part in parts]),
        np.concatenate([part.items for part in parts]),
        _chained([part.maybe_start for part in parts]),
        np.concatenate([part.maybe for part in parts]),
        np.concatenate([part.errors for part in parts]),
        _kept(rows, parts),
        records,
    )


_UNIONS: dict[type, Callable[..., Any]] = {
    Recoded: _tables,
    RecodedBaskets: _baskets,
    RecodedMixed: _mixed,
    Bitmaps: _bitmaps,
}


def _proof(rows: Sequence[I8], proofs: Sequence[Any], records: int) -> I4:
    """Assignments of all fragments side by side: they share no row, so each is one of the whole."""
    proof = np.empty((len(proofs[0]), records), dtype=np.int32)
    before = 0
    for part, found in zip(rows, proofs, strict=True):
        proof[:, part] = found + before
        before += len(part)
    return proof


def _forms(many: Sequence[Forms]) -> tuple[Forms, list[I4]]:
    """All forms, each once, and for each fragment where its own stand among them."""
    seen: dict[tuple[str | None, bytes], int] = {}
    places = []
    for forms in many:
        ends = zip(forms.labels, forms.start[:-1].tolist(), forms.start[1:].tolist(), strict=True)
        keys = [(label, forms.leaves[a:b].tobytes()) for label, a, b in ends]
        places.append(np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int32))
    sets = [np.frombuffer(leaves, dtype=np.int32) for _, leaves in seen]
    return Forms.of_sets([label for label, _ in seen], sets), places


def _kept(rows: Sequence[I8], parts: Sequence[Any]) -> I8:
    """The record of all behind each row, fragment after fragment."""
    return np.concatenate([own[part.rows] for own, part in zip(rows, parts, strict=True)])


def _chained(starts: Sequence[I8]) -> I8:
    """The starts of lists one behind the other."""
    return np.cumsum(np.concatenate([[0], *map(np.diff, starts)]), dtype=np.int64)


def _trace(traces: Sequence[Mapping[str, Any]], sizes: Sequence[int]) -> dict[str, Any]:
    """What all fragments tell: counts are added up, shares are averaged over records, words stay where all agree."""
    told: dict[str, Any] = {}
    for key, first in traces[0].items():
        values = [trace[key] for trace in traces if key in trace]
        if len(values) < len(traces):
            continue
        if isinstance(first, bool | str):
            if all(value == first for value in values):
                told[key] = first
        elif isinstance(first, int | np.integer):
            told[key] = sum(map(int, values))
        elif isinstance(first, float):
            told[key] = float(np.average(values, weights=sizes))
    return told
