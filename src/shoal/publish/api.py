"""shoal in Python: read, anonymize, pareto, judge."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.data import Role
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.read import read as read_file
from shoal.io.source import Source, from_frame
from shoal.publish.release import Release
from shoal.publish.table.dataset import Spec, TableData, bind
from shoal.publish.table.front import Front
from shoal.publish.table.judging import judge_frame
from shoal.publish.work import anonymize, trace_front
from shoal.release import Claim, Verdict

__all__ = ["anonymize", "judge", "pareto", "read"]

Given = str | os.PathLike[str] | Hierarchy | Mapping[str, Any]


def read(
    data: Any,
    *,
    roles: Mapping[str, Role],
    hierarchies: str | os.PathLike[str] | Mapping[str, Given] | None = None,
    weights: Mapping[str, float] | None = None,
    person: str | None = None,
    allow: tuple[str, ...] = (),
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: tuple[str, ...] = ("",),
) -> TableData:
    """Take a file or a frame (pandas, polars, Arrow) and say what its columns are.

    Parameters
    ----------
    data
        A path, or a frame.
    roles
        One role a column: identifier, quasi, sensitive or plain. Every column needs one.
    hierarchies
        A folder with `<column>.csv` files, or by column a file, a `Hierarchy`, or a rule such as
        `{"ranges": [10, 20]}`. A quasi-identifier without one is published as it is or not at all.
    weights
        How much a quasi-identifier's loss counts, 1 by default.
    person
        The column that tells who a row belongs to; judges then count persons, not rows.
    allow
        Plain columns to publish although they single people out or tell a quasi-identifier.
    delimiter, encoding, missing
        How a text file is written; detected where not given. `missing` lists texts that mean no value.

    Raises
    ------
    InputError
        The file, a role or a hierarchy is wrong; the message says where and what to do.
    """
    if isinstance(data, str | os.PathLike):
        source = read_file(Path(data), delimiter=delimiter, encoding=encoding, missing=missing)
    else:
        source = from_frame(data, missing=missing)
    specs = _specs(hierarchies, [name for name, role in roles.items() if role == "quasi"])
    return bind(source, roles, specs, weights=weights, person=person, allow=frozenset(allow))


def pareto(dataset: TableData, **options: Any) -> Front:
    """Trace the least loss for every k at once.

    `suppress`, `loss`, `target`, `per_node`, `seconds` are those of `shoal.algorithms.table.pareto`;
    `method="poka"` takes the paper's search instead.
    """
    return trace_front(dataset, **options)


def judge(
    release: Release | Any,
    claim: Claim,
    *,
    quasi: list[str] | None = None,
    sensitive: list[str] | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Verdict:
    """Judge a claim on a release, or on any frame whose quasi-identifiers are named.

    Examples
    --------
    >>> import polars as pl, shoal
    >>> bool(judge(pl.DataFrame({"age": ["30-39", "30-39"]}), shoal.KAnonymity(2), quasi=["age"]))
    True
    """
    if isinstance(release, Release):
        return release.dataset.judge(release.frame, replace(release.result, claim=claim))
    source: Source = from_frame(release)
    roles = {**dict.fromkeys(quasi or [], "quasi"), **dict.fromkeys(sensitive or [], "sensitive")}
    for name in roles:
        if name not in source.frame.columns:
            raise InputError(f"judge: no column '{name}'; there are {', '.join(source.frame.columns)}")
    return judge_frame(source.frame, claim, roles, hierarchies)


def _specs(given: str | os.PathLike[str] | Mapping[str, Given] | None, quasi: list[str]) -> dict[str, Spec]:
    if given is None:
        return {}
    if isinstance(given, Mapping):
        return {
            name: Path(spec) if isinstance(spec, str | os.PathLike) else spec for name, spec in given.items()
        }
    return _folder(Path(given), quasi)


def _folder(folder: Path, quasi: list[str]) -> dict[str, Spec]:
    """A hierarchy file for each column that has one: `<column>.csv`, or ARX's `..._hierarchy_<column>.csv`."""
    if not folder.is_dir():
        raise InputError(
            f"hierarchies: '{folder.name}' is no folder; give the folder that holds <column>.csv files"
        )
    files = sorted(
        path for path in folder.iterdir() if path.name.removesuffix(".gz").endswith((".csv", ".txt"))
    )
    stems = {path: path.name.removesuffix(".gz").rpartition(".")[0] for path in files}
    found: dict[str, Spec] = {}
    for name in quasi:
        for path, stem in stems.items():
            if stem == name or stem.endswith(f"_hierarchy_{name}"):
                found.setdefault(name, path)
    return found
