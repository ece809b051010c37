"""Released record trees as their judges see them, from their folder or beside originals."""

from collections.abc import Mapping

from shoal.data import Trees
from shoal.io.config import Config
from shoal.privacy.covering_trees import covering_trees
from shoal.publish.hierarchies import hierarchies_in_files
from shoal.publish.protocols import Known
from shoal.publish.trees.dataset import TreeData
from shoal.publish.trees.judging import alike
from shoal.release import Claim, Verdict

__all__ = ["covered", "known", "seen"]


def known(columns: Mapping[str, str], config: Config | None, originals: TreeData | None) -> Known:
    """What values stand for: by the originals' hierarchies, by those that are files, or by themselves."""
    if originals is not None:
        return Known(columns, originals.hierarchies, originals=originals)
    return Known(columns, {} if config is None else hierarchies_in_files(config))


def seen(frame: Trees, known: Known, claim: Claim) -> Trees:
    """Released trees as their judges see them: values of the same leaves are one."""
    return alike(frame, known.hierarchies)


def covered(frame: Trees, originals: TreeData) -> Verdict:
    """Judge that the originals can have given these trees."""
    return covering_trees(frame, originals.trees, originals.hierarchies)
