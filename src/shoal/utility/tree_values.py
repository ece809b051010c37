"""Values of original and released record trees as numbers of one vocabulary: nodes, then sensitive values."""

import numpy as np

from shoal.data import Trees
from shoal.data.types import I4
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedTrees

__all__ = ["codes_of", "published_nodes", "secrets_of"]


def published_nodes(release: RecodedTrees, original: Trees, nodes: Nodes) -> I4:
    """For each published value, its node among those of the original; -1 where it is sensitive."""
    kinds = [original.classes.index(name) for name in release.trees.classes]
    keys = zip(release.trees.kinds.tolist(), *release.spans.T.tolist(), strict=True)
    found = [nodes.places[kinds[kind], lo, hi] if lo >= 0 else -1 for kind, lo, hi in keys]
    return np.array(found, dtype=np.int32)


def secrets_of(original: Trees, nodes: Nodes) -> dict[tuple[str, str], int]:
    """The sensitive values, (class, value), numbered after the nodes."""
    pairs = [
        (original.classes[kind], value)
        for kind, value in zip(original.kinds, original.values, strict=True)
        if original.classes[kind] == original.sensitive
    ]
    return {pair: len(nodes.names) + place for place, pair in enumerate(pairs)}


def codes_of(trees: Trees, there: I4, secrets: dict[tuple[str, str], int]) -> I4:
    """The number of each value: its node, or its place among the sensitive ones."""
    pairs = [(trees.classes[kind], value) for kind, value in zip(trees.kinds, trees.values, strict=True)]
    codes = [secrets[pair] if node < 0 else int(node) for pair, node in zip(pairs, there, strict=True)]
    return np.array(codes, dtype=np.int32)
