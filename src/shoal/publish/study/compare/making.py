"""One point: make the release, judge it, measure it, and keep nothing else of it."""

import time
from typing import Any

from shoal.errors import InfeasibleError, InputError, ShoalError, told_place
from shoal.publish.making import anonymize_alone
from shoal.publish.study.compare.measures import Originals, measured
from shoal.publish.study.compare.points import Point

__all__ = ["MADE", "hole", "row_of"]

MADE = "made"
"""The status of a point whose release was made and judged; any other is a hole."""


def row_of(originals: Originals, point: Point) -> dict[str, Any]:
    """The facts of one point: figures, or why there are none; a maker that fails ends nothing."""
    wall, cpu = time.perf_counter(), time.process_time()
    try:
        release = anonymize_alone(originals.dataset, method=point.maker, seed=point.seed, **point.options)
        times = {"cpu_seconds": time.process_time() - cpu, "wall_seconds": time.perf_counter() - wall}
        found = measured(originals, release)
    except ShoalError as error:
        return hole(point, _status(error), str(error))
    except MemoryError:
        return hole(point, "out of memory", "there was not enough memory; give fewer records or columns")
    except Exception as error:
        where = f"{type(error).__name__} in {told_place(error)}"
        return hole(point, "crashed", f"this should not have happened ({where}); please report it")
    return {**_head(point, MADE, ""), "judged": bool(release.verdict), **found, **times}


def hole(point: Point, status: str, message: str) -> dict[str, Any]:
    """A point without a release."""
    return {**_head(point, status, message), "judged": False}


def _head(point: Point, status: str, message: str) -> dict[str, Any]:
    return {"maker": point.maker, **point.numbers, "status": status, "message": message}


def _status(error: ShoalError) -> str:
    if isinstance(error, InfeasibleError):
        return "not possible"
    return "wrong input" if isinstance(error, InputError) else "refused"
