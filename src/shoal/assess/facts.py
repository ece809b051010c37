"""The facts that report and audit tell of a release, by the shape of its data."""

from collections.abc import Callable, Mapping

from shoal.publish.draft import Draft
from shoal.report.facts import Audit

__all__ = ["facts_of"]


def facts_of(draft: Draft) -> Audit:
    """The facts of the audit, which only the data holder may read; those that anybody may read are its `report`."""
    return _OF_SHAPE[draft.dataset.shape](draft)


def _choose_table_facts(draft: Draft) -> Audit:
    from shoal.assess.table_facts import table_facts, table_facts_from_counts
    from shoal.publish.large.table_fragments import FragmentedTable

    return (table_facts_from_counts if isinstance(draft.dataset, FragmentedTable) else table_facts)(draft)


def _choose_basket_facts(draft: Draft) -> Audit:
    from shoal.assess.basket_facts import basket_facts, basket_facts_from_counts

    return basket_facts(draft) if draft.dataset.in_memory else basket_facts_from_counts(draft)


def _choose_mixed_facts(draft: Draft) -> Audit:
    from shoal.assess.mixed_facts import facts_from_mixed_counts, mixed_facts

    return mixed_facts(draft) if draft.dataset.in_memory else facts_from_mixed_counts(draft)


def _choose_tree_facts(draft: Draft) -> Audit:
    from shoal.assess.tree_facts import tree_facts, tree_facts_from_counts  # whose kernels are heavy

    return tree_facts(draft) if draft.dataset.in_memory else tree_facts_from_counts(draft)


_OF_SHAPE: Mapping[str, Callable[[Draft], Audit]] = {
    "table": _choose_table_facts,
    "baskets": _choose_basket_facts,
    "mixed": _choose_mixed_facts,
    "trees": _choose_tree_facts,
}
"""By shape what finds its facts; each is imported where it is wanted."""
