"""What a release of record trees loses."""

from shoal.data import Forest
from shoal.errors import InputError
from shoal.hierarchy.nodes import Nodes
from shoal.release import RecodedForest
from shoal.utility.rpd import rpd, rpd_original

__all__ = ["tree_losses"]

_MOST_MINED = 1 << 20


def tree_losses(release: RecodedForest, original: Forest, nodes: Nodes, *, public: bool) -> dict[str, float]:
    """Losses by name: `rpd`, which the release tells, and those that need the originals.

    Mining is left out where the originals hold more than a million nodes or too many frequent subtrees: it would take
    longer than all else.
    """
    found = {"rpd": rpd(release, original, nodes)}
    if public:
        return found
    found["rpd-original"] = rpd_original(original, nodes)
    if len(original.items) > _MOST_MINED:
        return found
    from shoal.utility.mining import mining_loss  # kernels are heavy, and verifying needs none

    try:
        mined = mining_loss(release, original, nodes)
    except InputError:  # there are too many frequent subtrees
        return found
    return found | {"ml2": mined.ml2, "dml2": mined.dml2}
