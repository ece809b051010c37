"""The data files of a release folder, out and back, and how a release is written and judged as written.

Which released row is which original record is kept in the private folder alone. People are known again in several
releases by the names that data have for them, or by the number of a record in one file. The rules of a preset are
judged on the data as they were read back.

A release is written at once where its records are in memory, else part by part. The door asks the same of both
(`Writing`), and a dataset says which of them is its own: `InMemory` is what data have in common whose records are one
part that is loaded.
"""

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from shoal.base.errors import InfeasibleError, InputError, RefusedError
from shoal.data import Trees
from shoal.data.arrays import I8
from shoal.data.spelling import alike
from shoal.engines.local import shuffled_buckets, spread_records
from shoal.io.codebooks import NO_BOOKS, Codebook, books_of
from shoal.io.formats import ABOUT, FORMATS, LABELLED, TREE_FILES
from shoal.io.read.cells import normalize_names, text
from shoal.io.read.files import silence_native_output
from shoal.io.read.parquet import scan_parquet
from shoal.io.read.parts import save_arrays
from shoal.io.read.source import Variable
from shoal.io.read.table import read
from shoal.io.write.form import odd_cells, odd_file
from shoal.io.write.groups import NO_GROUPS, Groups, has_groups, odd_groups, read_groups
from shoal.io.write.json_text import read_lists
from shoal.io.write.table import append, as_csv, on_disk, read_back, write
from shoal.io.write.trees import odd_trees, read_released, write_trees
from shoal.privacy import claim_from_dict
from shoal.privacy.presets import NO, ReleasedCells, as_stated, check_preset, preset_named
from shoal.publish.draft import Draft, refuse_unless
from shoal.release import Verdict
from shoal.report.facts import Audit

__all__ = [
    "ROWS",
    "MemoryWriting",
    "PartWriting",
    "RowDigest",
    "Writing",
    "as_text",
    "broken_rule",
    "data_file",
    "groups_beside",
    "judge_preset",
    "names_of",
    "numbered",
    "odd_data",
    "open_writing",
    "other_records",
    "outline",
    "read_data",
    "read_missing_codes",
    "read_names",
    "read_rows",
    "refuse_broken",
    "same_names",
    "whole_numbers",
    "write_data",
    "write_rows",
]

_WHOLE = r"^(0|[1-9][0-9]*)$"


def write_data(
    frame: Any,
    folder: Path,
    format: str | None,
    columns: Mapping[str, str],
    variables: Mapping[str, Variable] | None = None,
) -> None:
    """Write what is released into `folder`; `columns` are the roles of its columns.

    `variables` say what a file with labels tells of them.
    Without a format, record trees are written as they came, and cells in the usual one.
    """
    if isinstance(frame, Trees):
        write_trees(frame, folder, format)
    else:
        format = format or FORMATS[0]
        write(frame, folder / f"data.{format}", format, nested=_nested(columns), variables=variables)


def read_data(
    folder: Path,
    files: Mapping[str, str],
    columns: Mapping[str, str],
    books: Mapping[str, Codebook] | None = NO_BOOKS,
) -> Any:
    """Read what a release folder holds; it may be anyone's, so nothing is trusted.

    `files` are the formats of the data's shape, each with the name of its file, `books` the public codebooks.

    Raises
    ------
    InputError
        There is not one data file, or it is malformed.
    """
    name = data_file(folder, files)
    format = next(format for format, own in files.items() if own == name)
    if files is TREE_FILES:
        return read_released(folder, format)
    nested, place = _nested(columns), folder / name
    if not place.is_dir():
        return read_back(place, format, nested=nested, books=books)
    parts = [read_back(path, format, nested=nested) for path in _parts(place)]
    if len({tuple(part.columns) for part in parts}) != 1:
        raise InputError(f"{name}: its files have different columns; it was changed")
    return pl.concat(parts)


