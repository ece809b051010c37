"""The manifest of a release folder, read as anybody's: what it may say, and what of it the folder bears out.

What a configuration says of its releases is held against it, and so are the originals, read as the configuration
describes them.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from math import isfinite
from pathlib import Path
from typing import Any

from shoal import __version__
from shoal.algorithms import METHODS
from shoal.algorithms.knobs import knobs, recode_of
from shoal.base.errors import InputError, ShoalError
from shoal.base.naming import RECODED
from shoal.io.codebooks import CODEBOOKS, codebooks_of
from shoal.io.config import Config
from shoal.io.formats import ABOUT, GROUPS
from shoal.io.write.groups import has_groups
from shoal.io.write.json_text import TwiceError, parse_json
from shoal.privacy import (
    GUARANTEE,
    HOUSEHOLDS,
    METHOD_KEYS,
    AllOf,
    HiddenValues,
    LinkedAnonymity,
    claim_from_dict,
    counts_households,
    promises_as_much,
    require_protection,
)
from shoal.privacy.claim import PROSE, REWORDED
from shoal.privacy.trees import REPEATS
from shoal.publish.draft import claim_in_words, publishable_parameters
from shoal.publish.notes import CENTRES, NOTES, WEIGHTS
from shoal.publish.undecided import check_as_proposed
from shoal.release import Claim
from shoal.shapes.configured_claim import claim_of_config
from shoal.shapes.dataset import Dataset
from shoal.shapes.registry import SHAPES, open_dataset, shape_of_claim
from shoal.shapes.shape import Shape
from shoal.utility import LOSSES

__all__ = [
    "PAGES",
    "ChangedError",
    "_describe_difference",
    "_fault_of",
    "centres_in",
    "check_claim_text",
    "claim_stated_in",
    "covers_report",
    "describe_changed_file",
    "digests",
    "open_originals",
    "read_manifest",
    "redirect_config",
    "weights_in",
]

_NEVER = ("identifier", "drop")
_CODED = (*RECODED, "sensitive", "plain")
"""Roles of columns whose codes can be those of a codebook."""


def _describe_difference(manifest: Mapping[str, Any], claim: Claim, config: Config) -> str | None:
    """The first thing in which a release differs from what its configuration makes; None where there is none."""
    shape = shape_of_claim(claim)
    expected_roles = _roles(config, shape)
    for name in dict.fromkeys([*expected_roles, *manifest["columns"]]):
        if name not in manifest["columns"]:
            return f"the configuration publishes a column '{name}', which is not in the release"
        if name not in expected_roles:
            return f"column '{name}' is not among those that the configuration publishes"
        if expected_roles[name] != manifest["columns"][name]:
            return f"column '{name}' is {expected_roles[name]} in the configuration, but not in the release"
    configured_claim = claim_of_config(config)
    counts_persons = config.data.person is not None and shape.persons and not config.pseudonyms
    persons = "persons" if counts_persons else "rows"
    wanted_count = (
        HOUSEHOLDS if configured_claim is not None and counts_households(configured_claim) else persons
    )
    counts = manifest["claim"].get("counts", "rows")
    if counts != wanted_count:
        return f"the release counts {counts}, but the configuration {wanted_count}"
    if config.domain not in (None, manifest.get("domain")):
        return "the pseudonyms of the release are bound to another domain than the configuration says"
    if config.preset not in (None, manifest.get("preset", {}).get("name")):
        return f"the configuration asks for the preset {config.preset}, which the release does not state"
    for name, centre in centres_in(manifest).items():
        if centre != _requested_centre(config):
            return f"column '{name}' is published as the {centre} of classes, but the configuration asks for none"
    requested_weights = {
        name: spec.release for name, spec in config.columns.items() if spec.release is not None
    }
    if weights_in(manifest) != requested_weights:
        return "the weights of the release are not published in the way that the configuration says"
    if config.data.layout.codebook == CODEBOOKS[1] and manifest.get("codebook"):
        return "the release has the codes of a codebook, which the configuration says is built from the rows"
    if configured_claim is not None and not promises_as_much(claim, _without_hidden_values(configured_claim)):
        return "the claim is weaker than, or another than, the [guarantee] of the configuration"
    return None


def _without_hidden_values(claim: Claim) -> Claim:
    """The claim with no value in its lists of hidden ones: which of them a release must list, only its data tell."""
    parts: list[Any] = [
        replace(part, hidden=tuple((name, ()) for name in part.columns))
        if isinstance(part, HiddenValues)
        else part
        for part in claim.parts
    ]
    return parts[0] if len(parts) == 1 else AllOf(tuple(parts))


def _roles(config: Config, shape: Shape) -> dict[str, str]:
    """The columns that a configuration publishes, with their roles."""
    roles: dict[str, str] = {name: spec.released_as for name, spec in config.columns.items() if name != "*"}
    other_columns = {name: role for name, role in roles.items() if role not in (*_NEVER, "items")}
    items = [name for name, role in roles.items() if role == "items"]
    if shape.columns or not items:
        return {**shape.columns, **other_columns}
    return {**other_columns, items[0] if len(items) == 1 else "items": "items"}


def open_originals(config: Config, against: str | Path, release: Path | None = None) -> Dataset:
    """The data that a configuration describes, read from another file, folder or database; see `redirect_config`."""
    return open_dataset(redirect_config(config, against, release))


def redirect_config(config: Config, against: str | Path, release: Path | None = None) -> Config:
    """The same configuration of data in another file, folder or database.

    Where the configuration leaves open whether rows of record trees stay rows, the claim of the release decides it.
    """
    if config.tree is not None and release is not None:
        config = replace(config, parameters={**_read_repeats(release), **config.parameters})
    if (config.pseudonyms or config.shifted) and release is not None:
        config = _adopt_keys(config, release)
    if "://" in str(against):
        data = replace(config.data, path=None, url=_resolve_sqlite_url(str(against), config))
    else:
        data = replace(config.data, path=Path(against))
    return replace(config, data=data)


def _read_repeats(release: Path) -> dict[str, str]:
    """Whether a release keeps rows, by its manifest; nothing where that makes no sense, which is told elsewhere."""
    try:
        claim = read_manifest(release).get("claim")
    except ShoalError:
        return {}
    repeats = claim.get("repeats", "merge") if isinstance(claim, dict) else None
    return {"repeats": repeats} if repeats in REPEATS else {}


def _adopt_keys(config: Config, release: Path) -> Config:
    """The same configuration with the domain and the day of a release, by its manifest; what makes no sense is told."""
    try:
        manifest = read_manifest(release)
        day = date.fromisoformat(str(manifest.get("date")))
    except (ShoalError, ValueError):
        return config
    domain = manifest.get("domain")
    return replace(config, day=day, domain=config.domain or (domain if isinstance(domain, str) else None))


def _resolve_sqlite_url(url: str, config: Config) -> str:
    """A database's URL; SQLite's file is looked for here, and then where the configuration looks for it."""
    kind, _, database_path = url.partition(":///")
    if not kind.startswith("sqlite") or Path(database_path).is_absolute() or Path(database_path).is_file():
        return url
    return f"{kind}:///{config.folder / database_path}"


PAGES = ("report.html", "report.pdf")
"""What a release folder may hold beside its data and its manifest."""

_LARGEST = 16 * 2**20
_COUNTS = ("records_in", "records_out", "suppressed", "suppressed_items", "classes")
_TEXTS = ("shoal", "date", "domain", *ABOUT)
_MUST = ("shoal", "shape", "columns", "claim", "judged", "method", "loss", *_COUNTS)
_MAY = (*_TEXTS[1:], "rehearsal", "sha256", "notes", "preset", "as_proposed", "codebook")
_EARLY = ("0.1.", "0.2.")  # versions that told no sha256 of the report
_NUMBER = re.compile(r"[0-9]*\.?[0-9]+")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+([.a-z]+[0-9]+)?")
_OTHER_WAYS = ("recoding", "m-invariance")  # of making a release than by a method


class ChangedError(InputError):
    """The manifest is one of a release, but it was tampered with."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a release folder; what it says is not checked yet.

    Raises
    ------
    InputError
        The folder is no release at all: it has no manifest, or one that is nothing like it.
    ChangedError
        It is one of which two readers could read different things.
    """
    path = folder / "manifest.json"
    if not path.is_file():
        raise InputError(f"{folder.name}: no manifest.json; give the folder that `shoal run` wrote")
    if path.stat().st_size > _LARGEST:
        raise InputError(f"{folder.name}: manifest.json is too large for a release, so it was not read")
    try:
        facts = parse_json(path.read_bytes())
    except TwiceError:
        raise ChangedError("manifest.json holds a key twice, which no release does") from None
    except (ValueError, RecursionError):
        facts = None
    if not isinstance(facts, dict) or not facts.keys() & {"shoal", "shape", "claim", "columns"}:
        raise InputError(
            f"{folder.name}: manifest.json does not belong to a release; it was damaged or not made by shoal"
        )
    return facts


def _fault_of(manifest: Mapping[str, Any]) -> str | None:
    """The first thing in a manifest that no release says; None where there is none."""
    return next(_faults(manifest), None)


def _faults(manifest: Mapping[str, Any]) -> Iterator[str]:
    for key in _MUST:
        if key not in manifest:
            yield f"manifest.json lacks '{key}', which every release has"
    for key in manifest:
        if key not in _MUST and key not in _MAY:
            yield "manifest.json holds a key that no release has"
    for key in _TEXTS:
        if not isinstance(manifest.get(key, ""), str):
            yield f"manifest.json: '{key}' is not a text"
    if not _VERSION.fullmatch(str(manifest["shoal"])):
        yield "manifest.json: 'shoal' is not a version"
    if "sha256" not in manifest and not str(manifest["shoal"]).startswith(_EARLY):
        yield "manifest.json lacks 'sha256', which every release of its version has"
    if "date" in manifest and not _is_date(manifest["date"]):
        yield "manifest.json: 'date' is not a date"
    if not isinstance(manifest["shape"], str) or manifest["shape"] not in SHAPES:
        yield f"manifest.json: the shape is none of {', '.join(SHAPES)}"
        return
    shape = SHAPES[manifest["shape"]]
    yield from _column_faults(manifest["columns"], shape)
    for key in _COUNTS:
        if type(manifest[key]) is not int or not 0 <= manifest[key] < 2**53:
            yield f"manifest.json: '{key}' is not a number of records or items"
            return
    if manifest["records_in"] - manifest["records_out"] != manifest["suppressed"]:
        yield "manifest.json: records_in is not records_out and suppressed together"
    if manifest["suppressed_items"] and (not shape.gone or _is_published_by_vote(manifest)):
        yield "manifest.json: items were left out, but such a release leaves none out"
    if manifest["judged"] is not True:
        yield "manifest.json does not say that the release was judged"
    yield from _prose_faults(manifest)


def _column_faults(columns: Any, shape: Shape) -> Iterator[str]:
    """Roles that a release of this shape cannot have."""
    allowed_roles = shape.roles
    if not isinstance(columns, dict) or not columns:
        yield "manifest.json: 'columns' does not give columns their roles"
        return
    for name, role in columns.items():
        if role in ("identifier", "drop"):
            yield f"column '{name}' has the role {role}, and no such column is ever published"
        elif role not in allowed_roles:
            yield f"column '{name}' has a role that is none of {', '.join(allowed_roles)}"
    if [*columns.values()].count("pseudonym") > 1:
        yield "two columns are pseudonyms, and a release has one at most"
    fault = shape.find_column_fault(columns)
    if fault:
        yield fault


def _is_published_by_vote(manifest: Mapping[str, Any]) -> bool:
    """Whether baskets were published by vote; data of other shapes may have a column that is called like theirs."""
    return bool(SHAPES[manifest["shape"]].columns) and "uncertain" in manifest["columns"]


def _prose_faults(manifest: Mapping[str, Any]) -> Iterator[str]:
    """What is told for people only is still what shoal writes."""
    loss, claim = manifest["loss"], manifest["claim"]
    if not isinstance(loss, dict) or not all(_is_real(value) for value in loss.values()):
        yield "manifest.json: 'loss' does not give losses their numbers"
    elif not loss.keys() <= LOSSES.keys():
        yield "manifest.json: 'loss' holds something that is not known as a loss"
    yield from _method_faults(manifest["method"])
    if not isinstance(claim, dict):
        yield "manifest.json: 'claim' is not an object with a model and its numbers"
    elif "counts" in claim and (
        claim["counts"] not in ("persons", HOUSEHOLDS) or not SHAPES[manifest["shape"]].persons
    ):
        yield "manifest.json: the claim counts something else than records, persons or households"
    elif ("pseudonym" in manifest["columns"].values()) != (claim.get("model") == LinkedAnonymity.model):
        yield "manifest.json: a pseudonym links rows of a person, and goes with a claim of linked rows alone"
    elif ("pseudonym" in manifest["columns"].values()) != ("domain" in manifest):
        yield "manifest.json: 'domain' is what pseudonyms are bound to, and goes with them"
    elif _says_households(claim) != (claim.get("counts") == HOUSEHOLDS):
        yield "manifest.json: the claim and what it counts differ"
    if not isinstance(manifest.get("rehearsal", True), bool):
        yield "manifest.json: 'rehearsal' is neither true nor false"
    if "preset" in manifest and not _is_preset(manifest["preset"]):
        yield "manifest.json: 'preset' is not a name with its rules and what was found of each"
    if "as_proposed" in manifest and not check_as_proposed(
        manifest["as_proposed"], _listable_columns(manifest)
    ):
        yield "manifest.json: 'as_proposed' is not a list of released columns about which nobody decided"
    if "codebook" in manifest and not _is_codebook(manifest):
        yield "manifest.json: 'codebook' does not say what the codes of published columns mean"
    notes = manifest.get("notes", [])
    if not isinstance(notes, list) or not all(_is_note(note) for note in notes):
        yield "manifest.json: 'notes' is not a list of kinds, columns and counts"
        return
    if not {note["kind"] for note in notes} <= {*NOTES}:
        yield "manifest.json: 'notes' holds a kind of note that is not known"
    if len({(note["kind"], note["column"]) for note in notes}) < len(notes):
        yield "manifest.json: 'notes' says something twice"
    if manifest["shape"] != "trees" and not {note["column"] for note in notes} <= manifest["columns"].keys():
        yield "manifest.json: 'notes' speaks of a column that is not in the release"
    of_people = (*CENTRES, *WEIGHTS.values())
    if any(note["count"] > manifest["records_out"] for note in notes if note["kind"] not in of_people):
        yield "manifest.json: 'notes' counts more records than there are"
    noted_columns = [note.get("column") for note in _centre_notes(manifest)]
    quasi = [name for name, role in manifest["columns"].items() if role == "quasi"]
    if noted_columns and (
        manifest["shape"] != "table"
        or len({*noted_columns}) < len(noted_columns)
        or not {*noted_columns} <= {*quasi}
    ):
        yield "manifest.json: 'notes' mentions means in columns that have none, or twice"
    weights = [note["column"] for note in _weight_notes(manifest)]
    is_plain = all(manifest["columns"].get(name) == "plain" for name in weights)
    if weights and (manifest["shape"] != "table" or len(weights) > 1 or not is_plain):
        yield "manifest.json: 'notes' mentions weights in columns that have none, or several of them"


def _listable_columns(manifest: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The columns that `as_proposed` may list; None of record trees, whose fields only the data tell."""
    return None if manifest["shape"] == "trees" else manifest["columns"]


