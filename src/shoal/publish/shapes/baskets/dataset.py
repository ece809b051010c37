"""Baskets bound to their item hierarchy and labels: everything a maker, a judge and the door need."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import polars as pl

from shoal.data import Baskets, Column, Role, Table
from shoal.data.types import I8
from shoal.discreet import Discreet
from shoal.errors import InputError
from shoal.hierarchy import Hierarchy
from shoal.io.read.cells import cells_of_rows, text
from shoal.io.read.source import Source
from shoal.privacy import claim_of
from shoal.privacy.nonreciprocal import Nonreciprocal, truth_of_votes
from shoal.publish.assess.disclosure import MANY_FIT, from_few_items, from_whole_baskets, labels
from shoal.publish.draft import Draft
from shoal.publish.following_items import Held
from shoal.publish.guards import guard_column, guard_items, guard_released, guard_secrets, guard_votes
from shoal.publish.recoding import recode_baskets
from shoal.publish.relabel import relabel_items
from shoal.publish.shapes.baskets.audit import one_cut_floor, private_audit
from shoal.publish.shapes.baskets.item_cells import basket_truth, item_cells, item_weights, reordered
from shoal.publish.shapes.baskets.judging import published_baskets
from shoal.publish.shapes.baskets.vote_cells import bit_cells, original_label, published_bits, reordered_bits
from shoal.publish.shapes.table.judging import sensitive_of
from shoal.release import Bitmaps, Claim, RecodedBaskets, Result, Verdict
from shoal.report.facts import AttributeRisk, Audit
from shoal.utility import BasketCase, VoteCase, losses_of
from shoal.utility.votes import ABSENT

__all__ = ["BasketData"]

Release = RecodedBaskets | Bitmaps


@dataclass(frozen=True, repr=False)
class BasketData(Discreet):
    """Baskets with labels and an item hierarchy, ready to be anonymized.

    table : the columns beside the items: labels (sensitive) and plain ones
    hierarchy : the items' hierarchy
    ruled : whether their owner gave it; else it groups neighbours, for makers that need one
    """

    shape: ClassVar[str] = "baskets"

    source: Source
    baskets: Baskets
    table: Table
    hierarchy: Hierarchy
    given: Mapping[str, Role]
    allow: frozenset[str] = field(default_factory=frozenset)
    ruled: bool = True

    def facts(self) -> dict[str, object]:
        """What may be shown: how many records and how many different items there are, no item."""
        return {"shape": self.shape, **self.baskets.facts()}

    @property
    def records(self) -> int:
        """How many records there are."""
        return self.baskets.n

    @property
    def cells(self) -> int:
        """How many cells or items a maker looks at."""
        return len(self.baskets.items)

    @property
    def inputs(self) -> Mapping[str, Any]:
        """What makers of baskets take."""
        label = None if self.label is None else self.label.in_one_spelling()
        return {"baskets": self.baskets, "hierarchy": self.hierarchy, "label": label}

    @cached_property
    def label(self) -> Column | None:
        """The label, where there is one."""
        found = self.table.role("sensitive")
        return found[0] if found else None

    @property
    def secrets(self) -> frozenset[str]:
        """The sensitive items."""
        return frozenset(self.baskets.values[code] for code in self.baskets.sensitive)

    def default(self, asked: Mapping[str, Any]) -> str:
        """With m the attacker knows some items, without it whole baskets; without a hierarchy items become sets."""
        if asked.get("itemsets") is not None:
            return "coat"
        if asked.get("m") is None:
            return "nonreciprocal"
        return "apriori" if self.ruled else "pcta"

    def claim(self, guarantee: Mapping[str, Any]) -> Claim:
        """The claim these numbers make for baskets."""
        return claim_of(self.shape, **guarantee)

    def guard(self, claim: Claim | None) -> None:
        """Refuse claims about labels that are not there, several labels, and plain columns that tell people apart."""
        guard_secrets(self.baskets)
        labels = len(self.table.role("sensitive"))
        if labels > 1:
            raise InputError(
                f"columns: {labels} sensitive columns; baskets take one label, give the others the role drop"
            )
        by_vote = isinstance(claim, Nonreciprocal)
        if isinstance(claim, Nonreciprocal) and claim.l is not None and not labels:
            raise InputError(
                "guarantee: l is about a label, and there is none; give one column the role sensitive"
            )
        for column in self.table.role("plain"):
            if by_vote:
                raise InputError(
                    f"column '{column.name}': baskets published by vote carry no plain column; give "
                    "it the role drop"
                )
        for column in self.table.columns:
            if column.name not in self.allow:
                guard_column(column, counts=self.table.counts)
        guard_items(self.baskets, [c for c in self.table.role("plain") if c.name not in self.allow])

    def guard_released(self, result: Result[Any]) -> None:
        """Refuse columns that follow from items and tell look-alikes apart."""
        leaves = np.empty((self.table.n, 0), dtype=np.int32)
        if isinstance(result.release, Bitmaps):
            guard_votes(self.baskets, self.label, self.allow, result)
        else:
            held = Held(self.baskets, result.release)
            guard_released(self.table, leaves, None, self.allow, result.claim, held=held)

    def recode(self, recoding: Mapping[str, Any], claim: Claim, suppress: float) -> Result[RecodedBaskets]:
        """Apply a stored cut, or stored sets of items, to these baskets."""
        if suppress:
            raise InputError(
                "recoding: its rule leaves out the items that it names and no others; take suppress out of [method]"
            )
        return Result(recode_baskets(recoding, self.baskets, self.hierarchy, claim), claim)

    def without_traces(self, result: Result[Any], remake: object = None) -> tuple["BasketData", Result[Any]]:
        """The same data and release, in labels that tell nothing of items that were left out."""
        if isinstance(result.release, Bitmaps):
            return self, result
        named, release = relabel_items(self.baskets, self.hierarchy, result.release)
        return replace(self, hierarchy=named), replace(result, release=release)

    def size(self, release: Release) -> int:
        """How many records a release has."""
        return len(release.rows)

    def shuffled(self, result: Result[Any], order: I8) -> Result[Any]:
        """The same release and proof, the rows in another order."""
        if isinstance(result.release, Bitmaps):
            return reordered_bits(result, order)
        return replace(result, release=reordered(result.release, order))

    def assemble(self, release: Release) -> pl.DataFrame:
        """The released cells: items first, then labels and plain columns as they came."""
        cells = (
            bit_cells(release)
            if isinstance(release, Bitmaps)
            else [item_cells("items", release, self.baskets.values)]
        )
        kept = [name for name in self.source.frame.columns if self.given.get(name) in ("sensitive", "plain")]
        for name in kept:
            if name in ("items", "uncertain", "errors"):
                raise InputError(f"column '{name}': baskets publish a column of that name; rename yours")
            cells.append(cells_of_rows(self.source, name, release.rows))
        return pl.DataFrame(cells)

    def roles(self, frame: pl.DataFrame) -> dict[str, str]:
        """The released columns' roles; lists of items are items."""
        known = {"items": "items", "uncertain": "items", "errors": "plain"}
        return {name: known[name] if name in known else self.given[name] for name in frame.columns}

    def judge(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Judge the claim on released cells; baskets by vote beside the originals, by proof and by possible worlds."""
        if not isinstance(result.release, Bitmaps):
            return result.claim.check(published_baskets(frame["items"], self.hierarchy, self.secrets))
        seen = published_bits(
            frame, self.baskets, self.label, None if self.label is None else self.label.name
        )
        claim = result.claim
        if isinstance(claim, Nonreciprocal) and result.proof is not None:
            proven = claim.prove(seen, np.asarray(result.proof))
            return proven if not proven else claim.check(seen)
        return claim.check(seen)

    def truth(self, frame: pl.DataFrame, result: Result[Any]) -> Verdict:
        """Check every cell against the record it stems from."""
        release = result.release
        if isinstance(release, Bitmaps):
            seen = published_bits(
                frame, self.baskets, self.label, None if self.label is None else self.label.name
            )
            return truth_of_votes(seen, release.rows)
        exempt = self._exempt(result.claim)
        return basket_truth(frame, self, release.rows, release.suppressed, exempt)

    @property
    def counts_persons(self) -> bool:
        """Return False: the rows of a person were made one basket."""
        return False

    def counts(self, release: Release) -> dict[str, int]:
        """Records in and out; the classes are the different baskets published."""
        gone = release.suppressed if isinstance(release, RecodedBaskets) else 0
        baskets = {
            release.items[a:b].tobytes() for a, b in zip(release.start[:-1], release.start[1:], strict=True)
        }
        return {
            "records_in": release.records,
            "records_out": len(release.rows),
            "suppressed": release.records - len(release.rows),
            "suppressed_items": int(gone),
            "classes": len(baskets),
        }

    def losses(self, result: Result[Any], method: Mapping[str, Any], *, public: bool) -> dict[str, float]:
        """Losses by name."""
        case = self.case(result, method)
        return losses_of(case.public() if public else case, method["parameters"].get("loss"))

    def case(self, result: Result[Any], method: Mapping[str, Any]) -> BasketCase | VoteCase:
        """The release beside all that its owner knows."""
        if isinstance(result.release, Bitmaps):
            return VoteCase(result.release, self.baskets, method["parameters"].get("absent", ABSENT))
        exempt = self._exempt(result.claim)
        return BasketCase(
            result.release, self.baskets, self.hierarchy, item_weights(self.baskets, method), exempt
        )

    def _exempt(self, claim: Claim) -> frozenset[int]:
        """The items that the claim does not count."""
        return self.baskets.sensitive if claim.exempts else frozenset()

    def audit(self, draft: Draft) -> Audit:
        """The facts that the report and the audit tell."""
        rule = self.hierarchy if self.ruled else None
        learned, secret = list(self._learned(draft)), self.label is not None or self.secrets
        why = [] if learned or not secret else [MANY_FIT]
        made = private_audit(draft, self.baskets, rule, learned, why)
        return replace(made, floor=one_cut_floor(draft, self.baskets, self.hierarchy))

    def _learned(self, draft: Draft) -> Iterator[AttributeRisk]:
        """What look-alikes tell of the label and of sensitive items."""
        release, label = draft.result.release, self.label
        if isinstance(release, Bitmaps):
            if label is not None:
                seen = published_bits(draft.frame, self.baskets, label, label.name)
                yield from from_whole_baskets(label.name, seen)
            return
        secrets = {}
        if label is not None:
            secrets[label.name] = labels(original_label(label), sensitive_of(text(draft.frame[label.name])))
        yield from from_few_items(self.baskets, release, draft.claim, secrets)