def read_missing_codes(
    folder: Path, files: Mapping[str, str], books: Mapping[str, Codebook] | None
) -> dict[str, pl.Series]:
    """By column the codes that mean no value in a released file with labels, one for each empty cell that has one."""
    if not books:
        return {}
    told = read(folder / data_file(folder, files), released=books).variables
    gaps = {name: told[name].missing_codes for name in books if name in told}
    return {
        name: codes for name, codes in gaps.items() if codes is not None and codes.null_count() < len(codes)
    }


def groups_beside(folder: Path, columns: Mapping[str, str]) -> Groups:
    """Read the groups of items that a release folder holds; none of a shape that has none.

    Raises
    ------
    InputError
        The file is malformed.
    """
    return read_groups(folder) if has_groups(columns) else NO_GROUPS


def odd_data(
    folder: Path,
    files: Mapping[str, str],
    columns: Mapping[str, str],
    frame: Any,
    *,
    groups: Groups = NO_GROUPS,
    old: bool = False,
    books: Mapping[str, Codebook] | None = NO_BOOKS,
) -> str | None:
    """A sentence where the data are not written in the one way in which shoal writes them: rows could be marked so.

    `frame` is what was read of them, or of a large table some of it, and `groups` what was read beside it; `old` says
    that an earlier version wrote them. `books` are the public codebooks; None where that version knew none.
    """
    name = data_file(folder, files)
    place, nested = folder / name, _nested(columns)
    format = next(format for format, own in files.items() if own == name)
    if isinstance(frame, Trees):
        odd = odd_trees([frame], folder, format)
    else:
        parts = _parts(place) if place.is_dir() else [place]
        odds = (odd_file(part, format, nested=nested, old=old, books=books) for part in parts)
        odd = next((odd for odd in odds if odd is not None), None) or odd_cells(frame, nested)
        if odd is None and "uncertain" in nested and not whole_numbers(frame["errors"]):
            odd = "numbers that are not in the one form in which shoal writes them"
    if odd is None and has_groups(columns) and (groups or not old):
        (items,) = nested
        return odd_groups(folder, groups, read_lists(frame[items])[2])
    return None if odd is None else f"{name} holds {odd}; it was changed"


def whole_numbers(cells: pl.Series) -> bool:
    """Whether all cells are whole numbers in the one form in which shoal writes them."""
    return bool(cells.str.contains(_WHOLE).all())


def data_file(folder: Path, files: Mapping[str, str]) -> str:
    """The name of the one data file, or folder of tables or of parts, in a release folder.

    Raises
    ------
    InputError
        There is none, or there are several.
    """
    own = list(dict.fromkeys(files.values()))
    found = [name for name in own if (folder / name).exists()]
    if len(found) != 1:
        names = ", ".join(own)
        raise InputError(f"{folder.name}: {len(found)} data files; a release folder holds one of {names}")
    place, tables = folder / found[0], found[0] in (TREE_FILES["tables"], TREE_FILES["linked tables"])
    whole = place.is_dir() if tables else place.is_file() or (files is not TREE_FILES and bool(_parts(place)))
    if place.is_symlink() or not whole:
        raise InputError(
            f"{folder.name}: {found[0]} is not the file or folder that a release has; it was changed"
        )
    return found[0]


def _parts(place: Path) -> list[Path]:
    """The files of a folder of parts, in which nothing else is; none where it is no such folder."""
    found = sorted(place.iterdir()) if place.is_dir() else []
    part = re.compile(rf"part-[0-9]{{5,}}{re.escape(place.suffix)}")
    plain = all(part.fullmatch(path.name) and path.is_file() and not path.is_symlink() for path in found)
    return found if plain else []


def outline(frame: Any) -> tuple[list[str], int]:
    """The columns of what is released, and how many records it has."""
    return (["nodes"], frame.n) if isinstance(frame, Trees) else (list(frame.columns), len(frame))


def _nested(columns: Mapping[str, str]) -> list[str]:
    """The columns whose cells are JSON."""
    return [name for name, role in columns.items() if role == "items"]