def _method_faults(method: object) -> Iterator[str]:
    """A method that is not known, or parameters that none has; their values are compared with the claim."""
    if not isinstance(method, dict) or method.keys() != {"name", "parameters"}:
        yield "manifest.json: 'method' is not a name and parameters"
        return
    if not isinstance(method["name"], str) or method["name"] not in (*METHODS, *_OTHER_WAYS):
        yield "manifest.json: 'method' names a method that is not known"
    known_parameters = {*GUARANTEE, *METHOD_KEYS, *(knob.name for name in METHODS for knob in knobs(name))}
    if not isinstance(method["parameters"], dict) or not method["parameters"].keys() <= known_parameters:
        yield "manifest.json: 'method' has a parameter that is not known"


def _says_households(claim: Mapping[str, Any]) -> bool:
    """Whether a claim, or one of several, speaks of households."""
    several = claim.get("claims")
    parts = [claim, *(several if isinstance(several, list) else [])]
    return any(isinstance(part, dict) and part.get("of") == HOUSEHOLDS for part in parts)


def _is_preset(preset: object) -> bool:
    """Whether it is a preset as shoal writes it: texts, and the rules, each of texts alone."""
    if not isinstance(preset, dict) or preset.keys() != {"name", "title", "limits", "rules"}:
        return False
    rules = preset["rules"]
    keys = {"rule", "asks", "source", "verdict", "found"}
    texts = [preset["name"], preset["title"], preset["limits"]]
    if not isinstance(rules, list) or not all(
        isinstance(rule, dict) and rule.keys() == keys for rule in rules
    ):
        return False
    return all(
        isinstance(text, str) for text in [*texts, *(text for rule in rules for text in rule.values())]
    )


