"""Figure 18 of the paper on record trees: whom an attacker finds who also knows values that somebody lacks."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from shoal.data import Trees
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedTrees
from shoal.utility.trees import find_published_nodes

ATTACKERS = ("original", "generalized")


@dataclass(frozen=True)
class Shown:
    """A release as an attacker searches it.

    holds  : bool[nodes, n]          whether a published record has a node
    above  : int -> records          those that show node a over node b, by a * nodes + b
    """

    holds: np.ndarray
    above: dict[int, np.ndarray]

    @classmethod
    def of(cls, release: RecodedTrees, original: Trees, nodes: Nodes) -> "Shown":
        """What the release shows."""
        trees, many = release.trees, len(nodes.names)
        node = find_published_nodes(release, original, nodes)[trees.items].astype(np.int64)
        record = np.repeat(release.rows, np.diff(trees.start))
        holds = np.zeros((many, original.n), dtype=bool)
        holds[node, record] = True
        base = np.repeat(trees.start[:-1], np.diff(trees.start))
        parent = np.where(trees.parents < 0, -1, base + trees.parents)
        at, keys = parent.copy(), []
        while (on := np.flatnonzero(at >= 0)).size:
            keys.append(np.stack([node[at[on]] * many + node[on], record[on]]))
            at[on] = parent[at[on]]
        pairs = np.unique(np.concatenate(keys, axis=1), axis=1) if keys else np.zeros((2, 0), dtype=np.int64)
        starts = np.flatnonzero(np.r_[True, np.diff(pairs[0]) > 0][: pairs.shape[1]])
        return cls(holds, dict(zip(pairs[0][starts].tolist(), np.split(pairs[1], starts[1:]), strict=False)))


def attacked(
    release: RecodedTrees, original: Trees, nodes: Nodes, k: int, m: int, n: int, draws: int
) -> Iterator[dict[str, str | int | float]]:
    """For each attacker and q = 1 to 4: how many people are found for each combination of m values and n relations.

    A combination is drawn from a drawn record, and the q values from what the person lacks. So the person always fits;
    people are found where fewer than k fit. Whoever knows that a value of the original domain is absent can only rule
    out records that show this very value; by a generalized one, all that show it or a value below it.
    """
    shown, random, many = Shown.of(release, original, nodes), np.random.default_rng(18), len(nodes.names)
    leaves = np.unique(nodes.leaf[nodes.leaf >= 0])
    below = [np.flatnonzero(_under(nodes, node) & shown.holds.any(axis=1)) for node in range(many)]
    found = np.zeros((len(ATTACKERS), 4))
    least = np.full((len(ATTACKERS), 4), original.n)
    for record in random.integers(0, original.n, draws).tolist():
        fits = _fitting(shown, record, m, n, many, random)
        own = nodes.leaf[original.items[original.start[record] : original.start[record + 1]]]
        for attacker, name in enumerate(ATTACKERS):
            left = fits.copy()
            for q, node in enumerate(_lacked(nodes, leaves, own, name, random)):
                gone = [node] if name == "original" else below[node]
                left &= ~shown.holds[gone].any(axis=0)
                people = int(left.sum())
                found[attacker, q] += people if people < k else 0
                least[attacker, q] = min(least[attacker, q], people)
    for attacker, name in enumerate(ATTACKERS):
        for q in range(4):
            yield {
                "known": name,
                "q": q + 1,
                "found": found[attacker, q] / draws,
                "least": int(least[attacker, q]),
            }


def _fitting(shown: Shown, record: int, m: int, n: int, many: int, random: np.random.Generator) -> np.ndarray:
    """Who fits m values and n relations of one published record: bool[n]."""
    own = np.flatnonzero(shown.holds[:, record])
    values = random.permutation(own)[:m].tolist()
    fits = shown.holds[values].all(axis=0)
    related = [a * many + b for a in values for b in values if record in shown.above.get(a * many + b, ())]
    for key in random.permutation(related)[:n].tolist():
        shows = np.zeros(len(fits), dtype=bool)
        shows[shown.above[key]] = True
        fits &= shows
    return fits


def _lacked(
    nodes: Nodes, leaves: np.ndarray, own: np.ndarray, attacker: str, random: np.random.Generator
) -> list[int]:
    """Four values, or four groups of values below the root of their hierarchy, that somebody has none of."""
    if attacker == "original":
        there = np.setdiff1d(leaves, own)
    else:
        groups = np.unique(nodes.up[leaves])
        # a value that is alone in its range stands right below a wider one, which others hold through their own ranges
        held = np.concatenate(list(_raised(nodes, own)))
        there = np.setdiff1d(groups[(groups >= 0) & (nodes.up[groups] >= 0)], held)
    return random.choice(there, 4, replace=False).tolist()


def _raised(nodes: Nodes, at: np.ndarray) -> Iterator[np.ndarray]:
    """Some nodes, then their parents, and so on to the roots; -1 stands above a root."""
    while (at >= 0).any():
        yield at
        at = np.where(at >= 0, nodes.up[at], -1)


def _under(nodes: Nodes, node: int) -> np.ndarray:
    """The nodes at or below one: bool[nodes]."""
    return np.any([at == node for at in _raised(nodes, np.arange(len(nodes.names)))], axis=0)