ROWS = "rows.parquet"
"""The file's name: columns `row` and `record`, both counted from 1, and `person` where the originals name people."""
_SCHEMA = pl.Schema({"row": pl.Int64, "record": pl.Int64})
_NAMED = pl.Schema({"row": pl.Int64, "record": pl.Int64, "person": pl.String})


def write_rows(path: Path, rows: I8, names: Sequence[str] | None = None) -> None:
    """Write the original record behind each released row; nobody but the owner may read the file.

    `names` are those of the originals' people, record by record: by them a person is known again in a later release
    of other data.
    """
    path.touch(mode=0o600)
    frame = pl.DataFrame({"row": np.arange(1, len(rows) + 1), "record": rows + 1})
    if names is not None:
        frame = frame.with_columns(person=pl.Series(names, dtype=pl.String).gather(pl.Series(rows)))
    with on_disk(path) as file:
        frame.write_parquet(file)


def read_rows(private: Path) -> I8 | None:
    """The original record behind each released row, from 0, if it is true; None where it was not kept.

    Raises
    ------
    InputError
        The file is not one that `write_rows` wrote.
    """
    frame = _read(private)
    return None if frame is None else np.asarray(frame["record"].to_numpy() - 1, dtype=np.int64)


def read_names(private: Path) -> list[str] | None:
    """The name of the person behind each released row; None where none was kept."""
    frame = _read(private)
    return None if frame is None or "person" not in frame.columns else frame["person"].to_list()


def _read(private: Path) -> pl.DataFrame | None:
    """The file as `write_rows` wrote it; None where there is none."""
    path = private / ROWS
    if not path.is_file():
        return None
    wrong = InputError(f"{private.name}: {ROWS} is damaged; remove it, or put the right one there")
    try:
        with silence_native_output():
            frame = scan_parquet(path).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        raise wrong from None
    if frame.schema not in (_SCHEMA, _NAMED) or frame.null_count().sum_horizontal().item():
        raise wrong
    if (frame["row"].to_numpy() != np.arange(1, frame.height + 1)).any():
        raise wrong
    return frame


def names_of(dataset: Any) -> list[str] | None:
    """The name of each record's person: of `person`, or of the first identifier; None where data have none."""
    holder = getattr(dataset, "people", dataset)
    given, frame = getattr(holder, "given", None), getattr(getattr(holder, "source", None), "frame", None)
    if given is None or not isinstance(frame, pl.DataFrame) or frame.height != dataset.records:
        return None
    persons = getattr(getattr(holder, "table", None), "persons", None)
    for name in frame.columns:
        if given.get(name, "identifier") != "identifier":
            continue
        cells = normalize_names(text(frame[name]))
        if not cells.null_count() and (
            cells.n_unique() == len(cells) if persons is None else _same(cells, persons)
        ):
            return cells.to_list()
    return None


def same_names(dataset: Any, rows: I8, names: list[str] | None) -> bool:
    """Whether some records of data are the people of these names; where either has no names, nothing contradicts it."""
    own = None if names is None else names_of(dataset)
    return own is None or [own[row] for row in rows.tolist()] == names


def numbered(*lists: list[str]) -> list[I8]:
    """Numbers for names, equal where names are, in all lists.

    >>> [numbers.tolist() for numbers in numbered(["Ann", "Bo"], ["Bo", "Cy", "Bo"])]
    [[0, 1], [1, 2, 1]]
    """
    seen: dict[str, int] = {}
    return [np.array([seen.setdefault(name, len(seen)) for name in names], dtype=np.int64) for names in lists]


def _same(cells: pl.Series, persons: I8) -> bool:
    """Whether names and numbers tell the same persons apart."""
    pairs = pl.DataFrame({"name": cells, "person": persons}).unique().height
    return pairs == cells.n_unique() == len(np.unique(persons))


def judge_preset(name: str, frame: Any, manifest: Mapping[str, Any], groups: Groups) -> dict[str, Any]:
    """The preset with what was found of each rule, as a manifest states it: of the released data and nothing else."""
    year = int(str(manifest.get("date", date.today().isoformat()))[:4])
    return as_stated(name, check_preset(name, _released(frame, manifest, groups, year)))


