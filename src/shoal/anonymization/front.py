"""The front that a release is picked from: every k of a table, every bound of a table with baskets."""

import math
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from shoal.anonymization.makers import MethodMaker
from shoal.anonymization.release import Release
from shoal.assess.preview import Preview, preview_of
from shoal.base.arguments import is_number
from shoal.base.discreet import SafeRepr, html_table
from shoal.base.errors import InputError
from shoal.base.former_names import FormerName
from shoal.base.progress import Progress, StepTimer, no_progress, start_step
from shoal.privacy import KAnonymity, require_protection
from shoal.privacy.claim import join_names
from shoal.publish.draft import Choices, draft
from shoal.release import Result
from shoal.shapes.maker import Maker
from shoal.shapes.mixed import MixedData
from shoal.shapes.table.data import TableData
from shoal.utility import Case, case_headline
from shoal.utility.table import ncp

if TYPE_CHECKING:
    from shoal.algorithms.lattice.branch_and_bound import FrontResult
    from shoal.algorithms.mixed.bound import TradeoffFront

__all__ = ["Front", "MixedFront", "describe_beside_k", "preview_points", "refuse_beside_k"]


_PRICED = ("loss", "target")


_MOST_CELLS = 20_000_000  # records times points of a front that are made only to tell what they lose


