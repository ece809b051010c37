"""The facts that the report and the audit tell of a table with baskets."""

from dataclasses import replace
from typing import Any

from shoal.assess.basket_facts import item_changes, item_counts, item_guesses, item_levels, original_counts
from shoal.assess.table_facts import facts_of_recoded
from shoal.publish.draft import Draft
from shoal.report.facts import Audit, Tradeoff
from shoal.shapes.released_values import public_places, sort_values

__all__ = ["mixed_facts"]


def mixed_facts(draft: Draft) -> Audit:
    """The facts of the table, and beside them those of the items and of the trade-off between both."""
    data: Any = draft.dataset
    release, trace, name = draft.result.release, draft.result.trace, data.baskets.name
    table = facts_of_recoded(draft, release.table, data.people)
    rule = data.hierarchy if data.ruled else None
    sorted_items = sort_values(item_counts(draft.frame[name], draft.groups), public_places(rule))
    guess = item_guesses(release.baskets, data.baskets.values)
    changes = item_changes(original_counts(data.baskets), guess, rule)
    report = replace(
        table.report,
        marginals={**table.report.marginals, name: sorted_items},
        levels=[*table.report.levels, *item_levels(name, sorted_items, rule)],
    )
    tradeoff = draft.choices.front and Tradeoff(draft.choices.front["front"], trace["table-ncp"], trace["ul"])
    return replace(
        table,
        report=report,
        before_after={**table.before_after, name: changes},
        uncounted=(),
        front=None,
        tradeoff=tradeoff or None,
    )
