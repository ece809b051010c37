"""What the user holds: a judged release, and the front it was picked from."""

import math
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from shoal.algorithms import METHODS
from shoal.assess.attack import audit_exposure
from shoal.assess.facts import facts_of
from shoal.assess.preview import ROWS, Preview, preview, preview_of
from shoal.assess.usefulness import Usefulness, measure_usefulness
from shoal.base.arguments import check_control, check_seed, is_number
from shoal.base.discreet import Discreet, html_table
from shoal.base.errors import InputError
from shoal.base.naming import offered
from shoal.base.progress import Progress, Timed, rising, silent
from shoal.base.stopping import in_one_piece
from shoal.data.arrays import times
from shoal.hierarchy.labels import numbers_of
from shoal.io.formats import GROUP_FORMS
from shoal.io.read.cells import text
from shoal.io.read.mixed_units import MIXED_UNITS, mixed_units
from shoal.privacy import KAnonymity, promised
from shoal.publish.door import Auditor, Page, publish
from shoal.publish.draft import Choices, Draft, draft
from shoal.publish.undecided import list_as_proposed, require_decided
from shoal.release import ColumnTelling, Recoded, Result
from shoal.report.attack import chances
from shoal.report.facts import Audit
from shoal.report.pages import audit_html, report_html
from shoal.report.words import names_in_words
from shoal.risks.individual import individual_risk
from shoal.risks.matching import measure_telling
from shoal.shapes.base import SHAPES
from shoal.shapes.dataset import Dataset
from shoal.shapes.guards import are_sentences
from shoal.shapes.mixed import MixedData
from shoal.shapes.table.data import TableData
from shoal.utility import Case, headline_of
from shoal.utility.table import ncp

if TYPE_CHECKING:
    from shoal.algorithms.lattice.branch_and_bound import FrontResult
    from shoal.algorithms.mixed.bound import TradeoffFront

__all__ = [
    "PAGES",
    "UNCHANGED",
    "Front",
    "MixedFront",
    "Release",
    "auditors_of",
    "check_population",
    "floor_of",
    "from_outside",
    "previews",
    "telling_of",
    "warnings_of",
]

# --- What the owner of a release is warned of, with figures that were measured for this release; private.

FEW = 5
"""Below this k, narrow labels tell much; docs/attacks.md has figures of several k."""

UNCHANGED = (
    "minimal = false changes nothing at k alone: it hides sensitive values from the method, and at k alone no method "
    "uses them; blind is the method whose labels reveal nothing beyond themselves"
)
_UNMEASURED = "not measured for so many records; shoal attack measures it"


def warnings_of(draft: Draft, audit: Audit) -> tuple[str, ...]:
    """What to think about before this release is published, in sentences without a full stop."""
    return (
        *_written(draft),
        *_in_two_units(draft),
        *_narrow(draft, audit.attack or {}),
        *_without_effect(draft),
    )


def _in_two_units(draft: Draft) -> Iterator[str]:
    """Columns whose numbers seem to be in two units: a range of them is true of the numbers, and not of the people."""
    people = getattr(draft.dataset, "people", draft.dataset)
    table = getattr(people, "table", None) if draft.dataset.in_memory else None
    for column in () if table is None else table.columns:
        if column.role in ("quasi", "sensitive", "plain"):
            units = mixed_units(column.name, column.values, times(column.codes, None, len(column.values)))
            if units is not None:
                yield f"column '{column.name}': {MIXED_UNITS.format(units=units)}"


def _written(draft: Draft) -> Iterator[str]:
    """Columns whose published cells are sentences: their owner wants them out, and may not have read all."""
    if not isinstance(draft.frame, pl.DataFrame):
        return
    for name, role in draft.manifest["columns"].items():
        if role not in ("quasi", "sensitive", "plain") or name not in draft.frame.columns:
            continue
        if are_sentences(text(draft.frame[name]).drop_nulls().unique().to_list()):
            yield (
                f"column '{name}' publishes sentences word for word; unless they were chosen from a list, they may "
                "tell anything about anybody: give it the role drop"
            )


