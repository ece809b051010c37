"""A stored recoding of record trees, applied to others."""

from collections.abc import Mapping
from typing import Any

from shoal.data import Trees
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies
from shoal.release import RecodedTrees

__all__ = ["recode"]


def recode(recoding: Mapping[str, Any], trees: Trees, hierarchies: Hierarchies) -> RecodedTrees:
    """Publish trees under a stored cut and the stored sequence of disassociations.

    Raises
    ------
    InputError
        It is a local recoding, malformed, or made for other classes.
    """
    from shoal.algorithms.trees.recode_trees import apply  # kernels are heavy, and only this job needs them

    cut, cut_relations = recoding.get("cut"), recoding.get("disassociations")
    if cut is None and cut_relations is None:
        raise InputError(
            "recoding: it was local, and a local recoding cannot be applied to other records; run a maker instead"
        )
    if not _is_cut(cut) or not _is_sequence(cut_relations):
        raise InputError(
            "recoding: its cut or its disassociations are malformed; use the file as it was written"
        )
    return apply("recoding", trees, hierarchies, {"cut": cut, "disassociations": cut_relations})


def _is_cut(found: object) -> bool:
    return isinstance(found, dict) and all(labels is None or _texts(labels) for labels in found.values())


def _is_sequence(found: object) -> bool:
    return isinstance(found, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(_is_end(end) for end in pair) for pair in found
    )


def _is_end(found: object) -> bool:
    """A class, or one value of a class."""
    return isinstance(found, str) or (isinstance(found, list) and len(found) == 2 and _texts(found))


def _texts(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(text, str) for text in found)
