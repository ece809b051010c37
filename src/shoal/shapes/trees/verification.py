"""From released trees to what their judges see: values through the hierarchies of their classes."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from shoal.algorithms.parts import trees_of
from shoal.data import Trees
from shoal.data.arrays import I4, I8
from shoal.engines import Mapper
from shoal.hierarchy import Hierarchies
from shoal.io.config import Config
from shoal.privacy import KMNAnonymity
from shoal.privacy.support_counting import check_tree_parts
from shoal.privacy.truth import find_true_pairs, provenance_of_rows, provenance_of_trees, truth_of_trees
from shoal.release import Claim, Verdict
from shoal.shapes.dataset import JudgingContext
from shoal.shapes.hierarchies import hierarchies_in_files
from shoal.shapes.shape import Verification

__all__ = [
    "Judge",
    "TreeVerification",
    "_find_representatives",
    "_unify_values",
    "judge_tree_parts",
    "tree_truth",
    "value_pairs",
]


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
            self.last = claim, trees, claim.check(_unify_values(trees, self.hierarchies))
        return self.last[2]


def _unify_values(released: Trees, hierarchies: Hierarchies) -> Trees:
    """Give values of one class that stand for the same leaves one name: judges go by what a label means.

    >>> from shoal.hierarchy import Hierarchy
    >>> tree = Hierarchy.from_paths("ill", [["flu", "lung", "*"], ["gout", "joint", "*"]])
    >>> _unify_values(Trees.of([[("ill", "gout")], [("ill", "joint")]]), {"ill": tree}).values
    ('gout',)
    """
    return _rename_values(released, _find_representatives(released, hierarchies))


def _find_representatives(released: Trees, hierarchies: Hierarchies) -> list[tuple[str, str]]:
    """For each value, as (class, value), the first one that stands for the same leaves."""
    first_of_meaning: dict[tuple[str, object], tuple[str, str]] = {}
    representative_pairs = []
    for name, value in value_pairs(released):
        tree = hierarchies.get(name)
        meaning: object = value if tree is None else tree.places.get(value, value)
        representative_pairs.append(first_of_meaning.setdefault((name, meaning), (name, value)))
    return representative_pairs


def judge_tree_parts(
    claim: KMNAnonymity, outline: Trees, parts: Sequence[Path], hierarchies: Hierarchies, mapper: Mapper
) -> Verdict:
    """Judge trees that lie in folders with the arrays start, items and parents, in the codes of `outline`."""
    pairs = _find_representatives(outline, hierarchies)
    load = partial(_load_part, outline, pairs)
    return check_tree_parts(claim, _rename_values(outline, pairs), parts, load, mapper)


def _load_part(outline: Trees, pairs: list[tuple[str, str]], part: Path) -> Trees:
    return _rename_values(trees_of(outline, part), pairs)


def _rename_values(trees: Trees, pairs: list[tuple[str, str]]) -> Trees:
    """The same trees under other names, of which equal ones are one."""
    if len(set(pairs)) == len(pairs):
        return trees
    return Trees.build(
        pairs,
        trees.start,
        trees.items,
        trees.parents,
        trees.sensitive,
        classes=trees.classes,
        repeats=trees.repeats,
    )


def tree_truth(released: Trees, original: Trees, hierarchies: Hierarchies, rows: I8) -> Verdict:
    """Check that every published path lies over one of the record it stems from; a strange label lies over none."""
    return truth_of_trees(
        original,
        code_leaves(original, hierarchies),
        released,
        spans_of(released, original, hierarchies),
        rows,
    )


def code_leaves(original: Trees, hierarchies: Hierarchies) -> I4:
    """For each value of the original, its leaf code; -1 for a sensitive one."""
    leaves = np.full(len(original.values), -1, dtype=np.int32)
    for kind, name in enumerate(original.classes):
        if name in hierarchies:
            items = np.flatnonzero(original.kinds == kind)
            leaves[items] = hierarchies[name].look_up([original.values[item] for item in items])
    return leaves


def spans_of(released: Trees, original: Trees, hierarchies: Hierarchies) -> I4:
    """For each published value, the leaf codes lo .. hi-1 that it stands for; -1, -1 where it is sensitive."""
    spans = [
        _SECRET
        if name == original.sensitive or name not in hierarchies
        else hierarchies[name].places.get(value, _UNKNOWN)
        for name, value in value_pairs(released)
    ]
    return np.array(spans, dtype=np.int32).reshape(-1, 2)


def value_pairs(trees: Trees) -> list[tuple[str, str]]:
    """The class and the value behind each item."""
    return [(trees.classes[kind], value) for kind, value in zip(trees.kinds, trees.values, strict=True)]


# --- from their folder or beside originals

_MOST_PAIRS = 1 << 18  # released trees compared with original ones


def _match_trees(released: Trees, original: Trees, hierarchies: Hierarchies) -> Verdict:
    """Judge that different originals can have given all trees; too many to compare are left to what was judged."""
    ours, released_rows = _number_distinct_trees(released)
    theirs, original_rows = _number_distinct_trees(original)
    if len(released_rows) * len(original_rows) > _MOST_PAIRS:
        return Verdict(True, "no published value or relation is in more records than originals have it")
    leaves, spans = code_leaves(original, hierarchies), spans_of(released, original, hierarchies)
    pairs = np.repeat(released_rows, len(original_rows)), np.tile(original_rows, len(released_rows))
    fits = find_true_pairs(original, leaves, released, spans, *pairs).reshape(
        len(released_rows), len(original_rows)
    )
    return provenance_of_rows(ours[:, None], theirs[:, None], [fits])


def _number_distinct_trees(trees: Trees) -> tuple[I4, I8]:
    """For each tree its number among the different ones, and one record of each."""
    nodes = np.stack([trees.items, trees.parents], axis=1)
    number_of_key: dict[bytes, int] = {}
    keys = (nodes[a:b].tobytes() for a, b in pairwise(trees.start.tolist()))
    number_of_tree = np.array(
        [number_of_key.setdefault(key, len(number_of_key)) for key in keys], dtype=np.int32
    )
    return number_of_tree, np.unique(number_of_tree, return_index=True)[1].astype(np.int64)


class TreeVerification(Verification):
    """How released record trees are judged again."""

    def make_context(
        self, columns: Mapping[str, str], config: Config | None, originals: Any
    ) -> JudgingContext:
        """What values stand for: by the originals' hierarchies, by those that are files, or by themselves."""
        if originals is not None:
            return JudgingContext(columns, originals.hierarchies, originals=originals)
        return JudgingContext(columns, {} if config is None else hierarchies_in_files(config))

    def view_for_judge(self, frame: Trees, known: JudgingContext, claim: Claim) -> Trees:
        """Released trees as their judges see them: values of the same leaves are one."""
        return _unify_values(frame, known.hierarchies)

    def count_classes(self, frame: Trees, known: JudgingContext) -> int:
        """How many different trees there are."""
        return len(_number_distinct_trees(frame)[1])

    def find_unexpected(self, frame: Trees, known: JudgingContext, config: Config) -> str | None:
        """A sentence where a field is none that the configuration publishes, or a value is none of its hierarchy."""
        assert config.tree is not None
        configured_names = {*config.tree.hierarchies, config.tree.sensitive}
        for name in frame.classes:
            if name not in configured_names:
                return f"field '{name}' is not among those that the configuration publishes"
        unknown_count = sum(
            value not in known.hierarchies[frame.classes[kind]].places
            for kind, value in zip(frame.kinds, frame.values, strict=True)
            if frame.classes[kind] in known.hierarchies
        )
        if unknown_count:
            return f"{unknown_count} values stand for nothing in the hierarchies of the configuration"
        representative_pairs = _find_representatives(frame, known.hierarchies)
        duplicate_count = len(representative_pairs) - len(set(representative_pairs))
        return f"{duplicate_count} values are published under two names" if duplicate_count else None

    def judge_provenance(self, frame: Trees, known: JudgingContext, left_out: int) -> Verdict:
        """Judge that the originals can have given these trees: each value and relation, and each tree its own."""
        originals = known.originals
        frame = _unify_values(frame, originals.hierarchies)
        verdict = provenance_of_trees(frame, originals.trees, originals.hierarchies)
        return _match_trees(frame, originals.trees, originals.hierarchies) if verdict else verdict

    def judge_rows(self, frame: Trees, known: JudgingContext, claim: Claim, left_out: int) -> Verdict:
        """Check every path against the original that the known rows name."""
        originals = known.originals
        assert known.rows is not None
        return tree_truth(frame, originals.trees, originals.hierarchies, known.rows)