def _released(frame: Any, manifest: Mapping[str, Any], groups: Groups, year: int) -> ReleasedCells:
    roles: Mapping[str, str] = manifest["columns"]
    crowd = claim_from_dict(manifest["claim"]).crowd
    about = {key: manifest[key] for key in ABOUT if key in manifest}
    if isinstance(frame, Trees):
        cells: dict[str, Counter[str]] = {name: Counter() for name in frame.classes}
        held = Counter(frame.items.tolist())
        for place, (value, kind) in enumerate(zip(frame.values, frame.kinds, strict=True)):
            if held[place]:
                cells[frame.classes[kind]][value] += held[place]
        return ReleasedCells(cells, {}, (), year, crowd=crowd, about=about)
    cells = {}
    for column in frame.columns:
        counted = text(frame[column]).alias("text").drop_nulls().value_counts(name="many")
        cells[column] = Counter(dict(zip(counted["text"], counted["many"], strict=True)))
        if roles.get(column) == "items":
            cells[column].update(str(item) for members in groups.values() for item in members)
    by_role = {role: [name for name in roles if roles[name] == role] for role in ("quasi", "sensitive")}
    quasi, secret = by_role["quasi"], by_role["sensitive"]
    if not quasi or manifest["shape"] != "table" or "counts" in manifest["claim"]:
        return ReleasedCells(cells, roles, (), year, crowd=crowd, about=about)
    spelled = frame.with_columns(_in_one_spelling(frame[name]) for name in secret)
    classes = spelled.group_by(quasi).agg(
        pl.len().alias("\0many"), *(pl.col(name).drop_nulls().n_unique() for name in secret)
    )
    told = {name: int(classes[name].min() or 0) for name in secret}
    return ReleasedCells(cells, roles, classes["\0many"].to_list(), year, told, crowd, about)


def _in_one_spelling(cells: pl.Series) -> pl.Series:
    """Sensitive cells as l counts them: one spelling of each value, and nothing where nothing is seen."""
    texts = text(cells)
    spelled = {value: alike(value) or None for value in texts.drop_nulls().unique()}
    return texts.replace_strict(
        list(spelled), list(spelled.values()), default=None, return_dtype=pl.String
    ).alias(cells.name)


def broken_rule(stated: Mapping[str, Any]) -> str | None:
    """The first rule that is broken, in words; None where none is."""
    for rule in stated["rules"]:
        if rule["verdict"] == NO:
            return f"preset {stated['name']}, rule {rule['rule']} ({rule['source']}): {rule['found']}"
    return None


def refuse_broken(name: str, frame: Any, manifest: Mapping[str, Any], groups: Groups) -> dict[str, Any]:
    """The preset as a manifest states it.

    Raises
    ------
    InfeasibleError
        The release breaks a rule.
    """
    stated = judge_preset(name, frame, manifest, groups)
    broken = broken_rule(stated)
    if broken is not None:
        failed = next(one["rule"] for one in stated["rules"] if one["verdict"] == NO)
        mend = next(rule.mend for rule in preset_named(name).rules if rule.name == failed)
        raise InfeasibleError(f"{broken}; nothing was written; {mend}")
    return stated


# --- how a release is written and judged as written


class Writing(Protocol):
    """A release on its way through the door."""

    def write(self) -> None:
        """Write the data, in an order that tells nothing."""

    def complete(self, audit: Audit) -> Audit:
        """The facts of the report and the audit, with those that only what was written shows."""

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""

    def judge(self) -> None:
        """Judge the claim and the truth of the file itself, not of what was made.

        Raises
        ------
        RefusedError
            It reads back as something else, does not keep the claim, or does not tell the truth.
        """


def open_writing(
    draft: Draft, public: Path, stage: Path, files: Mapping[str, str], format: str | None
) -> Writing:
    """How a release is written into the folder `public` and judged as written; records in parts say so themselves.

    `files` are the formats of the shape, each with the name of its file; `stage` is a private folder that is not there
    yet, and goes when the door closes.
    """
    if draft.dataset.in_memory:
        return MemoryWriting(draft, public, files, format)
    parts: Any = draft.dataset
    made: Writing = parts.writing(draft, public, stage, files, format)
    return made