@dataclass(frozen=True, repr=False)
class _Points(SafeRepr):
    """What fronts have in common: `table()` reads their points, `pick` of each kind releases one.

    `step_seconds` is how many seconds each step of tracing it took, for the audit of its releases.
    """

    dataset: Any
    result: Any
    method: dict[str, Any]
    step_seconds: Mapping[str, float] = field(default_factory=dict)

    spent = FormerName("step_seconds")
    said = FormerName("summary")
    shown = FormerName("printable_table")
    usual = FormerName("default_index")

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `shoal pareto --json` prints it."""
        facts: dict[str, Any] = self.result.as_dict()
        return facts

    def table(self) -> Any:
        """One row per point, in the kind of frame that came in."""
        points = self.as_dict()["front"]
        rows = [{**point.pop("levels", {}), **point} for point in points]  # a column named k must not hide k
        return self.dataset.source.like(pl.DataFrame(rows))

    def _describe_method(self, **own: Any) -> dict[str, Any]:
        """The method, with the number by which a point is picked."""
        return {**self.method, "parameters": {**self.method["parameters"], **own}}

    def _release_point(
        self,
        result: Result[Any],
        seed: int | None,
        allow_empty: bool,
        maker: Maker | None = None,
        **own: Any,
    ) -> Release:
        """The release that a point makes."""
        clock = StepTimer(no_progress)
        clock("judging")
        release = draft(
            self.dataset,
            result,
            method=self._describe_method(**own),
            seed=seed,
            kind=Release,
            maker=maker,
            allow_empty=allow_empty,
        )
        step_seconds = {**self.step_seconds, **clock.seconds()}
        return replace(release, choices=Choices(self.as_dict()), step_seconds=step_seconds)


@dataclass(frozen=True, repr=False)
class Front(_Points):
    """The least loss for every k, with one level per column, for k alone.

    `table()` to read it, `plot()` to see it, `pick(k=...)` to release a point. `beside_k` is what else somebody asks
    for: then no point is released, for none keeps it.
    """

    dataset: TableData
    result: "FrontResult"
    beside_k: tuple[str, ...] = ()

    def facts(self) -> dict[str, object]:
        """What may be shown: how many points there are, from which k to which, at which loss."""
        points = self.as_dict()["front"]
        return {
            "points": len(points),
            **_describe_range(points, "k"),
            **_describe_range(points, "loss"),
            "found": self.summary(),
        }

    def _repr_html_(self) -> str:
        points = [(math.log(point["k"]), point["loss"]) for point in self.as_dict()["front"]]
        return html_table(
            "The least loss for every k, with one level per column",
            self.facts(),
            _draw_points(points, "k", "loss"),
        )

    def plot(self, picked: float | None = None) -> Any:
        """Draw the front; `picked` marks the point for that k."""
        from shoal.report.figures import front, to_plotly_figure

        return to_plotly_figure(front(self.as_dict()["front"], None if picked is None else _check_k(picked)))

    @property
    def default_index(self) -> int | None:
        """The place of the point to take where none is named: there is none, for k is promised."""
        return None

    def printable_table(self) -> tuple[str, list[str], list[list[object]]]:
        """The points as a table for people: its title, its head, its rows."""
        points = self.as_dict()["front"]
        names = list(points[0]["levels"]) if points else []
        loss = str(self.method["parameters"].get("loss", "glm"))
        lost = self._headlines() if loss != "ncp" else None
        rows: list[list[object]] = [
            [p["k"], float(p["loss"]), *([lost[i]] if lost else []), p["suppressed"], *p["levels"].values()]
            for i, p in enumerate(points)
        ]
        head = ["k", f"loss ({loss})", *(["ncp"] if lost else []), "suppressed", *names]
        return f"The least loss ({loss}) for every k, with one level per column", head, rows

    def _headlines(self) -> list[float] | None:
        """What each point loses as releases tell it; None where making them all takes long."""
        points = self.result.points
        if len(points) * self.dataset.table.n > _MOST_CELLS:
            return None
        weights = {column.name: column.weight for column in self.dataset.table.quasi}
        results = [self.result.release(point, point.k) for point in points]
        return [ncp(result.release, self.dataset.hierarchies, weights) for result in results]

    def summary(self) -> str:
        """How much of the lattice was looked at, and what is proven, in one sentence."""
        result = self.result
        progress_words = f"{result.evaluated:,} of {result.lattice:,} nodes evaluated"
        also = _asked_beside_k(self)
        only = f"; every point keeps k alone, and {also} too, which may cost more" if also else ""
        if result.complete:
            return f"{progress_words}; the front is complete and proven{only}"
        return f"{progress_words}; proven for k >= {result.proven_from:,}, below that the best found so far{only}"

    def pick(self, k: float, *, seed: int | None = None, allow_empty: bool = False) -> Release:
        """Release the cheapest point that reaches `k`.

        Raises
        ------
        InfeasibleError
            No point reaches `k`; or nothing is told of nearly anybody, and `allow_empty` is not given.
        InputError
            More than k is asked for, which no point keeps.
        """
        k = _check_k(k)
        refuse_beside_k(_asked_beside_k(self))
        require_protection(KAnonymity(k))
        priced = {key: value for key, value in self.method["parameters"].items() if key in _PRICED}
        result = self.result.release(self.result.pick(k), k)
        # of those who stay, what their own front would pick: its cheapest point, which leaves out nobody
        maker = MethodMaker("optimal", KAnonymity(k), priced)
        return self._release_point(result, seed, allow_empty, maker, k=k)

    def _make_point(self, place: int) -> tuple[Result[Any], dict[str, Any]]:
        """The release of a point, not judged, and the k by which it is picked."""
        point = self.result.points[place]
        return self.result.release(point, point.k), {"k": point.k}


def refuse_beside_k(asked: str) -> None:
    """Refuse to release a point of a front that keeps k alone where more is asked for; `asked` is empty where not.

    Raises
    ------
    InputError
        More is asked for.
    """
    if asked:
        raise InputError(
            f"pareto: a point of the front keeps k alone, and {asked} too; release with `shoal run`, whose method "
            "optimal keeps both, or take that out"
        )


def _asked_beside_k(front: Front) -> str:
    """What is asked for that no point keeps, in words; empty where there is nothing."""
    return describe_beside_k([*front.beside_k, *(["hidden values"] if front.dataset.hidden else [])])


def describe_beside_k(keys: Iterable[str]) -> str:
    """What is asked for beside k, as part of a sentence.

    >>> describe_beside_k(["l", "t"]), describe_beside_k([])
    ('l and t are asked for', '')
    """
    names = list(dict.fromkeys(keys))
    if not names:
        return ""
    return f"{join_names(names)} {'are' if len(names) > 1 or names == ['hidden values'] else 'is'} asked for"


@dataclass(frozen=True, repr=False)
class MixedFront(_Points):
    """What table and items lose: `table()` to read it, `plot()` to see it, `pick(delta=...)` to release a point."""

    dataset: MixedData
    result: "TradeoffFront"

    def facts(self) -> dict[str, object]:
        """What may be shown: how many points there are, and between which losses."""
        points = self.as_dict()["front"]
        ends = [_describe_range(points, name) for name in ("ncp", "ul") if points and name in points[0]]
        return {"points": len(points), **{name: text for end in ends for name, text in end.items()}}

    def _repr_html_(self) -> str:
        points = [(point.ncp, point.ul) for point in self.result.points]
        picture = _draw_points(points, "what the table loses", "what the items lose")
        return html_table("What the table and what the items lose", self.facts(), picture)

    def plot(self, picked: float | None = None) -> Any:
        """Draw the trade-off; `picked` marks the point for that delta."""
        from shoal.report.figures import to_plotly_figure
        from shoal.report.parts import tradeoff_figure

        point = None if picked is None else self.result.pick(_check_delta(picked))
        released = None if point is None else (point.ncp, point.ul)
        return to_plotly_figure(tradeoff_figure(self.as_dict()["front"], released))

    @property
    def default_index(self) -> int | None:
        """The place of the point to take where no delta is named: the knee; None without points."""
        from shoal.algorithms.mixed.bound import knee

        points = self.result.points
        return points.index(knee(points)) if points else None

    def printable_table(self) -> tuple[str, list[str], list[list[object]]]:
        """The points as a table for people: its title, its head, its rows."""
        rows: list[list[object]] = [[p.table, p.ul, p.classes, p.merges] for p in self.result.points]
        return (
            "What the table and what the items lose",
            [f"table ({self.result.made.loss})", "items (ul)", "classes", "merges"],
            rows,
        )

    def summary(self) -> str:
        """What `pick` bounds, in one sentence."""
        return f"{len(self.result.points)} points; pick one by the loss that you allow for the {self.result.bound}"

    def delta(self, place: int) -> float:
        """The bound by which `pick` finds a point again."""
        point = self.result.points[place]
        return point.table if self.result.bound == "table" else point.ul

    def pick(self, delta: float, *, seed: int | None = None, allow_empty: bool = False) -> Release:
        """Release the point that loses least in one part and at most `delta` in the other, as `bound` says which.

        Raises
        ------
        InfeasibleError
            No point loses so little; the message names the smallest delta. Or nothing is told of nearly anybody, and
            `allow_empty` is not given.
        """
        point = self.result.pick(_check_delta(delta))
        return self._release_point(self.result.release(point), seed, allow_empty, delta=delta)

    def _make_point(self, place: int) -> tuple[Result[Any], dict[str, Any]]:
        """The release of a point, not judged, and the delta by which it is picked."""
        return self.result.release(self.result.points[place]), {"delta": self.delta(place)}


def _check_k(k: float) -> int:
    if not is_number(k) or k != int(k):
        raise InputError(f"pick: k={k}; give a whole number")
    return int(k)


def _check_delta(delta: float) -> float:
    if not is_number(delta) or not 0 <= delta <= 1:
        raise InputError(f"pick: delta={delta}; give a loss from 0 to 1")
    return delta


def _describe_range(points: list[dict[str, Any]], name: str) -> dict[str, object]:
    """The smallest and the largest number of that name."""
    numbers = [point[name] for point in points]
    return {name: f"{min(numbers):.4g} to {max(numbers):.4g}"} if numbers else {}


def _draw_points(points: list[tuple[float, float]], across: str, up: str) -> str:
    """Points as a small picture, from left to right and from the bottom up; it needs no script and no network."""
    if len(points) < 2:
        return ""
    xs, ys = zip(*sorted(points), strict=True)
    wide, high = (max(xs) - min(xs)) or 1.0, (max(ys) - min(ys)) or 1.0
    places = " ".join(
        f"{10 + 280 * (x - min(xs)) / wide:.1f},{110 - 100 * (y - min(ys)) / high:.1f}"
        for x, y in zip(xs, ys, strict=True)
    )
    return (
        f"<svg width='300' height='135' role='img' aria-label='{up} against {across}'>"
        f"<polyline points='{places}' fill='none' stroke='teal' stroke-width='2'/>"
        f"<text x='10' y='130' font-size='11'>{up} (up) against {across} (to the right)</text></svg>"
    )


def preview_points(
    front: Front | MixedFront,
    *,
    most: int = 60,
    seconds: float = 2.0,
    progress: Progress = no_progress,
) -> dict[int, Preview]:
    """Previews of the points of a front, by the place of the point.

    Of many points, or where they take long, some are looked at: the ends first, then what lies between them. A point is
    not judged here, as it is when it is picked; the same records are shown at each.
    """
    preview_of_point: dict[int, Preview] = {}
    begun, places = time.monotonic(), _bisection_order(len(front.result.points))[:most]
    tell = start_step(progress, "looking at the points")
    for index in places:
        elapsed = time.monotonic() - begun
        if len(preview_of_point) >= 2 and elapsed > seconds:
            break
        tell(max(len(preview_of_point) / len(places), elapsed / seconds if seconds else 0.0))
        preview_of_point[index] = _preview_point(front, index)
    return dict(sorted(preview_of_point.items()))


def _preview_point(front: Front | MixedFront, place: int) -> Preview:
    """A point as it would be released."""
    raw_result, parameters = front._make_point(place)
    case: Case = front.dataset.case(raw_result, front.method)
    dataset, result = front.dataset.without_traces(raw_result)
    loss, method = case_headline(case), front._describe_method(**parameters)
    return preview_of(dataset, result, method, loss, result.claim.as_dict())


def _bisection_order(many: int) -> list[int]:
    """All places, the ends first, then the middles between those that came before."""
    order = dict.fromkeys([0, many - 1][:many])
    gaps = [(0, many - 1)]
    for low, high in gaps:  # it grows as it is read
        middle = (low + high) // 2
        if low < middle < high:
            order[middle] = None
            gaps += [(low, middle), (middle, high)]
    return list(order)
