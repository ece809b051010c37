"""Look at the points of a front, without releasing any."""

import time
from typing import Any

from shoal.progress import Progress, rising, silent
from shoal.publish.fronts import Front, MixedFront
from shoal.publish.study.preview.previewing import ROWS, preview_of
from shoal.publish.study.preview.result import Preview
from shoal.release import Result
from shoal.utility import Case, headline_of

__all__ = ["previews"]


def previews(
    front: Front | MixedFront,
    *,
    most: int = 60,
    seconds: float = 2.0,
    rows: int = ROWS,
    progress: Progress = silent,
) -> dict[int, Preview]:
    """Previews of the points of a front, by the place of the point.

    Of many points, or where they take long, some are looked at: the ends first, then what lies between them. A point is
    not judged here, as it is when it is picked; the same records are shown at each.
    """
    found: dict[int, Preview] = {}
    begun, places = time.monotonic(), _halving(len(front.result.points))[:most]
    tell = rising(progress, "looking at the points")
    for place in places:
        taken = time.monotonic() - begun
        if len(found) >= 2 and taken > seconds:
            break
        tell(max(len(found) / len(places), taken / seconds if seconds else 0.0))
        found[place] = _at(front, place, rows)
    return dict(sorted(found.items()))


def _at(front: Front | MixedFront, place: int, rows: int) -> Preview:
    """A point as it would be released."""
    if isinstance(front, Front):
        point = front.result.points[place]
        made: Result[Any] = front.result.release(point, point.k)
        own: dict[str, Any] = {"k": point.k}
        case: Case = front.dataset.case(made, front.method)
    else:
        made = front.result.release(front.result.points[place])
        own = {"delta": front.delta(place)}
        case = front.dataset.case(made, front.method)
    method = {**front.method, "parameters": {**front.method["parameters"], **own}}
    loss = headline_of(case)
    dataset, result = front.dataset.without_traces(made)
    return preview_of(dataset, result, method, loss, result.claim.as_dict(), rows=rows)


def _halving(many: int) -> list[int]:
    """All places, the ends first, then the middles between those that came before."""
    order = dict.fromkeys([0, many - 1][:many])
    gaps = [(0, many - 1)]
    for low, high in gaps:  # it grows as it is read
        middle = (low + high) // 2
        if low < middle < high:
            order[middle] = None
            gaps += [(low, middle), (middle, high)]
    return list(order)
