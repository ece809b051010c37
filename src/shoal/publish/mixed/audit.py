"""The facts that the report and the audit tell of a released table with baskets."""

from dataclasses import replace

from shoal.data import Baskets
from shoal.hierarchy import Hierarchy
from shoal.publish.baskets.audit import (
    item_changes,
    item_counts,
    item_guesses,
    item_levels,
    original_counts,
)
from shoal.publish.draft import Draft
from shoal.publish.released_values import in_order, public_places
from shoal.report.facts import Audit, Tradeoff

__all__ = ["private_audit"]


def private_audit(draft: Draft, table: Audit, baskets: Baskets, hierarchy: Hierarchy | None) -> Audit:
    """The facts of the table, and beside them those of the items and of the trade-off between both."""
    name = baskets.name
    told = in_order(item_counts(draft.frame[name]), public_places(hierarchy))
    guess = item_guesses(draft.result.release.baskets, baskets.values)
    report = replace(
        table.report,
        marginals={**table.report.marginals, name: told},
        levels=[*table.report.levels, *item_levels(name, told, hierarchy)],
    )
    trace = draft.result.trace
    traced = draft.front and Tradeoff(draft.front["front"], trace["table-ncp"], trace["ul"])
    return replace(
        table,
        report=report,
        before_after={**table.before_after, name: item_changes(original_counts(baskets), guess, hierarchy)},
        front=None,
        tradeoff=traced or None,
    )
