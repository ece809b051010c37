"""From released trees to what their judges see: values through the hierarchies of their classes."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from shoal.algorithms.trees.tree_parts import trees_of
from shoal.data import Trees
from shoal.data.types import I4, I8
from shoal.engines.parts import Mapper
from shoal.hierarchy import Hierarchies
from shoal.privacy import KMNAnonymity
from shoal.privacy.support_counting import check_tree_parts
from shoal.privacy.truth import truth_of_trees
from shoal.release import Claim, Verdict

__all__ = ["Judge", "alike", "judge_parts", "representatives", "tree_truth", "value_pairs"]


_SECRET = -1, -1
_UNKNOWN = 0, 0


class Judge:
    """Asks claims about released trees, and remembers the last answer: the door asks again about what it read back."""

    def __init__(self, hierarchies: Hierarchies) -> None:
        self.hierarchies = hierarchies
        self.last: tuple[Claim, Trees, Verdict] | None = None

    def check(self, claim: Claim, trees: Trees) -> Verdict:
        """Judge a claim; of the very trees that were judged last, say the same again."""
        if self.last is None or self.last[0] != claim or not self.last[1].same(trees):
            self.last = claim, trees, claim.check(alike(trees, self.hierarchies))
        return self.last[2]


def alike(released: Trees, hierarchies: Hierarchies) -> Trees:
    """Give values of one class that stand for the same leaves one name: judges go by what a label means.

    >>> from shoal.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths("ill", [["flu", "lung", "*"], ["gout", "joint", "*"]])
    >>> alike(Trees.of([[("ill", "gout")], [("ill", "joint")]]), {"ill": tree}).values
    ('gout',)
    """
    return _named(released, representatives(released, hierarchies))


def representatives(released: Trees, hierarchies: Hierarchies) -> list[tuple[str, str]]:
    """For each value, as (class, value), the first one that stands for the same leaves."""
    first: dict[tuple[str, object], tuple[str, str]] = {}
    found = []
    for name, value in value_pairs(released):
        tree = hierarchies.get(name)
        meant: object = value if tree is None else tree.places.get(value, value)
        found.append(first.setdefault((name, meant), (name, value)))
    return found


def judge_parts(
    claim: KMNAnonymity, outline: Trees, parts: Sequence[Path], hierarchies: Hierarchies, mapper: Mapper
) -> Verdict:
    """Judge trees that lie in folders with the arrays start, items and parents, in the codes of `outline`."""
    pairs = representatives(outline, hierarchies)
    load = partial(_opened, outline, pairs)
    return check_tree_parts(claim, _named(outline, pairs), parts, load, mapper)


def _opened(outline: Trees, pairs: list[tuple[str, str]], part: Path) -> Trees:
    return _named(trees_of(outline, part), pairs)


def _named(trees: Trees, pairs: list[tuple[str, str]]) -> Trees:
    """The same trees under other names, of which equal ones are one."""
    if len(set(pairs)) == len(pairs):
        return trees
    return Trees.build(pairs, trees.start, trees.items, trees.parents, trees.sensitive, classes=trees.classes)


def tree_truth(released: Trees, original: Trees, hierarchies: Hierarchies, rows: I8) -> Verdict:
    """Check that every published path lies over one of the record it stems from; a strange label lies over none."""
    return truth_of_trees(
        original, leaves_of(original, hierarchies), released, spans_of(released, original, hierarchies), rows
    )


def leaves_of(original: Trees, hierarchies: Hierarchies) -> I4:
    """For each value of the original, its leaf code; -1 for a sensitive one."""
    leaves = np.full(len(original.values), -1, dtype=np.int32)
    for kind, name in enumerate(original.classes):
        if name in hierarchies:
            items = np.flatnonzero(original.kinds == kind)
            leaves[items] = hierarchies[name].look_up([original.values[item] for item in items])
    return leaves


def spans_of(released: Trees, original: Trees, hierarchies: Hierarchies) -> I4:
    """For each published value, the leaf codes lo .. hi-1 that it stands for; -1, -1 where it is sensitive."""
    found = [
        _SECRET
        if name == original.sensitive or name not in hierarchies
        else hierarchies[name].places.get(value, _UNKNOWN)
        for name, value in value_pairs(released)
    ]
    return np.array(found, dtype=np.int32).reshape(-1, 2)


def value_pairs(trees: Trees) -> list[tuple[str, str]]:
    """The class and the value behind each item."""
    return [(trees.classes[kind], value) for kind, value in zip(trees.kinds, trees.values, strict=True)]