# --- records in memory: one part, which is loaded, and was shuffled when it was drafted


@dataclass(frozen=True, slots=True)
class MemoryWriting:
    """What the door asks of a release that is in memory.

    public : the folder of the release
    files  : the formats of its shape, each with the name of its file
    format : the one that is written; None is the usual one
    missing : by column the codes that mean no value, as they were written
    """

    draft: Draft
    public: Path
    files: Mapping[str, str]
    format: str | None
    missing: dict[str, pl.Series] = field(default_factory=dict)

    def write(self) -> None:
        """Write the data."""
        frame, variables = self.draft.frame, None
        if self.format in LABELLED:
            dataset: Any = self.draft.dataset
            self.missing.update(dataset.missing_codes(frame, self.draft.result))
            frame, variables = dataset.described(frame, self.draft.result.release)
            variables |= {
                name: replace(variables[name], missing_codes=codes) for name, codes in self.missing.items()
            }
        write_data(frame, self.public, self.format, self.draft.manifest["columns"], variables)

    def complete(self, audit: Audit) -> Audit:
        """The same: all is in memory."""
        return audit

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        if self.format not in LABELLED:
            return self.draft.manifest
        dataset: Any = self.draft.dataset
        books = dataset.codebooks(self.draft.frame.columns)
        return {**self.draft.manifest, "codebook": {name: book.as_dict() for name, book in books.items()}}

    def judge(self) -> None:
        """Read the file back, and judge its claim and its truth, beside earlier releases too."""
        columns, books = self.draft.manifest["columns"], books_of(self.manifest())
        frame = read_data(self.public, self.files, columns, books)
        if outline(frame) != outline(self.draft.frame):
            raise RefusedError(
                "refused: the data reads back with other columns or records; nothing was written"
            )
        odd = odd_data(self.public, self.files, columns, frame, groups=self.draft.groups, books=books)
        if odd is None and not _same_codes(read_missing_codes(self.public, self.files, books), self.missing):
            odd = "other missing codes than were written"
        if odd is not None:
            raise RefusedError(f"refused: {odd}; nothing was written; please report this as a bug")
        refuse_unless(self.draft.judge(frame), self.draft.truth(frame), self.draft.together(frame))


def _same_codes(codes: Mapping[str, pl.Series], others: Mapping[str, pl.Series]) -> bool:
    """Whether all missing codes that were read are those that were written; some formats have none for a few."""
    return codes.keys() <= others.keys() and all(
        codes[name].fill_null(others[name]).equals(others[name]) for name in codes
    )


# --- records in parts: written in random order, read back in pieces, judged by counts


