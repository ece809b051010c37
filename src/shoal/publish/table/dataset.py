"""A table bound to its hierarchies: everything a maker, a judge and the door need, read and checked once."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.data import Role, Table
from shoal.data.types import I4, I8
from shoal.discreet import Discreet
from shoal.hierarchy import Hierarchies
from shoal.io.cells import kept_cells
from shoal.io.source import Source
from shoal.privacy import claim_of
from shoal.publish.draft import Draft
from shoal.publish.guards import guard, guard_released
from shoal.publish.recoding import recode_table
from shoal.publish.table.audit import private_audit
from shoal.publish.table.judging import judge_frame, judge_truth
from shoal.publish.traces import table_without_traces
from shoal.release import Claim, Recoded, Result, Verdict
from shoal.report.facts import Audit
from shoal.utility import TableCase, class_of_rows, losses_of

__all__ = ["TableData"]

_FULL_DOMAIN = ("loss", "target")
_COLUMNS, _RECORDS = 9, 50_000  # Adult, 30,162 records of 9 columns, takes 3 s; many more were not tried


@dataclass(frozen=True, repr=False)
class TableData(Discreet):
    """A table with roles and hierarchies, ready to be anonymized.

    `allow` names columns the user publishes knowingly, whatever they give away.
    """

    shape: ClassVar[str] = "table"

    source: Source
    table: Table
    hierarchies: Hierarchies
    given: Mapping[str, Role]
    allow: frozenset[str] = field(default_factory=frozenset)

    @cached_property
    def leaves(self) -> I4:
        """int32[n, d]: each record's leaf code in each quasi-identifier."""
        codes = [self.hierarchies[column.name].encode(column) for column in self.table.quasi]
        return np.stack(codes, axis=1) if codes else np.empty((self.table.n, 0), dtype=np.int32)

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records, which columns have which role, how high hierarchies are."""
        heights = ", ".join(f"{name} {found.height}" for name, found in self.hierarchies.items())
        return {"shape": self.shape, **self.table.facts(), "heights of hierarchies": heights}

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.table.records

    @property
    def cells(self) -> int:
        """How many cells or items a maker looks at."""
        return self.table.n * len(self.table.quasi)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What makers of tables take."""
        return {"table": self.table.in_one_spelling(), "hierarchies": self.hierarchies}

    def default(self, asked: Mapping[str, Any]) -> str:
        """Local recoding, which loses least; full-domain recoding where something is asked that only it can do."""
        if any(key in asked for key in _FULL_DOMAIN):
            return "optimal"
        few = len(self.table.quasi) <= _COLUMNS and self.table.records <= _RECORDS
        return "mstk" if few else "mondrian"

    def claim(self, guarantee: Mapping[str, Any]) -> Claim:
        """The claim these numbers make for a table."""
        return claim_of(self.shape, **guarantee)

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[Recoded]:
        """Publish every column at its stored level; small classes are left out within the allowance."""
        return Result(
            recode_table(recoding, self.table, self.hierarchies, self.leaves, claim, suppress), claim
        )

    def guard(self, claim: Claim | None) -> None:
        """Refuse empty claims and plain columns that give people away."""
        guard(self.table, self.leaves, self.allow, claim)

    def guard_released(self, result: Result[Recoded]) -> None:
        """Refuse plain columns that follow from quasi-identifiers and tell look-alikes apart."""
        guard_released(self.table, self.leaves, result.release, self.allow, result.claim)

    def without_traces(self, result: Result[Recoded]) -> tuple["TableData", Result[Recoded]]:
        """The same data and release, in labels that tell nothing of suppressed records."""
        named, release = table_without_traces(self.table, self.hierarchies, self.leaves, result.release)
        return replace(self, hierarchies=named), replace(result, release=release)

    def size(self, release: Recoded) -> int:
        """How many records a release has."""
        return len(release.rows)

    def shuffled(self, result: Result[Recoded], order: I8) -> Result[Recoded]:
        """The same release, its rows in another order."""
        release = result.release
        return replace(result, release=release.taken(order))

    def assemble(self, release: Recoded) -> pl.DataFrame:
        """The released cells: input column order, identifiers left out, other columns as they came."""
        columns = []
        for name in self.source.frame.columns:
            role = self.given.get(name, "identifier")
            if role == "quasi":
                j = release.names.index(name)
                labels = pl.Series(name, release.forms[j].labels, dtype=pl.String)
                columns.append(labels.gather(pl.Series(release.codes[:, j])))
            elif role != "identifier":
                columns.append(kept_cells(self.source, name, release.rows))
        return pl.DataFrame(columns)

    def roles(self, frame: pl.DataFrame) -> dict[str, str]:
        """The released columns' roles."""
        return {name: self.given[name] for name in frame.columns}

    def judge(self, frame: pl.DataFrame, result: Result[Recoded]) -> Verdict:
        """Judge the claim on released cells; whose each row is stays here."""
        persons = self.table.persons
        whose = None if persons is None else persons[result.release.rows]
        counts = result.release.counts
        return judge_frame(frame, result.claim, self.roles(frame), self.hierarchies, whose, counts)

    def truth(self, frame: pl.DataFrame, result: Result[Recoded]) -> Verdict:
        """Check every cell against the record it stems from."""
        return judge_truth(frame, self.table, self.hierarchies, self.leaves, result.release.rows)

    @property
    def counts_persons(self) -> bool:
        """Whether several rows may be one person's."""
        return self.table.persons is not None

    def counts(self, release: Recoded) -> dict[str, int]:
        """Records in and out, and classes."""
        return {
            "records_in": release.records,
            "records_out": release.kept,
            "suppressed": release.suppressed,
            "suppressed_items": 0,
            "classes": len(np.unique(class_of_rows(release))),
        }

    def losses(self, result: Result[Recoded], method: Mapping[str, Any], *, public: bool) -> dict[str, float]:
        """Losses by name."""
        case = self.case(result, method)
        return losses_of(case.public() if public else case, method["parameters"].get("loss"))

    def case(self, result: Result[Recoded], method: Mapping[str, Any]) -> TableCase:
        """The release beside all that its owner knows."""
        return TableCase(
            result.release,
            self.hierarchies,
            weights={column.name: column.weight for column in self.table.quasi},
            k=result.claim.crowd if result.claim.crowd > 1 else None,
            target=self._target(method),
            leaves=self.leaves,
            counts=self.table.counts,
        )

    def _target(self, method: Mapping[str, Any]) -> I4 | None:
        """The column whose prediction is priced, if the maker was given one that is released as it is."""
        name = method["parameters"].get("target")
        published = [column for column in self.table.columns if column.role in ("sensitive", "plain")]
        return next((column.codes for column in published if column.name == name), None)

    def audit(self, draft: Draft) -> Audit:
        """The facts that the report and the audit tell."""
        return self.audit_of(draft, draft.result.release)

    def audit_of(self, draft: Draft, release: Recoded) -> Audit:
        """The facts of the recoded table `release`, of which a draft may be only in part."""
        return private_audit(draft, release, self.table, self.hierarchies, self.leaves)