def _narrow(draft: Draft, attack: Mapping[str, Any]) -> Iterator[str]:
    """A small k, and ends of ranges that somebody has: what narrow labels tell then."""
    if draft.dataset.shape != "table":
        return
    attackers = attack.get("attackers", ())
    played = [found for found in attackers if found["name"] == "lowest-labels"]
    if attackers and not played:
        return  # these labels do not say that their parts are inhabited
    figure = chances(played[0]) if played else _UNMEASURED
    if draft.claim.crowd < FEW and not (played and not played[0]["figures"]["labels"]):
        small = f"with k = {draft.claim.crowd}, below {FEW}," if draft.claim.crowd > 1 else "without a k"
        yield (
            f"{small} whoever knows that labels are as narrow as possible may learn more than which row is whose: "
            f"{figure}"
        )
    if exact := names_in_words(_exact(draft)):
        yield (
            f'with recode = "span" and no grid, every range of {exact} ends at values that somebody has: {figure}; set '
            "grid in [method] to round them"
        )


def _exact(draft: Draft) -> list[str]:
    """The columns whose ranges end at values that people have."""
    options = draft.method["parameters"]
    if options.get("recode") != "span":
        return []
    grid = options.get("grid")
    stepped = grid if isinstance(grid, Mapping) else {} if grid is None else None
    if stepped is None:
        return []
    hierarchies = getattr(draft.dataset, "hierarchies", {})
    return [
        f"'{name}'"
        for name, hierarchy in hierarchies.items()
        if hierarchy.public and numbers_of(hierarchy) is not None and stepped.get(name) is None
    ]


def _without_effect(draft: Draft) -> Iterator[str]:
    """Options that were given and change nothing."""
    if draft.method["parameters"].get("minimal") is False and isinstance(draft.claim, KAnonymity):
        yield UNCHANGED


PAGES = (
    Page("report.html", private=False, html=lambda audit: report_html(audit.report)),
    Page("audit.html", private=True, html=audit_html),
)
"""The pages of every release that people save."""


def auditors_of(
    target: str | None = None,
    population: int | None = None,
    undecided: Mapping[str, str] | None = None,
    control: float | None = None,
    seed: int | None = None,
) -> tuple[Auditor, ...]:
    """Who looks at every release that people save: what it is good for, what attackers find in it, how good it is."""
    return (
        lambda draft, audit: replace(audit, useful=measure_usefulness(draft, target)),
        partial(audit_exposure, control=control, seed=seed),
        lambda draft, audit: from_outside(audit, population),
        lambda draft, audit: replace(audit, telling=telling_of(draft)),
        lambda draft, audit: replace(audit, undecided=dict(undecided or {})),
        lambda draft, audit: replace(audit, warnings=warnings_of(draft, audit)),
        lambda draft, audit: replace(audit, floor=floor_of(draft)),
    )


def telling_of(draft: Draft) -> Sequence[ColumnTelling]:
    """What each plain and sensitive column beside the quasi-identifiers of a release tells beyond k, allowed or not."""
    data, release = draft.dataset, draft.result.release
    if isinstance(data, MixedData):
        data, release = data.people, release.table
    if not isinstance(data, TableData) or not data.in_memory:
        return ()
    columns = [column for column in data.table.columns if column.role in ("plain", "sensitive")]
    return measure_telling(data.table, data.leaves, release, draft.claim, columns)


def floor_of(draft: Draft) -> float | None:
    """The floor of the loss `ncp`; None where none is known, as for a stored rule, or records are too many."""
    method, dataset = METHODS.get(draft.method["name"]), draft.dataset
    if method is None or not dataset.in_memory or draft.claim.crowd < 2:
        return None
    seek = SHAPES[dataset.shape].data.floor
    return seek(dataset, [method], draft.claim, draft.method["parameters"], draft.result.release)


