"""A table with baskets, bound to its hierarchies: a table and baskets side by side."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.data import Baskets, Column, Mixed
from shoal.data.types import I8
from shoal.discreet import Discreet
from shoal.errors import InfeasibleError, InputError
from shoal.hierarchy import Hierarchy
from shoal.io.read.cells import text
from shoal.io.read.source import Source
from shoal.privacy import claim_of
from shoal.publish.assess.disclosure import labels
from shoal.publish.baskets.item_cells import item_cells, item_truth, item_weights, reordered
from shoal.publish.baskets.judging import published_baskets
from shoal.publish.baskets.vote_cells import original_label
from shoal.publish.draft import Draft
from shoal.publish.following_items import Held
from shoal.publish.guards import guard_items, guard_released, guard_secrets
from shoal.publish.mixed.audit import floor_of, private_audit
from shoal.publish.relabel import relabel_items
from shoal.publish.table.dataset import TableData
from shoal.publish.table.judging import judge_truth, published, sensitive_of
from shoal.release import Claim, PublishedMixed, RecodedMixed, Result, Verdict
from shoal.report.facts import Audit
from shoal.utility import BasketCase, MixedCase, class_ids, losses_of
from shoal.utility.queries import Query, mixed_are, mixed_workload

__all__ = ["MixedData"]


@dataclass(frozen=True, repr=False)
class MixedData(Discreet):
    """A table and baskets of the same records, ready to be anonymized.

    people : the table, without its items columns
    baskets : the baskets by record
    hierarchy : the items' hierarchy
    before : the columns that the items stand behind; by default all
    ruled : whether the items' hierarchy was given; else items become sets
    """

    shape: ClassVar[str] = "mixed"

    source: Source
    people: TableData
    baskets: Baskets
    hierarchy: Hierarchy
    before: tuple[str, ...] | None = None
    ruled: bool = True

    def facts(self) -> dict[str, object]:
        """What may be shown of both parts."""
        return {**self.people.facts(), **self.baskets.facts(), "shape": self.shape}

    @cached_property
    def mixed(self) -> Mixed:
        """Both parts as makers take them."""
        return Mixed(self.people.table, self.baskets)

    @property
    def allow(self) -> frozenset[str]:
        """The columns that their owner publishes knowingly."""
        return self.people.allow

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.baskets.n

    @property
    def cells(self) -> int:
        """How many cells or items a maker looks at."""
        return self.people.cells + len(self.baskets.items)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What makers of tables with baskets take."""
        rule = self.hierarchy if self.ruled else None
        return {"mixed": self.mixed, "hierarchies": self.people.hierarchies, "item_hierarchy": rule}

    @property
    def secrets(self) -> frozenset[str]:
        """The sensitive items."""
        return frozenset(self.baskets.values[code] for code in self.baskets.sensitive)

    def default(self, asked: Mapping[str, Any]) -> str:
        """The paper's framework."""
        return "bound"

    def claim(self, guarantee: Mapping[str, Any]) -> Claim:
        """The claim these numbers make: all quasi-identifiers and m items are known."""
        return claim_of(self.shape, **guarantee)

    def guard(self, claim: Claim | None) -> None:
        """Refuse what a table refuses, and l without a sensitive item."""
        self.people.guard(None)
        guard_items(self.baskets, self._guarded())
        guard_secrets(self.baskets)
        if claim is not None and claim.exempts and not self.baskets.sensitive:
            raise InputError(
                "guarantee: l is about sensitive items, and none is named; set sensitive = [...]"
            )

    def _guarded(self) -> list[Column]:
        """The plain columns that their owner does not let out whatever they tell."""
        return [c for c in self.people.table.role("plain") if c.name not in self.people.allow]

    def guard_released(self, result: Result[RecodedMixed]) -> None:
        """Refuse columns that tell look-alikes apart, and a claim about sensitive items that are all left out."""
        baskets = result.release.baskets
        secrets = published_baskets(item_cells("items", baskets, self.baskets.values), None, self.secrets)
        if result.claim.exempts and not np.isin(secrets.items, list(secrets.sensitive)).any():
            raise InfeasibleError(
                f"{result.claim.named}: every sensitive item had to be left out, so the claim would be empty; lower l, "
                "or let the table lose more (delta)"
            )
        people, table = self.people, result.release.table
        held = Held(self.baskets, baskets)
        guard_released(people.table, people.leaves, table, self.allow, result.claim, held=held)

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[RecodedMixed]:
        """Refuse to apply a recoding, because every class has a recoding of its own."""
        raise InputError(
            "recoding: tables with baskets are recoded separately for each class; run a maker on the new records"
        )

    def without_traces(
        self, result: Result[RecodedMixed], remake: object = None
    ) -> tuple["MixedData", Result[RecodedMixed]]:
        """The same data and release, in labels that tell nothing of records and items that were left out."""
        people, table = self.people.without_traces(Result(result.release.table, result.claim))
        named, baskets = relabel_items(self.baskets, self.hierarchy, result.release.baskets)
        moved = replace(result, release=RecodedMixed(table.release, baskets))
        return replace(self, people=people, hierarchy=named), moved

    def size(self, release: RecodedMixed) -> int:
        """How many records a release has."""
        return len(release.table.rows)

    def shuffled(self, result: Result[RecodedMixed], order: I8) -> Result[RecodedMixed]:
        """The same release, its rows in another order."""
        table, baskets = result.release.table, result.release.baskets
        moved = RecodedMixed(
            replace(table, codes=table.codes[order], rows=table.rows[order]), reordered(baskets, order)
        )
        return replace(result, release=moved)

    def assemble(self, release: RecodedMixed) -> pl.DataFrame:
        """The table's cells, and the items under their column's name, where they stood."""
        cells = self.people.assemble(release.table)
        before = cells.columns if self.before is None else self.before
        place = sum(name in before for name in cells.columns)
        return cells.insert_column(place, item_cells(self.baskets.name, release.baskets, self.baskets.values))

    def roles(self, frame: pl.DataFrame) -> dict[str, str]:
        """The released columns' roles."""
        return {
            name: "items" if name == self.baskets.name else self.people.given[name] for name in frame.columns
        }

    def judge(self, frame: pl.DataFrame, result: Result[RecodedMixed]) -> Verdict:
        """Judge the claim on released cells."""
        table = published(frame, self.people.roles(frame.drop(self.baskets.name)))
        return result.claim.check(
            PublishedMixed(table, published_baskets(frame[self.baskets.name], self.hierarchy, self.secrets))
        )

    def truth(self, frame: pl.DataFrame, result: Result[RecodedMixed]) -> Verdict:
        """Check every cell against the record it stems from."""
        people, release = self.people, result.release
        said = judge_truth(frame, people.table, people.hierarchies, people.leaves, release.table.rows)
        if not said:
            return said
        baskets = release.baskets
        exempt = self._exempt(result.claim)
        cells = frame[self.baskets.name]
        return item_truth(cells, self.baskets, self.hierarchy, baskets.rows, baskets.suppressed, exempt)

    @property
    def counts_persons(self) -> bool:
        """Return False: a record is one row."""
        return False

    def counts(self, release: RecodedMixed) -> dict[str, int]:
        """Records in and out, classes, and items left out."""
        return self.people.counts(release.table) | {"suppressed_items": int(release.baskets.suppressed)}

    def losses(
        self, result: Result[RecodedMixed], method: Mapping[str, Any], *, public: bool
    ) -> dict[str, float]:
        """Losses by name."""
        case = self.case(result, method)
        return losses_of(case.public() if public else case, method["parameters"].get("loss"))

    def case(self, result: Result[RecodedMixed], method: Mapping[str, Any]) -> MixedCase:
        """The release beside all that its owner knows."""
        release = result.release
        exempt = self._exempt(result.claim)
        return MixedCase(
            release,
            self.mixed,
            self.people.case(Result(release.table, result.claim), method),
            BasketCase(
                release.baskets, self.baskets, self.hierarchy, item_weights(self.baskets, method), exempt
            ),
        )

    def _exempt(self, claim: Claim) -> frozenset[int]:
        """The items that the claim does not count."""
        return self.baskets.sensitive if claim.exempts else frozenset()

    def workload(
        self, *, seed: int, queries: int = 100, values: int = 2, items: int = 2
    ) -> tuple[Query, ...]:
        """Draw queries for `are`: of so many quasi-identifiers and items each, and somebody fits every one."""
        return mixed_workload(self.mixed, seed=seed, queries=queries, values=values, items=items)

    def are(self, draft: Draft, queries: Collection[Query]) -> float:
        """The average relative error of counting queries on a release of these records."""
        return mixed_are(queries, draft.result.release, self.mixed, self.people.hierarchies, self.hierarchy)

    def audit(self, draft: Draft) -> Audit:
        """The facts that the report and the audit tell."""
        table = self.people.audit_of(draft, draft.result.release.table)
        rule = self.hierarchy if self.ruled else None
        secrets = {
            column.name: labels(original_label(column), sensitive_of(text(draft.frame[column.name])))
            for column in self.people.table.role("sensitive")
        }
        made = private_audit(draft, table, self.baskets, rule, class_ids(list(self.people.leaves.T)), secrets)
        return replace(made, floor=floor_of(draft, self.mixed, self.people.hierarchies, self.hierarchy))
