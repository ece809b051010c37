"""The only door: two folders, written aside, read back, judged as written, then renamed into place."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from shoal.algorithms import METHODS
from shoal.algorithms.knobs import knobs
from shoal.errors import InputError, RefusedError
from shoal.io.formats import ABOUT
from shoal.io.pdf import browser, print_page
from shoal.io.write.folders import stage_release
from shoal.io.write.table import write_text
from shoal.naming import offered
from shoal.progress import Progress, silent
from shoal.publish.data_files import data_file, odd_data, outline, read_data, write_data
from shoal.publish.draft import Draft, refuse_unless
from shoal.publish.large.baskets import LargeBaskets, LargeBasketWriting
from shoal.publish.large.fragments import FragmentedBaskets, FragmentWriting
from shoal.publish.large.opening import LARGE
from shoal.publish.large.table import LargeTable
from shoal.publish.large.table_writing import LargeTableWriting
from shoal.publish.large.trees import LargeTrees, LargeTreeWriting
from shoal.publish.manifests import PAGES, digests
from shoal.publish.rows import ROWS, names_of, write_rows
from shoal.publish.shapes.base import SHAPES
from shoal.report.facts import Audit

__all__ = ["Auditor", "Page", "Writing", "publish"]

# A release on its way through the door: written at once, read back and judged as written.


@dataclass(frozen=True, slots=True)
class Writing:
    """What the door asks of a release that is in memory."""

    draft: Draft
    public: Path
    format: str

    def write(self) -> None:
        """Write the data."""
        write_data(self.draft.frame, self.public, self.format, self.draft.manifest["columns"])

    def audit(self) -> Audit:
        """The facts of the report and the audit."""
        return self.draft.dataset.audit(self.draft)

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        return self.draft.manifest

    def judge(self) -> None:
        """Judge the claim and the truth of the file itself, not of what was in memory.

        Raises
        ------
        RefusedError
            It reads back as something else, does not keep the claim, or does not tell the truth.
        """
        files = SHAPES[self.draft.dataset.shape].files
        frame = read_data(self.public, files, self.draft.manifest["columns"])
        if outline(frame) != outline(self.draft.frame):
            raise RefusedError(
                "refused: the data reads back with other columns or records; nothing was written"
            )
        odd = odd_data(self.public, files, self.draft.manifest["columns"], frame)
        if odd is not None:
            raise RefusedError(f"refused: {odd}; nothing was written; please report this as a bug")
        refuse_unless(self.draft.judge(frame), self.draft.truth(frame), self.draft.together(frame))


# The only door: two folders, written aside, read back, judged as written, then renamed into place.

Auditor = Callable[[Draft, Audit], Audit]
"""What looks at a release beside its originals, and adds what it finds to the private audit."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page about a release: the name of its file, who may read it, and how it is written."""

    name: str
    private: bool
    html: Callable[[Audit], str]


def publish(
    draft: Draft,
    folder: Path,
    *,
    auditors: Sequence[Auditor] = (),
    pages: Sequence[Page] = (),
    format: str | None = None,
    force: bool = False,
    rows: bool = False,
    about: Mapping[str, str] | None = None,
    pdf: bool = False,
    audited: Callable[[Audit], None] | None = None,
    times: Callable[[], Mapping[str, float]] = dict,
    progress: Progress = silent,
) -> Path:
    """Write `folder` and `folder`.private, or nothing at all; by default in the usual format of the data's shape.

    `auditors` add to the audit, one after the other, and `pages` tell of it: the door itself knows none of them, for
    no page and no measure can make a release any safer.
    `rows` keeps in the private folder which released row is which original record; `about` is what the owner tells of
    the release, by the keys of `ABOUT`. `pdf` prints the pages as well. `audited` is told the facts of the audit once
    all is in its place. `progress` hears what is done; none of it can tell its share. `times` tells how long each step
    took, for the audit.

    Raises
    ------
    RefusedError
        What was written, read back, does not keep its claim or does not tell the truth.
    """
    told = {"date": date.today().isoformat(), **_about(about or {})}
    if pdf:
        browser()
    if isinstance(draft.dataset, LARGE) and rows:
        raise InputError("save: rows need all records in memory, and these are too many; leave them out")
    with stage_release(folder, force=force) as (public, private):
        files = SHAPES[draft.dataset.shape].files
        writing = _writing(draft, public, private, format or next(iter(files)))
        progress("writing the data")
        writing.write()
        progress("measuring what the data are good for")
        found = writing.audit()
        data = data_file(public, files)
        manifest = {**writing.manifest(), **told, "sha256": digests(public, data)}
        report = replace(found.report, manifest=manifest, settings=_settings(draft))
        audit = replace(found, report=report, rows=ROWS if rows else None, columns=draft.losses_by_column)
        for auditor in auditors:
            audit = auditor(draft, audit)
        audit = replace(audit, times=times())
        if pages:
            progress("writing the report")
        for page in pages:
            place = (private if page.private else public) / page.name
            write_text(place, page.html(audit))
            if pdf:
                progress("printing the report")
                print_page(place, place.with_suffix(".pdf"))
        manifest["sha256"] = digests(public, data, *PAGES)  # no report can tell its own
        _write_json(public / "manifest.json", manifest)
        _write_json(private / "audit.json", audit.as_dict())
        _write_json(private / "recoding.json", draft.recoding)
        if rows:
            write_rows(private / ROWS, draft.rows, names_of(draft.dataset))
        for path in private.iterdir():  # whoever copies a file elsewhere shall not open it to everybody
            path.chmod(0o600)
        progress("judging what was written")
        writing.judge()
        if json.loads((public / "manifest.json").read_text(encoding="utf-8")) != manifest:
            raise RefusedError("refused: the manifest reads back differently; nothing was written")
    if audited is not None:
        audited(audit)
    return folder


def _settings(draft: Draft) -> dict[str, str]:
    """What the parameters of the method mean; a stored rule has none of its own."""
    name = draft.method["name"]
    return {knob.name: knob.about for knob in knobs(name)} if name in METHODS else {}


def _about(told: Mapping[str, str]) -> dict[str, str]:
    """What the owner tells of a release, checked before any work, in one order."""
    for key, text in told.items():
        if key not in ABOUT or not isinstance(text, str):
            raise InputError(f"about: '{key}' is no text about a release; {offered(key, ABOUT)}")
    return {key: told[key] for key in ABOUT if told.get(key)}


_IN_PARTS: dict[type, Callable[[Draft, Path, Path], Any]] = {
    LargeBaskets: LargeBasketWriting,
    FragmentedBaskets: FragmentWriting,
    LargeTrees: LargeTreeWriting,
}
"""How records in parts are written and judged where they lie."""


def _writing(draft: Draft, public: Path, private: Path, format: str) -> Any:
    """How this release is written and judged: at once, or where it lies."""
    data, stage = draft.dataset, private.with_name("stage")
    if not isinstance(data, LARGE):
        return Writing(draft, public, format)
    place = public / SHAPES[data.shape].files[format]
    if isinstance(data, LargeTable):
        return LargeTableWriting(draft, place, stage, format)
    return _IN_PARTS[type(data)](draft, place, stage)


def _write_json(path: Path, facts: dict[str, Any]) -> None:
    write_text(path, json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
