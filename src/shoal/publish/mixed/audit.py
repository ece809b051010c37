"""The facts that the report and the audit tell of a released table with baskets."""

from dataclasses import replace

from shoal.data import Baskets
from shoal.publish.baskets.audit import item_counts, original_counts
from shoal.publish.draft import Draft
from shoal.report.facts import Audit, Tradeoff

__all__ = ["private_audit"]


def private_audit(draft: Draft, table: Audit, baskets: Baskets) -> Audit:
    """The facts of the table, and beside them those of the items and of the trade-off between both."""
    after = item_counts(draft.frame[baskets.name])
    before = original_counts(baskets)
    both = [(word, float(before.get(word, 0)), float(after.get(word, 0))) for word in before | after]
    report = replace(table.report, marginals={**table.report.marginals, baskets.name: list(after.items())})
    trace = draft.result.trace
    traced = draft.front and Tradeoff(draft.front["front"], trace["table-ncp"], trace["ul"])
    return replace(
        table,
        report=report,
        before_after={**table.before_after, baskets.name: both},
        front=None,
        tradeoff=traced or None,
    )
