"""Run a task on every fragment; what cannot keep the claim by itself is joined with a neighbour."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import pairwise
from typing import TypeVar

from shoal.engines.parts import Mapper
from shoal.errors import InfeasibleError
from shoal.progress import Tell

__all__ = ["made_of_all"]

Piece = TypeVar("Piece")
Sent = TypeVar("Sent")
Made = TypeVar("Made")


def made_of_all(
    task: Callable[[Sent], tuple[int, Made | str]],
    pieces: list[Piece],
    size: Callable[[Piece], int],
    join: Callable[[Sequence[Piece]], Piece],
    send: Callable[[list[Piece], list[int]], Sequence[Sent]],
    mapper: Mapper,
    tell: Tell,
) -> tuple[list[Made], list[Piece]]:
    """What was made of all fragments, and the fragments, in order.

    Parameters
    ----------
    task
        Makes something of a fragment; its answer is the number of the fragment, and what was made, or why nothing was.
    pieces, size, join
        The fragments, how many records one has, and several neighbours as one.
    send
        What the task is given, for those of the fragments that are numbered.
    mapper, tell
        What runs the tasks, and whoever is told which share of the records is done.

    Raises
    ------
    InfeasibleError
        Nothing could be made of all records in one fragment either.
    """
    found: list[Made | None] = [None] * len(pieces)
    records = max(sum(map(size, pieces)), 1)
    while True:
        todo = [at for at, made in enumerate(found) if made is None]
        failed: dict[int, str] = {}
        done = records - sum(size(pieces[at]) for at in todo)
        for at, answer in mapper(task, send(pieces, todo)):
            if isinstance(answer, str):
                failed[at] = answer
            else:
                found[at] = answer
                done += size(pieces[at])
                tell(done / records)
        if not failed:
            return [made for made in found if made is not None], pieces
        if len(pieces) == 1:
            raise InfeasibleError(failed[0])
        groups = list(_neighbours([size(piece) for piece in pieces], failed))
        found = [found[a] if b - a == 1 else None for a, b in groups]
        pieces = [join(pieces[a:b]) for a, b in groups]


def _neighbours(sizes: Sequence[int], failed: Collection[int]) -> Iterator[tuple[int, int]]:
    """Which fragments to join, as (first, last + 1): each that failed with the smaller one of its neighbours.

    >>> list(_neighbours([5, 3, 4, 9], [0, 2]))
    [(0, 3), (3, 4)]
    """
    ends = set(range(1, len(sizes)))
    for at in sorted(failed):
        beside = [near for near in (at - 1, at + 1) if 0 <= near < len(sizes)]
        ends.discard(max(at, min(beside, key=lambda near: sizes[near])))
    return pairwise([0, *sorted(ends), len(sizes)])
