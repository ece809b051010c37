"""The only door: two folders, written aside, read back, judged as written, then renamed into place."""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from shoal.algorithms import METHODS
from shoal.algorithms.knobs import knobs
from shoal.base.errors import InputError, RefusedError
from shoal.base.naming import suggest_name
from shoal.base.progress import Progress, no_progress
from shoal.io.codebooks import codebooks_of
from shoal.io.formats import ABOUT, GROUPS
from shoal.io.pdf import find_browser, print_page
from shoal.io.write.folders import make_hidden_folder, refuse_existing, stage_release
from shoal.io.write.groups import read_groups, write_groups
from shoal.io.write.table import write_text
from shoal.privacy.presets import find_preset
from shoal.publish.draft import Draft
from shoal.publish.files import data_file, read_data
from shoal.publish.manifests import PAGES, digests
from shoal.publish.preset import refuse_broken
from shoal.publish.row_map import ROWS, person_names_of, write_rows
from shoal.publish.undecided import list_as_proposed
from shoal.publish.verify import verify
from shoal.publish.writing import open_writing
from shoal.report.facts import Audit
from shoal.shapes.registry import SHAPES

__all__ = ["Auditor", "Page", "publish", "publish_file"]

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
    facts: Callable[[Draft], Audit],
    auditors: Sequence[Auditor] = (),
    pages: Sequence[Page] = (),
    format: str | None = None,
    force: bool = False,
    rows: bool = False,
    about: Mapping[str, str] | None = None,
    pdf: bool = False,
    preset: str | None = None,
    undecided: Mapping[str, str] | None = None,
    audited: Callable[[Audit], None] | None = None,
    times: Callable[[], Mapping[str, float]] = dict,
    progress: Progress = no_progress,
) -> Path:
    """Write `folder` and `folder`.private, or nothing at all; by default in the usual format of the data.

    `facts` finds what report and audit tell, `auditors` add to it, one after the other, and `pages` tell of it: the
    door itself knows none of them, for no page and no measure can make a release any safer.
    `rows` keeps in the private folder which released row is which original record; `about` is what the owner tells of
    the release, by the keys of `ABOUT`.
    `preset` names rules that it must keep beside its claim. `undecided` is what nobody decided about, which the
    manifest lists as far as it is released. `pdf` prints the pages as well. `audited` is told
    the facts of the audit once
    all is in its place. `progress` hears what is done; none of it can tell its share. `times` tells how long each step
    took, for the audit.

    Raises
    ------
    RefusedError
        What was written, read back, does not keep its claim or does not tell the truth.
    InfeasibleError
        It breaks a rule of its preset.
    """
    statements = {"date": date.today().isoformat(), **_check_about(about or {})}
    if preset is not None:
        find_preset(preset)
        if "pseudonym" in draft.manifest["columns"].values():
            raise InputError(
                "save: a pseudonym links rows of a person, which the rules of presets do not count or do not allow; "
                "make it an identifier, or leave the preset out"
            )
        if not draft.dataset.in_memory:
            raise InputError(
                "save: the rules of a preset are judged in memory, and these records are too many"
            )
    if pdf:
        find_browser()
    if rows and not draft.dataset.in_memory:
        raise InputError("save: rows need all records in memory, and these are too many; leave them out")
    with stage_release(folder, force=force) as (public, private):
        files = SHAPES[draft.dataset.shape].files
        stage = private.with_name("stage")
        writer = open_writing(draft, public, stage, files, format)
        progress("writing the data")
        writer.write()
        write_groups(public, draft.groups)
        progress("measuring what the data are good for")
        audit_so_far = writer.complete(facts(draft))
        data = data_file(public, files)
        manifest = {**writer.manifest(), **statements, "sha256": digests(public, data, GROUPS)}
        if as_proposed := list_as_proposed(undecided or {}, draft):
            manifest["as_proposed"] = as_proposed
        if preset is not None:
            progress("judging the rules of the preset")
            released = read_data(public, files, manifest["columns"], codebooks_of(manifest))
            manifest["preset"] = refuse_broken(preset, released, manifest, draft.groups)
        report = replace(
            audit_so_far.report,
            manifest=manifest,
            settings=_describe_parameters(draft),
            otherwise=_list_coarsened(draft),
            full_knowledge=draft.full_knowledge,
        )
        audit = replace(
            audit_so_far, report=report, rows=ROWS if rows else None, columns=draft.losses_by_column
        )
        for auditor in auditors:
            audit = auditor(draft, audit)
        audit = replace(audit, times=times())
        if pages:
            progress("writing the report")
        for page in pages:
            page_path = (private if page.private else public) / page.name
            write_text(page_path, page.html(audit))
            if pdf:
                progress("printing the report")
                print_page(page_path, page_path.with_suffix(".pdf"))
        manifest["sha256"] = {**manifest["sha256"], **digests(public, *PAGES)}  # no report can tell its own
        _write_json(public / "manifest.json", manifest)
        _write_json(private / "audit.json", audit.as_dict())
        _write_json(private / "recoding.json", draft.recoding)
        if rows:
            write_rows(private / ROWS, draft.rows, person_names_of(draft.dataset))
        for path in private.iterdir():  # whoever copies a file elsewhere shall not open it to everybody
            path.chmod(0o600)
        progress("judging what was written")
        writer.judge()
        if read_groups(public) != draft.groups:
            raise RefusedError("refused: the groups of items read back differently; nothing was written")
        if json.loads((public / "manifest.json").read_text(encoding="utf-8")) != manifest:
            raise RefusedError("refused: the manifest reads back differently; nothing was written")
        _, verdict = verify(public)  # as anybody can judge it: without the originals it may be "not judged"
        if verdict.judged and not verdict:
            raise RefusedError(
                f"refused: verify would say no: {verdict.sentence}; nothing was written; please report this as a bug"
            )
    if audited is not None:
        audited(audit)
    return folder


