"""What the user holds: a judged release, and the front it was picked from."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, cast, overload

import polars as pl

from shoal.anonymization.choices import Alternatives
from shoal.assess.auditors import PAGES, auditors_of, check_population
from shoal.assess.facts import facts_of
from shoal.assess.preview import ROWS, Preview, preview
from shoal.assess.usefulness import Usefulness, measure_usefulness
from shoal.base.arguments import check_control, check_seed
from shoal.base.errors import InputError
from shoal.base.former_names import FormerName
from shoal.base.naming import suggest_name
from shoal.base.progress import Progress, StepTimer, no_progress
from shoal.base.stopping import atomic_write
from shoal.io.formats import GROUP_FORMS
from shoal.io.read.source import as_pandas
from shoal.publish.door import publish, publish_file
from shoal.publish.draft import Choices, Draft
from shoal.publish.undecided import list_as_proposed, require_decided
from shoal.report.facts import Audit
from shoal.report.pages import report_html

__all__ = ["Release"]

_WORDS_FOR_DATA = ("df", "dataframe", "values", "table", "result")
"""What people call the frame of a release."""


@dataclass(frozen=True, repr=False)
class Release(Draft):
    """A judged release: look at it, report on it, save it through the door.

    `data` is the kind of frame that came in; `to_pandas()` and `to_polars()` give the same as these. `len`, `columns`,
    `shape`, `head()` and `release["age"]` are those of the frame. `loss`, `claim` and `recoding` say what it costs,
    promises and does. `save` writes the data with their evidence, `to_csv` and `to_parquet` the data alone.
    `groups` holds, by the short name that rows of baskets have, the items of each group.
    `alternatives` can find out what other choices would cost; None where nobody shall, or where it is known.
    """

    alternatives: Alternatives | None = None

    @cached_property
    def other_choices(self) -> Choices:
        """What other choices would cost, found out once."""
        return self.choices if self.alternatives is None else self.alternatives.find_choices()

    @property
    def front(self) -> Mapping[str, Any] | None:
        """What every other k would cost; None where nobody traced that."""
        return self.other_choices.front

    @property
    def cheaper_methods(self) -> Mapping[str, float]:
        """Methods that would lose far less, each with its headline loss."""
        return self.other_choices.others

    @property
    def overlapping(self) -> tuple[str, ...]:
        """The columns of a table with groups that overlap: people cannot be counted by them."""
        return self.other_choices.overlapping

    @property
    def columns(self) -> list[str]:
        """The names of the released columns."""
        return self.to_polars().columns

    @property
    def shape(self) -> tuple[int, int]:
        """How many records and columns are released."""
        return self.to_polars().shape

    def __len__(self) -> int:
        """How many records are released."""
        return int(self.manifest["records_out"])

    def __bool__(self) -> bool:
        """Always true: a release of no records is a release, too."""
        return True

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The released records, each as a dict by column."""
        return self.to_polars().iter_rows(named=True)

    def __contains__(self, name: object) -> bool:
        """Whether a column is released."""
        return name in self.columns

    def __getitem__(self, name: str | Sequence[str]) -> Any:
        """One released column, or several, in the kind of frame that came in."""
        names = [name] if isinstance(name, str) else name
        if not isinstance(names, list | tuple) or not all(isinstance(column, str) for column in names):
            raise InputError(
                "release: rows are not picked here; give names of columns, or write release.data for the frame"
            )
        for column in names:
            if column not in self.columns:
                raise InputError(
                    f"release: no column '{column}' is released; {suggest_name(column, self.columns)}"
                )
        frame = self.data if hasattr(self.data, "__getitem__") else self.to_polars()
        if isinstance(name, str):
            return frame[name]
        return frame.select(list(names)) if hasattr(frame, "select") else frame[list(names)]

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        """The released records for whatever reads Arrow's interface: polars, pyarrow, duckdb."""
        return self.to_polars().__arrow_c_stream__(requested_schema)

    if not TYPE_CHECKING:  # for a type checker every name would be there

        def __getattr__(self, name: str) -> Any:
            """Say where the frame is whose method or attribute somebody looks for."""
            sentence = f"'{type(self).__name__}' object has no attribute '{name}'"
            if not name.startswith("_") and (name in _WORDS_FOR_DATA or hasattr(pl.DataFrame, name)):
                suffix = "" if name in _WORDS_FOR_DATA else f".{name}"
                sentence += f"; release.data is the frame: write release.data{suffix}"
            elif not name.startswith("_"):
                sentence += "; release.data, release.to_pandas() and release.to_polars() are frames"
            raise AttributeError(sentence)

    def head(self, n: int = 5) -> Any:
        """The first records, in the kind of frame that came in; their order tells nothing."""
        return self.data.head(n) if hasattr(self.data, "head") else self.data.slice(0, n)

    def to_polars(self) -> pl.DataFrame:
        """The released records as a frame of polars; of record trees one column of JSON text, `nodes`."""
        frame = self.frame if isinstance(self.frame, pl.DataFrame) else self.data
        return cast(pl.DataFrame, frame)

    def to_pandas(self) -> Any:
        """The released records as a frame of pandas.

        Raises
        ------
        ShoalError
            pandas is not installed.
        """
        if getattr(self.dataset.source, "kind", "") == "pandas":
            return self.data
        if find_spec("pandas") is None:
            raise InputError("to_pandas: pandas is not installed; install it, or write release.to_polars()")
        return as_pandas(self.to_polars())

    @overload
    def to_csv(
        self, path: None = None, *, index: bool = False, force: bool = False, as_proposed: bool = False
    ) -> str: ...

    @overload
    def to_csv(
        self,
        path: str | os.PathLike[str],
        *,
        index: bool = False,
        force: bool = False,
        as_proposed: bool = False,
    ) -> Path: ...

    def to_csv(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        index: bool = False,
        force: bool = False,
        as_proposed: bool = False,
    ) -> Path | str:
        """Write the data alone as a csv file, judged as written, or return its text where no path is given.

        It is the data.csv of `save`, with the items of groups spelled out; manifest, report and audit are written by
        `save` alone. A file that is there already is replaced only with `force`: it may hold the originals.
        `as_proposed` is as for `save`.
        """
        if index:
            raise InputError("to_csv: a release has no index, for its rows are shuffled; leave index out")
        if path is not None:
            return self._write_file("csv", path, force, as_proposed)
        with TemporaryDirectory() as folder:
            return self._write_file("csv", Path(folder) / "data.csv", False, as_proposed).read_text("utf-8")

    def to_parquet(
        self, path: str | os.PathLike[str], *, force: bool = False, as_proposed: bool = False
    ) -> Path:
        """Write the data alone as a parquet file, judged as written, as `to_csv` does."""
        return self._write_file("parquet", path, force, as_proposed)

    def _write_file(self, format: str, path: str | os.PathLike[str], force: bool, as_proposed: bool) -> Path:
        require_decided(self.dataset.undecided, as_proposed or self.dataset.as_proposed, proposal=True)
        return publish_file(self.spell_groups_out(), Path(path), format, force=force)

    @overload
    def report(self, path: None = None) -> str: ...

    @overload
    def report(self, path: str | os.PathLike[str]) -> None: ...

    def report(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write the public report, one offline file, or return its HTML where no path is given."""
        report = facts_of(self).report
        if as_proposed := list_as_proposed(self.dataset.undecided, self):
            report = replace(report, manifest={**report.manifest, "as_proposed": as_proposed})
        if path is None:
            return report_html(report)
        with atomic_write(Path(path), private=False) as part:
            part.write_text(report_html(report), encoding="utf-8")
        return None

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
        require_decided(self.dataset.undecided, as_proposed or self.dataset.as_proposed, proposal=True)
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
            times=times or (lambda: {**self.step_seconds, **clock.seconds()}),
            progress=clock,
        )

    def spell_groups_out(self) -> "Release":
        """The same release, with the items of every group in each row in place of the group's name."""
        result = self.dataset.spell_groups_out(self.result)
        return replace(self, result=result, frame=self.dataset.assemble(result.release))

    def measure_usefulness(self, target: str | None = None) -> Usefulness:
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

    useful = FormerName("measure_usefulness")
    others = FormerName("cheaper_methods")

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
