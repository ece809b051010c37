"""What more knowledge finds: attackers who know the core and m known columns, one more, five, eight or all of them.

They are played on some people drawn at random, and with some sets of columns where there are too many; what they are
told of is said in words. `before` they search the originals, `after` the release, for rows that fit.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np

from shoal.attacks.known_columns import count_candidates
from shoal.attacks.view_table import TableView
from shoal.data.arrays import B1, F8, I4, I8
from shoal.privacy import CoreAnonymity
from shoal.privacy.core import close_set
from shoal.release import PublishedValues, Recoded
from shoal.report.facts import IdentityRisk, MoreKnowledge
from shoal.utility.classes import class_ids

__all__ = ["list_more_knowledge", "original_candidates", "play_more_knowledge"]

_SIZES = (5, 8)  # known columns that somebody knows, beside m, m + 1 and all
_PEOPLE = 500
_SETS = 12
_ROWS = 1_000_000  # rows times sets that are looked at for each number of columns


@dataclass(frozen=True, slots=True)
class _Attacker:
    """Somebody who knows the core and so many known columns.

    sets : the columns that are known, by name, with what follows from them
    many : how many such sets there are
    """

    size: int
    sets: tuple[tuple[str, ...], ...]
    many: int
    of: int

    @property
    def description(self) -> str:
        """What is known, in words."""
        beside = "all" if self.size == self.of else f"any {self.size} of {self.of}"
        noun = "column" if self.of == 1 else "columns"
        drawn = (
            ""
            if len(self.sets) == self.many
            else f" ({len(self.sets)} of {self.many:,} choices drawn at random)"
        )
        return f"all quasi-identifiers and {beside} known {noun}{drawn}"


def _list_attackers(claim: CoreAnonymity, known: Sequence[str], rows: int) -> Iterator[_Attacker]:
    rng = np.random.default_rng(0)
    most = int(np.clip(_ROWS // max(rows, 1), 2, _SETS))
    sizes = sorted({min(size, len(known)) for size in (claim.m, claim.m + 1, *_SIZES, len(known))} - {0})
    for size in sizes:
        many = comb(len(known), size)
        if many <= most:
            picked = list(combinations(known, size))
        else:
            picked = [
                tuple(known[j] for j in sorted(rng.choice(len(known), size, replace=False)))
                for _ in range(most)
            ]
        closed = (close_set(columns, claim.follows) for columns in picked)
        sets = tuple(tuple(name for name in known if name in columns) for columns in closed)
        yield _Attacker(size, sets, many, len(known))


def _cover_matrix(form: PublishedValues, width: int) -> B1:
    """bool[forms, leaves]: whether a label stands for a leaf."""
    covers = np.zeros((len(form.labels), width), dtype=bool)
    covers[np.repeat(np.arange(len(form.labels)), np.diff(form.start)), form.leaves] = True
    return covers


def play_more_knowledge(
    claim: CoreAnonymity, names: Sequence[str], leaves: I4, release: Recoded
) -> list[IdentityRisk]:
    """How likely people are found by more and more knowledge, in the originals and in the release.

    `leaves` is int32[n, d], the originals as leaf codes of the columns `names`, which the release has, too.
    """
    core = [name for name in names if name in release.core]
    known = [name for name in names if name not in release.core]
    records = _draw_people(len(leaves))
    place = {name: j for j, name in enumerate(names)}
    order = [release.names.index(name) for name in names]
    covers = tuple(
        _cover_matrix(
            release.forms[j], int(max(leaves[:, i].max(), release.forms[j].leaves.max(initial=0))) + 1
        )
        for i, j in enumerate(order)
    )
    own = np.full(len(leaves), -1, dtype=np.int64)
    own[release.rows] = np.arange(len(release.rows))
    view = TableView(leaves, covers, np.ascontiguousarray(release.codes[:, order]), own)
    risks = []
    for attacker in _list_attackers(claim, known, len(leaves)):
        before, after = [], []
        for columns in attacker.sets:
            places = [place[name] for name in (*core, *columns)]
            before.append(original_candidates(leaves[:, places])[records])
            after.append(count_candidates(view, records, places))
        risks.append(
            IdentityRisk(
                attacker.description,
                1 / claim.k,
                _summarize(np.stack(before), claim.k),
                _summarize(np.stack(after), claim.k),
            )
        )
    return risks


def list_more_knowledge(claim: CoreAnonymity, release: Recoded) -> MoreKnowledge:
    """What more knowledge would find in a release, as anybody can count who has only the release.

    Of each row those count as candidates whose labels stand for all that its own labels may be: fewer than there are.
    """
    known = [name for name in release.names if name not in release.core]
    core = [name for name in release.names if name in release.core]
    place = {name: j for j, name in enumerate(release.names)}
    covers = tuple(_label_order(form) for form in release.forms)
    rows = np.arange(len(release.codes))
    view = TableView(release.codes, covers, release.codes, rows)
    records = _draw_people(len(rows))
    found = []
    for attacker in _list_attackers(claim, known, len(rows)):
        counted = np.stack(
            [
                count_candidates(view, records, [place[name] for name in (*core, *columns)])
                for columns in attacker.sets
            ]
        )
        found.append((attacker.description, float((counted < claim.k).mean())))
    return MoreKnowledge(claim.k, len(records), tuple(found))


def original_candidates(values: I4) -> I8:
    """int64[n]: how many records have the values of each record."""
    classes = class_ids(list(values.T))
    return np.bincount(classes)[classes].astype(np.int64)


def _label_order(form: PublishedValues) -> B1:
    """bool[forms, forms]: whether a label stands for all that another stands for."""
    if not len(form.labels) or not np.diff(form.start).all():
        return np.zeros((len(form.labels),) * 2, dtype=bool)
    low, high = form.leaves[form.start[:-1]], form.leaves[form.start[1:] - 1]
    covers = (low[:, None] <= low[None, :]) & (high[None, :] <= high[:, None])
    for wide in np.flatnonzero(np.diff(form.start) < high - low + 1):  # with gaps
        leaves = form.leaves[form.start[wide] : form.start[wide + 1]]
        for narrow in np.flatnonzero(covers[wide]):
            inside = np.isin(form.leaves[form.start[narrow] : form.start[narrow + 1]], leaves)
            covers[wide, narrow] = bool(inside.all())
    return np.asarray(covers, dtype=bool)


def _draw_people(n: int) -> I8:
    if n <= _PEOPLE:
        return np.arange(n, dtype=np.int64)
    return np.sort(np.random.default_rng(0).choice(n, _PEOPLE, replace=False)).astype(np.int64)


def _summarize(candidates: I8, k: int) -> dict[str, float]:
    """The chances of whoever guesses one of the candidates; who has none is not found."""
    chances: F8 = np.where(candidates > 0, 1 / np.maximum(candidates, 1), 0.0)
    return {
        "highest": float(chances.max(initial=0.0)),
        "average": float(chances.mean()) if chances.size else 0.0,
        "above": float(((candidates > 0) & (candidates < k)).mean()) if chances.size else 0.0,
    }