@dataclass
class PartWriting(ABC):
    """What the door asks of records that are not in memory: as many of them are held as one part has.

    place : the public file
    stage : a private folder; it goes when the door closes
    """

    draft: Draft
    place: Path
    stage: Path
    _spread: int = field(default=-1, init=False)  # the digest of what the parts publish

    nested: ClassVar[tuple[str, ...]] = ()
    """Those of the columns whose cells are JSON."""

    @abstractmethod
    def of_parts(self) -> Iterator[pl.DataFrame]:
        """What each part publishes, a row for each record."""

    @abstractmethod
    def of_file(self) -> Iterator[pl.DataFrame]:
        """The records of the public file, in pieces; what the judge needs of them is kept in the stage."""

    @abstractmethod
    def verdict(self) -> Verdict:
        """Judge the claim on the pieces that were read back and kept."""

    def append(self, records: pl.DataFrame, file: BinaryIO) -> None:
        """Write records behind those of the public file, as lines of cells."""
        append(records, file, "ndjson", nested=self.nested)

    def write(self) -> None:
        """Write what the parts publish in random order: records go to random buckets, which are shuffled one by one."""
        digest = RowDigest(self._data.key)
        self._spread = 0

        def seen() -> Iterator[pl.DataFrame]:
            for records in self.of_parts():
                self._spread = (self._spread + digest(records)) % 2**64
                yield records

        spread_records(seen(), self.stage, len(self._data.parts.parts))
        with on_disk(self.place) as file:
            for records in shuffled_buckets(self.stage):
                self.append(records, file)

    def judge(self) -> None:
        """Judge what was written by counts of its own, and its truth by what lies beside the originals.

        Raises
        ------
        RefusedError
            The file does not keep the claim, does not tell the truth, or is not what the parts publish.
        """
        digest = RowDigest(self._data.key)
        there = found = 0
        for records in self.of_file():
            there, found = there + records.height, found + digest(records)
        if (there, found % 2**64) != (self._data.records, self._spread):
            raise other_records()
        refuse_unless(self.verdict(), self.draft.truth(self.draft.frame))

    def complete(self, audit: Audit) -> Audit:
        """The same facts beside the manifest of what was written."""
        return replace(audit, report=replace(audit.report, manifest=self.manifest()))

    def manifest(self) -> dict[str, Any]:
        """What goes out beside the data."""
        return {**self.draft.manifest, "notes": self._data.notes(self._release)}

    def _kept(self, **arrays: NDArray[Any]) -> None:
        """Keep arrays of a piece that was read back, for the judge."""
        place = self.stage / f"read-{len(self._pieces):05}"
        place.mkdir(mode=0o700)
        save_arrays(place, **arrays)

    @property
    def _pieces(self) -> list[Path]:
        return sorted(self.stage.glob("read-*"))

    @property
    def _data(self) -> Any:
        return self.draft.dataset

    @property
    def _release(self) -> Any:
        return self.draft.result.release


@dataclass(frozen=True, slots=True)
class RowDigest:
    """A sum over rows, the same for equal rows in whatever order.

    key     : a random number, so that nobody can make other rows with the same sum
    columns : what of a batch is looked at, each with its public name; None takes all
    escape  : whether the cells are still to be escaped as they are in a csv file
    """

    key: int
    columns: Mapping[str, str] | None = None
    escape: bool = False

    def __call__(self, batch: pl.DataFrame, times: I8 | None = None) -> int:
        """The sum of one batch, modulo 2^64; of different rows, with how many `times` there is each."""
        if self.columns is not None:
            batch = batch.select(pl.col(own).alias(name) for own, name in self.columns.items())
        cells = as_csv(batch) if self.escape else batch
        numbers = [self._hashed(column.alias("cell")).alias(column.name) for column in cells]
        hashes = pl.DataFrame(numbers).hash_rows(self.key).to_numpy()
        return int((hashes if times is None else hashes * times.astype(np.uint64)).sum(dtype=np.uint64))

    def _hashed(self, cells: pl.Series) -> pl.Series:
        """A number for each cell, the same for equal texts; of a list of labels each is looked at once."""
        if isinstance(cells.dtype, pl.Binary):
            return cells.hash(self.key)
        if isinstance(cells.dtype, pl.Enum):
            labels = pl.Series("cell", [*cells.dtype.categories, None], dtype=pl.String)
            places = cells.to_physical().cast(pl.UInt32).fill_null(len(labels) - 1)
            return self._hashed(labels).gather(places)
        cell = pl.when(pl.col("cell") != "").then(pl.col("cell"))
        return as_text(cells).to_frame().select(cell.hash(self.key)).to_series()


def as_text(cells: pl.Series) -> pl.Series:
    """A cell as text, whatever else stands in its batch."""
    if cells.dtype.is_temporal():
        return cells.to_physical().cast(pl.String)
    return text(cells.cast(pl.String) if isinstance(cells.dtype, pl.Categorical | pl.Enum) else cells)


def other_records() -> RefusedError:
    """Why a file is refused that does not hold what was staged."""
    return RefusedError(
        "refused: the data reads back with other records than were staged; nothing was written"
    )
