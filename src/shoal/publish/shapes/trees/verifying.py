"""Released record trees as their judges see them, from their folder or beside originals."""

from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from shoal.data import Trees
from shoal.data.types import I4, I8
from shoal.hierarchy import Hierarchies
from shoal.io.config import Config
from shoal.privacy.provenance import provenance_of_rows, provenance_of_trees
from shoal.privacy.truth import true_pairs
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.protocols import Known
from shoal.publish.shapes.trees.judging import alike, leaves_of, representatives, spans_of, tree_truth
from shoal.release import Claim, Verdict

if TYPE_CHECKING:
    from shoal.publish.shapes.trees.dataset import TreeData

__all__ = ["classes", "covered", "known", "seen", "strange", "true"]

_MOST_PAIRS = 1 << 18  # released trees compared with original ones


def known(columns: Mapping[str, str], config: Config | None, originals: "TreeData | None") -> Known:
    """What values stand for: by the originals' hierarchies, by those that are files, or by themselves."""
    if originals is not None:
        return Known(columns, originals.hierarchies, originals=originals)
    return Known(columns, {} if config is None else hierarchies_in_files(config))


def seen(frame: Trees, known: Known, claim: Claim) -> Trees:
    """Released trees as their judges see them: values of the same leaves are one."""
    return alike(frame, known.hierarchies)


def classes(frame: Trees, known: Known) -> int:
    """How many different trees there are."""
    return len(_different(frame)[1])


def strange(frame: Trees, known: Known, config: Config) -> str | None:
    """A sentence where a field is none that the configuration publishes, or a value is none of its hierarchy."""
    assert config.tree is not None
    own = {*config.tree.hierarchies, config.tree.sensitive}
    for name in frame.classes:
        if name not in own:
            return f"field '{name}' is not among those that the configuration publishes"
    odd = sum(
        value not in known.hierarchies[frame.classes[kind]].places
        for kind, value in zip(frame.kinds, frame.values, strict=True)
        if frame.classes[kind] in known.hierarchies
    )
    if odd:
        return f"{odd} values stand for nothing in the hierarchies of the configuration"
    shown = representatives(frame, known.hierarchies)
    twice = len(shown) - len(set(shown))
    return f"{twice} values are published under two names" if twice else None


def covered(frame: Trees, known: Known, left_out: int) -> Verdict:
    """Judge that the originals can have given these trees: every value and relation, and every tree one of its own."""
    originals: TreeData = known.originals
    frame = alike(frame, originals.hierarchies)
    said = provenance_of_trees(frame, originals.trees, originals.hierarchies)
    return _matched(frame, originals.trees, originals.hierarchies) if said else said


def true(frame: Trees, known: Known, claim: Claim, left_out: int) -> Verdict:
    """Check every path against the original that the known rows name."""
    originals: TreeData = known.originals
    assert known.rows is not None
    return tree_truth(frame, originals.trees, originals.hierarchies, known.rows)


def _matched(released: Trees, original: Trees, hierarchies: Hierarchies) -> Verdict:
    """Judge that different originals can have given all trees; too many to compare are left to what was judged."""
    ours, shown = _different(released)
    theirs, held = _different(original)
    if len(shown) * len(held) > _MOST_PAIRS:
        return Verdict(True, "no published value or relation is in more records than originals have it")
    leaves, spans = leaves_of(original, hierarchies), spans_of(released, original, hierarchies)
    pairs = np.repeat(shown, len(held)), np.tile(held, len(shown))
    fits = true_pairs(original, leaves, released, spans, *pairs).reshape(len(shown), len(held))
    return provenance_of_rows(ours[:, None], theirs[:, None], [fits])


def _different(trees: Trees) -> tuple[I4, I8]:
    """For each tree its number among the different ones, and one record of each."""
    both = np.stack([trees.items, trees.parents], axis=1)
    seen: dict[bytes, int] = {}
    keys = (both[a:b].tobytes() for a, b in pairwise(trees.start.tolist()))
    of = np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int32)
    return of, np.unique(of, return_index=True)[1].astype(np.int64)