def check_population(dataset: Dataset, population: object) -> None:
    """Refuse a population that is no number, or of which the people of the data cannot be a part."""
    if population is None:
        return
    persons = getattr(getattr(dataset, "table", None), "persons", None)
    people = dataset.records if persons is None else len(np.unique(persons))
    if not isinstance(population, int) or isinstance(population, bool) or population < people:
        raise InputError(
            f"audit: the population is a whole number of people, and of at least the {people:,} in the data; give how "
            "many people the data were drawn from"
        )


def from_outside(audit: Audit, population: int | None) -> Audit:
    """The same audit with what a journalist achieves, who does not know who of a population is in the data.

    The chance is the expected one of Benedetti and Franconi, as if the data were drawn at random.
    """
    if population is None:
        return audit
    facts = audit.report.manifest
    before = audit.risk_before.get("records", facts["records_in"])
    after = audit.risk_after.get("records", facts["records_out"])
    exposed = [
        replace(
            one,
            before=_outside(one.before, before / population),
            after=_outside(one.after, after / population),
        )
        for one in audit.exposed
    ]
    return replace(audit, exposed=exposed, population=population)


def _outside(chances: Mapping[str, float], fraction: float) -> dict[str, float]:
    """The chances of one side, with that of a journalist: the fewest look-alikes give the highest one."""
    if not chances.get("highest") or not fraction:
        return dict(chances)
    least = round(1 / chances["highest"])
    return {**chances, "outside": float(individual_risk(least, min(fraction, 1.0)))}


