"""What record trees give away to whoever also knows the recoding, for small data.

A relation that was given up leaves traces: where a value hangs may tell what once stood above it. This judge takes the
side of an attacker who knows the recoding, and counts the published records that may come from a person such as the
attacker knows.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations, product
from math import comb, prod
from typing import Any

import numpy as np

from shoal.data import Trees
from shoal.data.arrays import I4
from shoal.privacy.claim import ruling
from shoal.privacy.trees import KMNAnonymity
from shoal.release import RecodedTrees, Verdict

__all__ = ["judge_known_recoding"]

Label = tuple[str, str]
Path = tuple[Label, ...]
Pair = tuple[Label, Label]
Ends = Sequence[Any]

_DEEPEST = 10
_MOST_NODES = 1 << 17
_MOST_PATHS = 1 << 14
_MOST_LOOKS = 1 << 24


def judge_known_recoding(original: Trees, leaves: I4, release: RecodedTrees, claim: KMNAnonymity) -> Verdict:
    """Judge whether every knowledge of an original, in published values, may be that of k published records.

    Knowledge is up to m values and up to n relations among them. A published record may come from an original that
    has it when it holds the values and, for each relation a ~> b, a path with a above b could have been there: one
    that the recoding turns into paths that are all published in the record. Then the record with these paths added is
    an original that is published as this record, so the count is exact.

    Paths that could have been there go along the classes of a path of the original, some of which may be missing,
    with any value that is published.

    Parameters
    ----------
    original, leaves
        The records, and the leaf code of each of their values; -1 for a sensitive one.
    release
        A release by one recoding for all records, its `rule` with it.
    claim
        k, m and n; sensitive values are not known, and absences are not looked at.

    Returns
    -------
    Verdict
        Witnesses are originals, by their number, of whom something can be known that fewer than k records fit.
        "Not judged" where data are too large to be looked at this way, or there is no one recoding.

    Examples
    --------
    Whoever knows "gout in ward B" knows that its gout was detached, and only one record has one that is:

    >>> people = Trees.of([[("ward", "B", ("ill", "gout"))], *[[("ward", "A", ("ill", "gout")), ("ward", "B")]] * 2])
    >>> rule = {"disassociations": [[["ward", "B"], ["ill", "gout"]]]}
    >>> shown = Trees.of([[("ward", "B"), ("ill", "gout")], *list(people.nested())[1:]])
    >>> spans = np.array([[0, 1], [1, 2], [0, 1]], dtype=np.int32)
    >>> release = RecodedTrees(shown, spans, np.arange(3), 3, 0, rule)
    >>> judge_known_recoding(people, spans[:, 0], release, KMNAnonymity(2, 2, 1)).witnesses
    (1,)
    """
    if "disassociations" not in release.rule:
        return _unjudged("the release has no single recoding for all records")
    if len(original.items) > _MOST_NODES:
        return _unjudged(f"the records hold {len(original.items)} values")
    published = [_paths(tree, claim.sensitive) for tree in release.trees.nested()]
    label = _labels(original, leaves, release)
    known = [_published(tree, label, original.sensitive) for tree in original.nested()]
    possible = _possible(known, published)
    if possible is None:
        return _unjudged("the trees are too deep, or their values too many, to list every path")
    looks = original.n * len(possible) + sum(_looks(paths, claim.m) for paths in known)
    if looks > _MOST_LOOKS:
        return _unjudged(f"it would take {looks} comparisons")
    ways = _ways(published, possible, release.rule["disassociations"])
    values = [{label for path in paths for label in path} for paths in published]
    counted: dict[tuple[frozenset[Label], frozenset[Pair]], int] = {}
    broken = np.zeros(original.n, dtype=bool)
    for place, paths in enumerate(known):
        for items, some in _knowledge(paths, claim.m, claim.n):
            if (items, some) not in counted:
                if len(counted) * original.n > _MOST_LOOKS:
                    return _unjudged(f"there are more than {len(counted)} pieces of knowledge")
                fits = [items <= held and some <= way for held, way in zip(values, ways, strict=True)]
                counted[items, some] = sum(fits)
            broken[place] |= counted[items, some] < claim.k
    least = min(counted.values(), default=0)
    said = "not always" if broken.any() else "always"
    return ruling(
        broken,
        f"whoever knows the recoding too {said} finds k={claim.k} records that may be the person's; "
        f"the least found is {least}",
        {"k": least},
    )


def _unjudged(why: str) -> Verdict:
    return Verdict(False, f"{why}; this is judged on small data only", judged=False)


def _labels(original: Trees, leaves: I4, release: RecodedTrees) -> dict[Label, Label | None]:
    """For each label of the original, the published one over it; None: it is left out."""
    trees = release.trees
    shown = [
        (trees.classes[kind], value, *span)
        for kind, value, span in zip(trees.kinds, trees.values, release.spans.tolist(), strict=True)
    ]
    found: dict[Label, Label | None] = {}
    for kind, value, leaf in zip(original.kinds, original.values, leaves.tolist(), strict=True):
        name = original.classes[kind]
        over = [(of, text) for of, text, lo, hi in shown if of == name and lo <= leaf < hi]
        found[name, value] = over[0] if over else None
    return found


def _paths(tree: Iterable[Any], sensitive: str | None) -> set[Path]:
    """Every path from the root, sensitive values left out."""
    found: set[Path] = set()
    stack: list[tuple[Any, Path]] = [(node, ()) for node in tree]
    while stack:
        (kind, value, *children), before = stack.pop()
        path = before if kind == sensitive else (*before, (kind, value))
        found.add(path)
        stack += [(child, path) for child in children]
    return found - {()}


def _published(tree: Iterable[Any], label: Mapping[Label, Label | None], sensitive: str | None) -> set[Path]:
    """The paths of an original with published values, nothing disassociated."""
    found = {
        tuple(over for one in path if (over := label[one]) is not None) for path in _paths(tree, sensitive)
    }
    return found - {()}


def _possible(known: Sequence[set[Path]], published: Sequence[set[Path]]) -> set[Path] | None:
    """Every path that could have been in an original; None: too many."""
    by_class: dict[str, set[str]] = {}
    for kind, value in {label for paths in (*known, *published) for path in paths for label in path}:
        by_class.setdefault(kind, set()).add(value)
    chains = {tuple(kind for kind, _ in path) for paths in known for path in paths}
    if max(map(len, chains), default=0) > _DEEPEST:
        return None
    chains = {some for one in chains for size in range(1, len(one) + 1) for some in combinations(one, size)}
    if sum(prod(len(by_class[kind]) for kind in one) for one in chains) > _MOST_PATHS:
        return None
    return {
        path
        for one in chains
        for path in product(*([(kind, value) for value in by_class[kind]] for kind in one))
    }


def _ways(published: Sequence[set[Path]], possible: set[Path], rules: Sequence[Ends]) -> list[set[Pair]]:
    """For each published record, the relations that an original of it could have had."""
    after = {path: _after(path, rules) for path in possible}
    pairs = {path: set(combinations(path, 2)) for path in possible}
    return [
        {pair for path, left in after.items() if left <= paths for pair in pairs[path]}
        | {pair for path in paths for pair in combinations(path, 2)}
        for paths in published
    ]


def _after(path: Path, rules: Sequence[Ends]) -> set[Path]:
    """What the disassociations, one after the other, leave of a path (Definition 2), with all beginnings."""
    todo = {path}
    for high, low in rules:
        done: set[Path] = set()
        while todo:
            one = todo.pop()
            hit = [
                (i, j) for j in range(len(one)) for i in range(j) if _is(high, one[i]) and _is(low, one[j])
            ]
            if hit:
                i, j = hit[0]
                todo |= {one[:j] + one[j + 1 :], (*one[:i], one[j])}
            else:
                done.add(one)
        todo = done
    return {one[:size] for one in todo for size in range(1, len(one) + 1)}


def _is(end: Any, label: Label) -> bool:
    """Whether a label is what an end of a disassociation names: a class, or a value [class, label]."""
    return label[0] == end if isinstance(end, str) else label == tuple(end)


def _looks(paths: set[Path], m: int) -> int:
    """How many relations are looked at to list the knowledge of a record."""
    labels = len({label for path in paths for label in path})
    related = len({pair for path in paths for pair in combinations(path, 2)})
    return sum(comb(labels, size) for size in range(1, m + 1)) * (1 + related)


def _knowledge(paths: set[Path], m: int, n: int) -> Iterable[tuple[frozenset[Label], frozenset[Pair]]]:
    """Every set of at most m values of a record with every set of at most n relations among them."""
    labels = sorted({label for path in paths for label in path})
    related = {pair for path in paths for pair in combinations(path, 2)}
    for size in range(1, min(m, len(labels)) + 1):
        for items in map(frozenset, combinations(labels, size)):
            among = sorted(pair for pair in related if items.issuperset(pair))
            some = chain.from_iterable(
                combinations(among, number) for number in range(min(n, len(among)) + 1)
            )
            yield from ((items, frozenset(one)) for one in some)
