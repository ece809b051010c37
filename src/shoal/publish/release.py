"""What the user holds: a judged release, and the front it was picked from."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from shoal.algorithms import METHODS
from shoal.errors import InputError
from shoal.hierarchy.labels import numbers_of
from shoal.io.formats import GROUP_FORMS
from shoal.naming import offered
from shoal.privacy import KAnonymity
from shoal.progress import Progress, Timed, silent
from shoal.publish.assess.attack import audit_exposure
from shoal.publish.assess.preview import ROWS, Preview, preview
from shoal.publish.assess.usefulness import Usefulness, measure_usefulness
from shoal.publish.disclosure import check_population, from_outside
from shoal.publish.door import Auditor, Page, publish
from shoal.publish.draft import Draft
from shoal.publish.options import check_control, check_seed
from shoal.publish.shapes.base import SHAPES
from shoal.report.attack import chances
from shoal.report.facts import Audit
from shoal.report.pages import audit_html, report_html
from shoal.report.words import names_in_words
from shoal.stopping import in_one_piece

__all__ = ["PAGES", "UNCHANGED", "Release", "auditors_of", "warnings_of"]

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
    return (*_narrow(draft, audit.attack or {}), *_without_effect(draft))


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
        yield (
            f"k is {draft.claim.crowd}, below {FEW}: whoever knows that labels are as narrow as possible learns more "
            f"than k suggests: {figure}"
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
        lambda draft, audit: replace(audit, undecided=dict(undecided or {})),
        lambda draft, audit: replace(audit, warnings=warnings_of(draft, audit)),
        lambda draft, audit: replace(audit, floor=_floor_of(draft)),
    )


def _floor_of(draft: Draft) -> float | None:
    """The floor of the loss `ncp`; None where none is known, as for a stored rule, or records are too many."""
    method, dataset = METHODS.get(draft.method["name"]), draft.dataset
    if method is None or not dataset.in_memory or draft.claim.crowd < 2:
        return None
    seek = SHAPES[dataset.shape].data.floor
    return seek(dataset, [method], draft.claim, draft.method["parameters"], draft.result.release)


class Release(Draft):
    """A judged release: look at it, report on it, save it through the door.

    `data` is the kind of frame that came in; `loss`, `claim` and `recoding` say what it costs, promises and does.
    `groups` holds, by the short name that rows of baskets have, the items of each group.
    """

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the public report, one offline file."""
        with in_one_piece(Path(path), private=False) as part:
            part.write_text(report_html(self.dataset.audit(self).report), encoding="utf-8")

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
        and report repeat; `undecided` are columns whose role nobody settled, and why, which the audit tells. `pdf`
        prints report and audit too, by an installed Chromium or Chrome. `preset` names the rules of a law or an office,
        such as "hipaa-safe-harbor": a release that breaks one of them is not saved, and the report lists them all.
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
        clock = Timed(progress)
        made = self if groups == "file" else self.spelled_out()
        clock("looking at other choices")
        _ = made.front
        return publish(
            made,
            Path(folder),
            auditors=auditors_of(target, population, undecided, control, seed),
            pages=PAGES,
            format=format,
            force=force,
            rows=self.dataset.in_memory if rows is None else rows,
            about=about,
            pdf=pdf,
            preset=preset,
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
