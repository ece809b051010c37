"""A proposal: what unknown data are, what each column is and why, how it can be made coarser."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from shoal.data import Role
from shoal.discreet import Discreet, html_table
from shoal.hierarchy import Hierarchy
from shoal.io.config import ColumnSpec, Config, Data
from shoal.io.source import Source
from shoal.io.tree_spec import TreeSpec

__all__ = ["Proposal", "Proposed"]


@dataclass(slots=True, repr=False)
class Proposed(Discreet):
    """One column, or one field of record trees; change `role`, `hierarchy` or `level` as you like.

    why      : the reason for the role
    type     : what its values are: number, date, code, word or list
    missing  : in how many records it has no value
    distinct : how many different values there are
    alone    : how many people it singles out by itself
    others   : with which others it singles out most, and what share of the people they single out together
    levels   : a value and what stands for it on each level
    shared   : of an identifier, whether different people have values in common
    look     : why somebody should look at it before anything is published; empty where nothing calls for it
    """

    name: str
    role: Role
    why: str
    type: str
    missing: int = 0
    distinct: int = 0
    alone: int = 0
    others: tuple[str, ...] = ()
    together: float = 0.0
    hierarchy: Hierarchy | Mapping[str, Any] | None = None
    level: int | None = None
    separator: str | None = None
    levels: str = ""
    look: str = ""
    shared: bool = False

    def facts(self) -> dict[str, object]:
        """What may be shown: no value."""
        return {key: value for key, value in self.as_dict().items() if key not in ("why", "look")}

    def as_dict(self) -> dict[str, Any]:
        """The facts of the column; none of its values."""
        return {
            "name": self.name,
            "role": self.role,
            "why": self.why,
            "type": self.type,
            "missing": self.missing,
            "distinct": self.distinct,
            "alone": self.alone,
            "with": list(self.others),
            "together": self.together,
            "levels": self._height(),
            "look": self.look,
        }

    def _height(self) -> int:
        return self.hierarchy.height if isinstance(self.hierarchy, Hierarchy) else 0


@dataclass(slots=True, repr=False)
class Proposal(Discreet):
    """Roles and hierarchies for data that nobody has described yet.

    `proposal["age"].role = "plain"` changes one; `read()` gives the data as `shoal.read` would, `save()` writes
    shoal.toml and hierarchies/.
    """

    data: Data
    records: int
    columns: dict[str, Proposed]
    guarantee: dict[str, int]
    tree: TreeSpec | None = None
    source: Source | None = None
    nested: Sequence[Mapping[str, Any]] | None = None
    notes: tuple[str, ...] = ()
    name: str = "data"

    def __getitem__(self, name: str) -> Proposed:
        return self.columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def facts(self) -> dict[str, object]:
        """What may be shown: the shape, how many records and columns."""
        return {"shape": self.shape, "records": self.records, "columns": len(self.columns), **self.guarantee}

    @property
    def shape(self) -> str:
        """What the data are by their roles: table, baskets, mixed or trees."""
        return self.config().shape

    def config(self, folder: Path | None = None) -> Config:
        """The proposal as a configuration; its hierarchies are at hand, so no file is needed."""
        base = folder or Path()
        if self.tree is not None:
            return Config(
                base, self.data, guarantee=dict(self.guarantee), tree=self._tree(self.tree), format="ndjson"
            )
        specs = {
            name: ColumnSpec(
                one.role, one.hierarchy, separator=one.separator, level=one.level, shared=one.shared
            )
            for name, one in self.columns.items()
        }
        made = Config(base, self.data, specs, dict(self.guarantee))
        return replace(made, rows=self.data.person is not None and made.shape == "table")

    def _tree(self, tree: TreeSpec) -> TreeSpec:
        by_role = {
            role: [name for name, one in self.columns.items() if one.role == role]
            for role in ("identifier", "drop", "sensitive")
        }
        return replace(
            tree,
            identifier=next(iter(by_role["identifier"]), None),
            drop=(*by_role["identifier"][1:], *by_role["drop"]),
            sensitive=next(iter(by_role["sensitive"]), None),
            hierarchies={
                name: one.hierarchy
                for name, one in self.columns.items()
                if one.hierarchy is not None and one.role == "quasi"
            },
        )

    def read(self) -> Any:
        """The data with these roles and hierarchies, as `shoal.read` and `shoal.read_trees` give it."""
        from shoal.publish.shapes import dataset_of, open_dataset

        config = self.config()
        if self.nested is not None and config.tree is not None:
            from shoal.io.trees import grow_records
            from shoal.publish.trees.opening import tree_data

            trees = grow_records(self.nested, config.tree, self.data.missing)
            return tree_data("records", trees, config.tree.hierarchies, config.tree.negations)
        return open_dataset(config) if self.source is None else dataset_of(config, self.source)

    def save(self, folder: str | Path = ".", *, force: bool = False) -> Path:
        """Write shoal.toml and hierarchies/ into a folder, and return the path of the first.

        Raises
        ------
        InputError
            They are there already, and `force` is not given; or the data are a frame, which no file can name.
        """
        from shoal.publish.study.propose.written import save

        return save(self, Path(folder), force=force)

    def as_dict(self) -> dict[str, Any]:
        """All facts, without a value."""
        return {
            "shape": self.shape,
            "records": self.records,
            "guarantee": dict(self.guarantee),
            "person": self.data.person,
            "columns": [one.as_dict() for one in self.columns.values()],
            "notes": list(self.notes),
        }

    def table(self) -> pl.DataFrame:
        """One row per column: its role and why, its type, and how many people it singles out."""
        rows = [{**one.as_dict(), "with": ", ".join(one.others)} for one in self.columns.values()]
        return pl.DataFrame(rows)

    def plot(self) -> Any:
        """The share of the people whom each quasi-identifier singles out, alone and with others."""
        from shoal.report.figures import chart

        quasi = [one for one in self.columns.values() if one.role == "quasi"]
        shares = {
            "alone": [one.alone / max(self.records, 1) for one in quasi],
            "with one or two others": [max(one.together, one.alone / max(self.records, 1)) for one in quasi],
        }
        return chart(shares, [one.name for one in quasi], "people singled out")

    def _repr_html_(self) -> str:
        told = {one.name: f"{one.role}: {one.why}" for one in self.columns.values()}
        return html_table(f"{self.shape} of {self.records:,} records", told)
