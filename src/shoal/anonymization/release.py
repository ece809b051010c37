"""What the user holds: a judged release, and the front it was picked from."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from shoal.anonymization.choices import Alternatives
from shoal.assess.auditors import PAGES, auditors_of, check_population
from shoal.assess.facts import facts_of
from shoal.assess.preview import ROWS, Preview, preview
from shoal.assess.usefulness import Usefulness, measure_usefulness
from shoal.base.arguments import check_control, check_seed
from shoal.base.errors import InputError
from shoal.base.naming import suggest_name
from shoal.base.progress import Progress, StepTimer, no_progress
from shoal.base.stopping import atomic_write
from shoal.io.formats import GROUP_FORMS
from shoal.publish.door import publish
from shoal.publish.draft import Choices, Draft
from shoal.publish.undecided import list_as_proposed, require_decided
from shoal.report.facts import Audit
from shoal.report.pages import report_html

__all__ = ["Release"]


@dataclass(frozen=True, repr=False)
class Release(Draft):
    """A judged release: look at it, report on it, save it through the door.

    `data` is the kind of frame that came in; `loss`, `claim` and `recoding` say what it costs, promises and does.
    `groups` holds, by the short name that rows of baskets have, the items of each group.
    `alternatives` can find out what other choices would cost; None where nobody shall, or where it is known.
    """

    alternatives: Alternatives | None = None

    @cached_property
    def other_choices(self) -> Choices:
        """What other choices would cost, found out once."""
        return self.choices if self.alternatives is None else self.alternatives.look()

    @property
    def front(self) -> Mapping[str, Any] | None:
        """What every other k would cost; None where nobody traced that."""
        return self.other_choices.front

    @property
    def others(self) -> Mapping[str, float]:
        """Methods that would lose far less, each with its headline loss."""
        return self.other_choices.others

    @property
    def overlapping(self) -> tuple[str, ...]:
        """The columns of a table with groups that overlap: people cannot be counted by them."""
        return self.other_choices.overlapping

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the public report, one offline file."""
        report = facts_of(self).report
        if as_proposed := list_as_proposed(self.dataset.undecided, self):
            report = replace(report, manifest={**report.manifest, "as_proposed": as_proposed})
        with atomic_write(Path(path), private=False) as part:
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
        progress: Progress = no_progress,
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
            raise InputError(f"save: groups is unknown; {suggest_name(groups, GROUP_FORMS)}")
        require_decided(undecided or {}, as_proposed)
        require_decided(self.dataset.undecided, as_proposed, proposal=True)
        open_questions = {**self.dataset.undecided, **(undecided or {})}
        clock = StepTimer(progress)
        release = self if groups == "file" else self.spell_groups_out()
        clock("looking at other choices")
        return publish(
            replace(release, choices=self.other_choices),
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

    def spell_groups_out(self) -> "Release":
        """The same release, with the items of every group in each row in place of the group's name."""
        result = self.dataset.spell_groups_out(self.result)
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
        manifest: dict[str, Any] = self.manifest
        counts = {name: manifest[name] for name in ("records_in", "records_out", "suppressed", "classes")}
        claim = self.claim.headline(
            *(_columns_with_role(manifest["columns"], role) for role in ("quasi", "sensitive"))
        )
        losses = ", ".join(f"{name} {value:.4g}" for name, value in self.loss.items())
        return {
            "shape": manifest["shape"],
            **counts,
            "claim": claim,
            "method": manifest["method"]["name"],
            "loss": losses,
        }

    def __repr__(self) -> str:
        facts: dict[str, Any] = self.manifest
        records, left_out = facts["records_out"], facts["suppressed"]
        return f"<Release of {records} records in {facts['classes']} classes, {left_out} suppressed: {self.claim!r}>"


def _columns_with_role(columns: Mapping[str, str], role: str) -> list[str]:
    return [name for name, column_role in columns.items() if column_role == role]