def publish_file(draft: Draft, path: Path, format: str, *, force: bool = False) -> Path:
    """Write the data of a release to one file, read back and judged as written, without the evidence beside it.

    Raises
    ------
    InputError
        The shape has no such file, the release is a rehearsal or not in memory, or something stands at `path`.
    RefusedError
        What was written, read back, does not keep its claim or does not tell the truth.
    """
    shape = SHAPES[draft.dataset.shape]
    if shape.files.get(format) != f"data.{format}":
        raise InputError(f"to_{format}: {shape.words} is written in other files; write release.save(folder)")
    if draft.rehearsal:
        raise InputError(
            f"to_{format}: a seed was given, so this is a rehearsal, and only a manifest says so; leave seed out, or "
            "write release.save(folder)"
        )
    if not draft.dataset.in_memory:
        raise InputError(f"to_{format}: these records are too many for one file; write release.save(folder)")
    if path.name == "":
        raise InputError(f"to_{format}: the path names no file; give one")
    refuse_existing(path, force)
    with make_hidden_folder(path) as stage:
        public = stage / "public"
        public.mkdir()
        writer = open_writing(draft, public, stage / "parts", shape.files, format)
        writer.write()
        writer.judge()
        os.replace(public / data_file(public, shape.files), path)
    return path


def _describe_parameters(draft: Draft) -> dict[str, str]:
    """What the parameters of the method mean; a stored rule has none of its own."""
    name = draft.method["name"]
    return {knob.name: knob.about for knob in knobs(name)} if name in METHODS else {}


def _list_coarsened(draft: Draft) -> dict[str, str]:
    """How columns are published that no claim recodes, where that is not as they are."""
    data: Any = draft.dataset
    people = getattr(data, "people", data)
    fixed_levels = {name: "level" for name, coarse in getattr(people, "coarse", {}).items() if coarse.level}
    redactions = dict.fromkeys(getattr(people.source, "redacted", ()), "redacted")
    return {
        name: treatment
        for name, treatment in {**fixed_levels, **redactions}.items()
        if name in draft.manifest["columns"]
    }


def _check_about(told: Mapping[str, str]) -> dict[str, str]:
    """What the owner tells of a release, checked before any work, in one order."""
    for key, text in told.items():
        if key not in ABOUT or not isinstance(text, str):
            raise InputError(f"about: '{key}' is not a text about a release; {suggest_name(key, ABOUT)}")
    return {key: told[key] for key in ABOUT if told.get(key)}


def _write_json(path: Path, facts: dict[str, Any]) -> None:
    write_text(path, json.dumps(facts, indent=2, ensure_ascii=False) + "\n")