class Release(Draft):
    """A judged release: look at it, report on it, save it through the door.

    `data` is the kind of frame that came in; `loss`, `claim` and `recoding` say what it costs, promises and does.
    `groups` holds, by the short name that rows of baskets have, the items of each group.
    """

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the public report, one offline file."""
        report = facts_of(self).report
        if as_proposed := list_as_proposed(self.dataset.undecided, self):
            report = replace(report, manifest={**report.manifest, "as_proposed": as_proposed})
        with in_one_piece(Path(path), private=False) as part:
            part.write_text(report_html(report), encoding="utf-8")

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        format: str | None = None,
        force: bool = False,
        rows: bool | None = None,
        groups: str = "file",
        target: str | None = None,
        population: int | None = None,
        control: float | None = None,
        seed: int | None = None,
        about: Mapping[str, str] | None = None,
        undecided: Mapping[str, str] | None = None,
        as_proposed: bool = False,
        pdf: bool = False,
        preset: str | None = None,
        audited: Callable[[Audit], None] | None = None,
        times: Callable[[], Mapping[str, float]] | None = None,
        progress: Progress = silent,
    ) -> Path:
        """Write `folder` and its private sibling: judged as written, or nothing is left.

        The format is csv by default, of record trees ndjson. The private folder keeps, as rows.parquet, which
        released row is which original record, unless `rows` is false or the records are too many to be held in memory:
        `shoal attack` and `shoal verify --against` need it.
        Of baskets, groups.json holds the items of each group once and rows hold its name; `groups` "inline" spells
        them out in every row.
        `target` names a column: the audit then tells how well models that learn from such a release predict it.
        `population` is how many people the records were drawn from: the audit then tells how likely somebody finds a
        person who does not know who of them is in the data.
        `control` is a share of the people, such as 0.3: a throw-away release is made without them, and the audit tells
        what attackers reach on those who are in it and on those who are not. `seed` draws the same ones again, for
        papers and tests only.
        `about` is what its owner tells of it (title, controller, purpose, recipient, contact, reason), which manifest
        and report repeat. `undecided` are columns about which nobody decided, and why, next to those of the proposal
        that the data were read with: such a release is saved only `as_proposed`, and then manifest, report and audit
        tell it.
        `pdf` prints report and audit too, by an installed Chromium or Chrome. `preset` names the rules of a law or an
        office, such as "hipaa-safe-harbor": a release that breaks one of them is not saved, and the report lists them
        all.
        `audited` is told the facts of the audit, `progress` what is done; `times` tells the audit how long steps took,
        by default those that made the release and those of saving it.
        """
        check_population(self.dataset, population)
        check_control("save", control)
        check_seed(seed)
        if (rows or target) and not self.dataset.in_memory:
            raise InputError(
                "save: rows and target need all records in memory, and these are too many; leave them out"
            )
        if groups not in GROUP_FORMS:
            raise InputError(f"save: groups is unknown; {offered(groups, GROUP_FORMS)}")
        require_decided(undecided or {}, as_proposed)
        require_decided(self.dataset.undecided, as_proposed, proposal=True)
        open_questions = {**self.dataset.undecided, **(undecided or {})}
        clock = Timed(progress)
        made = self if groups == "file" else self.spelled_out()
        clock("looking at other choices")
        _ = made.front
        return publish(
            made,
            Path(folder),
            facts=facts_of,
            auditors=auditors_of(target, population, open_questions, control, seed),
            pages=PAGES,
            format=format,
            force=force,
            rows=self.dataset.in_memory if rows is None else rows,
            about=about,
            pdf=pdf,
            preset=preset,
            undecided=open_questions,
            audited=audited,
            times=times or (lambda: {**self.spent, **clock.seconds()}),
            progress=clock,
        )

    def spelled_out(self) -> "Release":
        """The same release, with the items of every group in each row in place of the group's name."""
        result = self.dataset.spelled_out(self.result)
        return replace(self, result=result, frame=self.dataset.assemble(result.release))

    def useful(self, target: str | None = None) -> Usefulness:
        """What the release is good for, measured beside the originals: private, as in the audit.

        With a `target`, a published column, models are trained to predict it; by default the method's own, if any.

        Raises
        ------
        ShoalError
            No model can be trained for this column, or scikit-learn is not installed.
        """
        return measure_usefulness(self, target)

    def preview(self, rows: int = ROWS) -> Preview:
        """Some records before and after, and what each column loses: private, for it shows originals.

        Raises
        ------
        InputError
            The records are too many to be held in memory.
        """
        if not self.dataset.in_memory:
            raise InputError("preview: the records are too many to be held in memory; look at a part of them")
        return preview(self, rows=rows)

    def facts(self) -> dict[str, object]:
        """What may be shown: what the release promises and what it costs."""
        told: dict[str, Any] = self.manifest
        counts = {name: told[name] for name in ("records_in", "records_out", "suppressed", "classes")}
        claim = self.claim.headline(*(_of_role(told["columns"], role) for role in ("quasi", "sensitive")))
        losses = ", ".join(f"{name} {value:.4g}" for name, value in self.loss.items())
        return {
            "shape": told["shape"],
            **counts,
            "claim": claim,
            "method": told["method"]["name"],
            "loss": losses,
        }

    def __repr__(self) -> str:
        facts: dict[str, Any] = self.manifest
        kept, left_out = facts["records_out"], facts["suppressed"]
        return f"<Release of {kept} records in {facts['classes']} classes, {left_out} suppressed: {self.claim!r}>"


def _of_role(columns: Mapping[str, str], role: str) -> list[str]:
    return [name for name, given in columns.items() if given == role]


# --- the front that a release is picked from: every k of a table, every bound of a table with baskets

_PRICED = ("loss", "target")
_MOST_CELLS = 20_000_000  # records times points of a front that are made only to tell what they lose


