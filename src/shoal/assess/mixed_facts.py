"""The facts that the report and the audit tell of a table with baskets."""

from dataclasses import replace
from typing import Any

from shoal.assess.basket_facts import (
    item_changes,
    item_counts,
    item_guesses,
    item_guesses_of_counts,
    item_levels,
    original_counts,
    sort_by_frequency,
)
from shoal.assess.table_facts import facts_of_recoded, table_facts_from_counts
from shoal.publish.draft import Draft
from shoal.report.facts import Audit, Tradeoff
from shoal.shapes.baskets.verification import list_published_entries
from shoal.shapes.released_values import entry_words, public_places, sort_values

__all__ = ["facts_from_mixed_counts", "mixed_facts"]


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


def facts_from_mixed_counts(draft: Draft) -> Audit:
    """The same of a table with baskets in fragments, as far as counts tell them."""
    data: Any = draft.dataset
    release: Any = draft.result.release
    name, values = data.baskets.name, data.baskets.values
    table = table_facts_from_counts(draft, data.people, release.table)
    rule = data.hierarchy if data.ruled else None
    words = entry_words(list_published_entries(release.baskets, values))
    sorted_items = sort_values(sort_by_frequency(release.held, words), public_places(rule))
    guess = item_guesses_of_counts(release.baskets.forms, release.held, values)
    before = sort_by_frequency(data.people.dictionary.items.counts, values)
    report = replace(
        table.report,
        marginals={**table.report.marginals, name: sorted_items},
        levels=[*table.report.levels, *item_levels(name, sorted_items, rule)],
    )
    return replace(
        table,
        report=report,
        before_after={**table.before_after, name: item_changes(before, guess, rule)},
    )