def _is_codebook(manifest: Mapping[str, Any]) -> bool:
    """Whether it holds codebooks as shoal writes them, of columns that can have one."""
    books, facts = codebooks_of(manifest), manifest["codebook"]
    codebook_columns = {name for name, role in manifest["columns"].items() if role in _CODED}
    return books is not None and len(books) == len(facts) and books.keys() <= codebook_columns


def centres_in(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The quasi-identifiers whose numbers are said to be the mean or the median of a class, and which of both."""
    return {note["column"]: note["kind"] for note in _centre_notes(manifest)}


def _centre_notes(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [note for note in manifest.get("notes", []) if note.get("kind") in CENTRES]


def weights_in(manifest: Mapping[str, Any]) -> dict[str, str]:
    """The column that is said to be a sampling weight which tells no look-alikes apart, and how it is published."""
    way_of_kind = {kind: way for way, kind in WEIGHTS.items()}
    return {note["column"]: way_of_kind[note["kind"]] for note in _weight_notes(manifest)}


def _weight_notes(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [note for note in manifest.get("notes", []) if note.get("kind") in WEIGHTS.values()]


def _requested_centre(config: Config) -> str | None:
    """How a configuration has classes written: "mean" or "median" where numbers are to be that of a class."""
    return recode_of(config.method, config.parameters) if config.method in METHODS else None


def _is_note(note: object) -> bool:
    """Whether it is something worth knowing as shoal writes it: a kind, a column and a count."""
    kinds = {"kind": str, "column": str, "count": int}
    return (
        isinstance(note, dict)
        and note.keys() == kinds.keys()
        and all(type(value) is kinds[key] for key, value in note.items())
        and note["count"] >= 0
    )


def _is_date(value: object) -> bool:
    try:
        return bool(date.fromisoformat(str(value)))
    except ValueError:
        return False


def _is_real(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    try:
        return isfinite(value)
    except OverflowError:  # a whole number that no measure gives
        return False


def digests(folder: Path, *names: str) -> dict[str, str]:
    """The sha256 of files, and of every file in a folder of tables or parts, by their places in the release.

    Pages and groups that are not there have none.
    """
    may = (*PAGES, GROUPS)
    paths = [folder / name for name in names if name not in may or os.path.lexists(folder / name)]
    files = [file for entry in paths for file in (sorted(entry.iterdir()) if entry.is_dir() else [entry])]
    digest_by_name = {}
    for path in files:
        if not path.is_file():
            raise InputError(
                f"{folder.name}: {path.name} is not a file, as it would be in a release; it was changed"
            )
        with path.open("rb") as file:
            digest_by_name[path.relative_to(folder).as_posix()] = hashlib.file_digest(
                file, "sha256"
            ).hexdigest()
    return digest_by_name


def covers_report(manifest: Mapping[str, Any]) -> bool:
    """Whether a manifest tells the sha256 of the report; before version 0.3 none did."""
    file_digests = manifest.get("sha256")
    return isinstance(file_digests, dict) and PAGES[0] in file_digests


def describe_changed_file(manifest: Mapping[str, Any], folder: Path, name: str) -> str | None:
    """A sentence where a file is not the one that the manifest was written for; None where all are, or it is old."""
    if "sha256" not in manifest:
        return None
    stated_digests = manifest["sha256"]
    new = covers_report(manifest)
    companions = (*([GROUPS] if has_groups(manifest.get("columns", {})) else []), *(PAGES if new else ()))
    actual_digests = digests(folder, name, *companions)
    if stated_digests == actual_digests:
        late = not new and not str(manifest.get("shoal")).startswith(_EARLY) and (folder / PAGES[0]).exists()
        return f"manifest.json lacks the sha256 of {PAGES[0]}, which every release has" if late else None
    if not isinstance(stated_digests, dict):
        return "manifest.json: 'sha256' does not give files their digests"
    changed_names = [
        companion
        for companion in companions
        if stated_digests.get(companion) != actual_digests.get(companion)
    ]
    return (
        f"{changed_names[0] if changed_names else name} is not the file that manifest.json was written for: "
        "their sha256 differ"
    )


def check_claim_text(manifest: Mapping[str, Any], claim: Claim) -> str | None:
    """A sentence where the manifest describes its claim otherwise than the claim's numbers do; None where it does not.

    Another version may have used other words, and so may this one before they were changed; then they must state the
    same numbers.
    """
    stated_claim, expected_claim = manifest["claim"], claim.as_dict()
    limits = stated_claim.get("not_covered")
    has_reworded_limit = isinstance(limits, list) and any(
        line in REWORDED for line in limits if isinstance(line, str)
    )
    if manifest["shoal"] == __version__ and "sha256" in manifest and not has_reworded_limit:
        expected_claim = claim_in_words(claim, manifest["method"]["name"], manifest["suppressed"])
        stated_words = {key: _reword(value) for key, value in stated_claim.items() if key != "counts"}
        is_same = stated_words == _reword(expected_claim)
    else:
        stated_values, parts = stated_claim.get("attacker"), stated_claim.get("claims", [])
        is_same = isinstance(stated_values, str) and set(_NUMBER.findall(stated_values)) == set(
            _NUMBER.findall(expected_claim["attacker"])
        )
        is_same = is_same and not any(key in PROSE for part in parts for key in part)
    if not is_same:
        return "manifest.json describes its claim in words that its numbers do not bear out"
    stated_values = manifest["method"]["parameters"]
    if (
        publishable_parameters(manifest["method"]["name"], stated_values, manifest["columns"], claim)
        != stated_values
    ):
        return "manifest.json: 'method' has parameters that are none of its numbers, words and columns"
    numbers = [part.as_dict() for part in claim.parts]
    for key in GUARANTEE:
        if key in stated_values and not any(
            part.get(key, stated_values[key]) == stated_values[key] for part in numbers
        ):
            return f"manifest.json: the method was asked for another {key} than the claim states"
    if any(note.get("count") != claim.crowd for note in _centre_notes(manifest)):
        return "manifest.json mentions means of other numbers of people than its claim does"
    if any(note.get("count") != claim.crowd for note in _weight_notes(manifest)):
        return "manifest.json mentions weights of other numbers of people than its claim does"
    return None


def _reword(stated: Any) -> Any:
    """What a claim states, in today's words: releases of this version said "whoever" before."""
    if isinstance(stated, dict):
        return {key: _reword(value) for key, value in stated.items()}
    if isinstance(stated, list):
        return [_reword(value) for value in stated]
    return re.sub(r"\bwhoever\b", "anyone who", stated) if isinstance(stated, str) else stated


def claim_stated_in(manifest: Mapping[str, Any], config: Config | None) -> Claim:
    """The claim of a manifest that a release of its shape, and of the configuration, can have.

    Raises
    ------
    InputError
        There is none.
    """
    fault = _fault_of(manifest)
    if fault is not None:
        raise InputError(fault)
    if config is not None and config.shape != manifest["shape"]:
        raise InputError(f"the configuration is of shape {config.shape}, the release of {manifest['shape']}")
    claim, shape = claim_from_dict(manifest["claim"]), SHAPES[manifest["shape"]]
    if claim.shape != shape.name:
        words = SHAPES[claim.shape].words
        raise InputError(f"the claim, {claim.named}, is about {words}, but the release is {shape.words}")
    if claim.votes != _is_published_by_vote(manifest):
        raise InputError("the claim is not about baskets as these are published, by vote or generalized")
    require_protection(claim)
    differs = None if config is None else _describe_difference(manifest, claim, config)
    if differs is not None:
        raise InputError(differs)
    return claim