@dataclass(frozen=True, repr=False)
class _Points(Discreet):
    """What fronts have in common: `table()` reads their points, `pick` of each kind releases one.

    `spent` is how many seconds each step of tracing it took, for the audit of its releases.
    """

    dataset: Any
    result: Any
    method: dict[str, Any]
    spent: Mapping[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return plain JSON data, as `shoal pareto --json` prints it."""
        found: dict[str, Any] = self.result.as_dict()
        return found

    def table(self) -> Any:
        """One row per point, in the kind of frame that came in."""
        points = self.as_dict()["front"]
        rows = [{**point.pop("levels", {}), **point} for point in points]  # a column named k must not hide k
        return self.dataset.source.like(pl.DataFrame(rows))

    def _described(self, **own: Any) -> dict[str, Any]:
        """The method, with the number by which a point is picked."""
        return {**self.method, "parameters": {**self.method["parameters"], **own}}

    def _released(
        self,
        make: Callable[[], Result[Any]],
        seed: int | None,
        allow_empty: bool,
        remake: Callable[[Any], Result[Any]] | None = None,
        **own: Any,
    ) -> Release:
        """The release that a point makes."""
        clock = Timed(silent)
        clock("judging")
        told: dict[str, Any] = {"look": partial(_choices, self), "remake": remake, "allow_empty": allow_empty}
        made = draft(self.dataset, make(), method=self._described(**own), seed=seed, kind=Release, **told)
        return replace(made, spent={**self.spent, **clock.seconds()})


@dataclass(frozen=True, repr=False)
class Front(_Points):
    """The least loss for every k: `table()` to read it, `plot()` to see it, `pick(k=...)` to release a point."""

    dataset: TableData
    result: "FrontResult"

    def facts(self) -> dict[str, object]:
        """What may be shown: how many points there are, from which k to which, at which loss."""
        points = self.as_dict()["front"]
        return {"points": len(points), **_ends(points, "k"), **_ends(points, "loss"), "found": self.said()}

    def _repr_html_(self) -> str:
        points = [(math.log(point["k"]), point["loss"]) for point in self.as_dict()["front"]]
        return html_table("The least loss for every k", self.facts(), _drawn(points, "k", "loss"))

    def plot(self, picked: float | None = None) -> Any:
        """Draw the front; `picked` marks the point for that k."""
        from shoal.report.figures import as_plotly, front

        return as_plotly(front(self.as_dict()["front"], None if picked is None else _whole(picked)))

    @property
    def usual(self) -> int | None:
        """The place of the point to take where none is named: there is none, for k is promised."""
        return None

    def shown(self) -> tuple[str, list[str], list[list[object]]]:
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
        return f"The least loss ({loss}) for every k", head, rows

    def _headlines(self) -> list[float] | None:
        """What each point loses as releases tell it; None where making them all takes long."""
        points = self.result.points
        if len(points) * self.dataset.table.n > _MOST_CELLS:
            return None
        weights = {column.name: column.weight for column in self.dataset.table.quasi}
        made = [self.result.release(point, point.k) for point in points]
        return [ncp(one.release, self.dataset.hierarchies, weights) for one in made]

    def said(self) -> str:
        """How much of the lattice was looked at, and what is proven, in one sentence."""
        found = self.result
        looked = f"{found.evaluated:,} of {found.lattice:,} nodes evaluated"
        if found.complete:
            return f"{looked}; the front is complete and proven"
        return f"{looked}; proven for k >= {found.proven_from:,}, below that the best found so far"

    def pick(self, k: float, *, seed: int | None = None, allow_empty: bool = False) -> Release:
        """Release the cheapest point that reaches `k`.

        Raises
        ------
        InfeasibleError
            No point reaches `k`; or nothing is told of nearly anybody, and `allow_empty` is not given.
        """
        k = _whole(k)
        promised(KAnonymity(k))
        make = partial(self.result.release, self.result.pick(k), k)
        return self._released(make, seed, allow_empty, partial(self._remade, k), k=k)

    def _made_at(self, place: int) -> tuple[Result[Any], dict[str, Any]]:
        """The release of a point, not judged, and the k by which it is picked."""
        point = self.result.points[place]
        return self.result.release(point, point.k), {"k": point.k}

    def _remade(self, k: int, dataset: TableData) -> Result[Recoded]:
        """The cheapest release of fewer records, of whom nobody is left out: what the front of them would pick."""
        from shoal.algorithms.lattice.optimal import optimal

        priced = {key: self.method["parameters"][key] for key in _PRICED if key in self.method["parameters"]}
        known = {key: dataset.inputs[key] for key in ("table", "hierarchies")}
        return optimal(**known, claim=KAnonymity(k), **priced)


@dataclass(frozen=True, repr=False)
class MixedFront(_Points):
    """What table and items lose: `table()` to read it, `plot()` to see it, `pick(delta=...)` to release a point."""

    dataset: MixedData
    result: "TradeoffFront"

    def facts(self) -> dict[str, object]:
        """What may be shown: how many points there are, and between which losses."""
        points = self.as_dict()["front"]
        ends = [_ends(points, name) for name in ("ncp", "ul") if points and name in points[0]]
        return {"points": len(points), **{name: said for end in ends for name, said in end.items()}}

    def _repr_html_(self) -> str:
        points = [(point.ncp, point.ul) for point in self.result.points]
        drawn = _drawn(points, "what the table loses", "what the items lose")
        return html_table("What the table and what the items lose", self.facts(), drawn)

    def plot(self, picked: float | None = None) -> Any:
        """Draw the trade-off; `picked` marks the point for that delta."""
        from shoal.report.figures import as_plotly
        from shoal.report.parts import tradeoff_figure

        point = None if picked is None else self.result.pick(_share(picked))
        released = None if point is None else (point.ncp, point.ul)
        return as_plotly(tradeoff_figure(self.as_dict()["front"], released))

    @property
    def usual(self) -> int | None:
        """The place of the point to take where no delta is named: the knee; None without points."""
        from shoal.algorithms.mixed.bound import knee

        points = self.result.points
        return points.index(knee(points)) if points else None

    def shown(self) -> tuple[str, list[str], list[list[object]]]:
        """The points as a table for people: its title, its head, its rows."""
        rows: list[list[object]] = [[p.table, p.ul, p.classes, p.merges] for p in self.result.points]
        return (
            "What the table and what the items lose",
            [f"table ({self.result.made.loss})", "items (ul)", "classes", "merges"],
            rows,
        )

    def said(self) -> str:
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
        point = self.result.pick(_share(delta))
        return self._released(partial(self.result.release, point), seed, allow_empty, delta=delta)

    def _made_at(self, place: int) -> tuple[Result[Any], dict[str, Any]]:
        """The release of a point, not judged, and the delta by which it is picked."""
        return self.result.release(self.result.points[place]), {"delta": self.delta(place)}


def _choices(front: _Points) -> Choices:
    return front.as_dict(), {}


def _whole(k: float) -> int:
    if not is_number(k) or k != int(k):
        raise InputError(f"pick: k={k}; give a whole number")
    return int(k)


def _share(delta: float) -> float:
    if not is_number(delta) or not 0 <= delta <= 1:
        raise InputError(f"pick: delta={delta}; give a loss from 0 to 1")
    return delta


def _ends(points: list[dict[str, Any]], name: str) -> dict[str, object]:
    """The smallest and the largest number of that name."""
    numbers = [point[name] for point in points]
    return {name: f"{min(numbers):.4g} to {max(numbers):.4g}"} if numbers else {}


def _drawn(points: list[tuple[float, float]], across: str, up: str) -> str:
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


# Look at the points of a front, without releasing any.


def previews(
    front: Front | MixedFront,
    *,
    most: int = 60,
    seconds: float = 2.0,
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
        found[place] = _at(front, place)
    return dict(sorted(found.items()))


def _at(front: Front | MixedFront, place: int) -> Preview:
    """A point as it would be released."""
    made, own = front._made_at(place)
    case: Case = front.dataset.case(made, front.method)
    dataset, result = front.dataset.without_traces(made)
    loss, method = headline_of(case), front._described(**own)
    return preview_of(dataset, result, method, loss, result.claim.as_dict())


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
