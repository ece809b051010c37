"""What nobody has decided: it is published only where somebody says so, and manifest and report then name it.

`shoal init` asks for decisions by the lines of [undecided]. The door asks here, and before any work whoever has a
configuration does, so that no way to a release forgets it.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from shoal.base.errors import InputError
from shoal.data import Trees
from shoal.io.settings import WHOLE_FILE
from shoal.publish.draft import Draft
from shoal.report.words import undecided_names

__all__ = ["check_as_proposed", "list_as_proposed", "require_decided"]

_IN_A_FILE = (
    "look at what the configuration says of each, correct what is wrong and delete its line in [undecided], or publish "
    "what was proposed: --as-proposed (as_proposed in Python and REST)"
)
_IN_PYTHON = (
    "decide with proposal.decide(name) or proposal.decide(name, role) and read the data again, or publish what was "
    "proposed: as_proposed=True"
)


def require_decided(undecided: Mapping[str, str], as_proposed: bool, *, proposal: bool = False) -> None:
    """Refuse to publish what nobody has decided, unless it is to be published as it was proposed.

    `proposal` is whether the questions are those of a proposal in Python, and of no configuration file.

    Raises
    ------
    InputError
        Something is undecided.
    """
    if undecided and not as_proposed:
        section, ways = ("save", _IN_PYTHON) if proposal else ("[undecided]", _IN_A_FILE)
        raise InputError(
            f"{section}: nobody has decided about {undecided_names(undecided)}, so nothing is published; {ways}"
        )


def list_as_proposed(undecided: Mapping[str, str], draft: Draft) -> list[str]:
    """The released columns, or fields of record trees, that nobody decided about, as a manifest lists them.

    What is not published is not named. Several columns of items are released as one.
    """
    if not undecided:
        return []
    if isinstance(draft.frame, Trees):
        return _sort_released_names(undecided, _released_fields(draft))
    columns = draft.manifest["columns"]
    items = next((name for name, role in columns.items() if role == "items"), None)
    listed_columns = getattr(draft.dataset, "listed", ())
    return _sort_released_names((items if name in listed_columns else name for name in undecided), columns)


def check_as_proposed(stated: Any, released: Iterable[str] | None) -> bool:
    """Whether a manifest lists what was published as proposed as this version writes it.

    `released` holds the names that it may list; None where they are not known here.
    """
    if not isinstance(stated, list) or not stated or not all(isinstance(name, str) for name in stated):
        return False
    return stated == _sort_released_names(stated, stated if released is None else released)


def _sort_released_names(names: Iterable[str | None], released: Iterable[str]) -> list[str]:
    """Those of the names that are released, or stand for the file, each once and in the one order."""
    return sorted({WHOLE_FILE, *released}.intersection(names))


def _released_fields(draft: Draft) -> set[str]:
    """The fields of record trees of which anything is published."""
    dataset: Any = draft.dataset
    trees: Trees = draft.frame
    in_parts = not dataset.in_memory  # then the frame has no record
    items = np.flatnonzero(dataset.count_once(draft.result.release).facts.after) if in_parts else trees.items
    return {trees.classes[kind] for kind in np.unique(trees.kinds[items]).tolist()}
