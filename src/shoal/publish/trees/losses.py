"""What a release of record trees loses."""

from shoal.data import Trees
from shoal.errors import InputError
from shoal.hierarchy.published_nodes import Nodes
from shoal.release import RecodedTrees
from shoal.utility.rpd import rpd, rpd_original

__all__ = ["tree_losses"]

_MOST_NODES = 1 << 20
_MOST_SUBTREES = 1 << 18


def tree_losses(release: RecodedTrees, original: Trees, nodes: Nodes, *, public: bool) -> dict[str, float]:
    """Losses by name: `rpd`, which the release tells, and those that need the originals.

    Mining is left out where the originals hold more than a million nodes, or a level more than a quarter of a million
    frequent subtrees: it would take longer than all else.
    """
    found = {"rpd": rpd(release, original, nodes)}
    if public:
        return found
    found["rpd-original"] = rpd_original(original, nodes)
    if len(original.items) > _MOST_NODES:
        return found
    from shoal.utility.subtree_mining import mining_loss  # kernels are heavy, and verifying needs none

    try:
        mined = mining_loss(release, original, nodes, most=_MOST_SUBTREES)
    except InputError:  # there are too many frequent subtrees
        return found
    return found | {"ml2": mined.ml2, "dml2": mined.dml2}
