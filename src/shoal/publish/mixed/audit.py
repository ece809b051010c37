"""The facts that the report and the audit tell of a released table with baskets."""

from collections.abc import Mapping
from dataclasses import replace

from shoal.algorithms import METHODS
from shoal.data import Baskets, Mixed
from shoal.data.types import I8
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.publish.assess.disclosure import MANY_FIT, MANY_SETS, Both, by_some_items, from_few_items
from shoal.publish.baskets.audit import (
    item_changes,
    item_counts,
    item_guesses,
    item_levels,
    original_counts,
)
from shoal.publish.draft import Draft
from shoal.publish.released_values import in_order, public_places
from shoal.publish.table.audit import along
from shoal.report.facts import Audit, Tradeoff
from shoal.utility import class_of_rows

__all__ = ["floor_of", "private_audit"]


def private_audit(
    draft: Draft,
    table: Audit,
    baskets: Baskets,
    hierarchy: Hierarchy | None,
    classes: I8,
    secrets: Mapping[str, Both],
) -> Audit:
    """The facts of the table, and beside them those of the items and of the trade-off between both.

    `classes` numbers the original records by all their quasi-identifiers; `secrets` are its sensitive columns.
    """
    name = baskets.name
    told = in_order(item_counts(draft.frame[name]), public_places(hierarchy))
    release = draft.result.release
    guess = item_guesses(release.baskets, baskets.values)
    both = (classes, class_of_rows(release.table))
    report = replace(
        table.report,
        marginals={**table.report.marginals, name: told},
        levels=[*table.report.levels, *item_levels(name, told, hierarchy)],
    )
    trace = draft.result.trace
    traced = draft.front and Tradeoff(draft.front["front"], trace["table-ncp"], trace["ul"])
    exposed = list(by_some_items(baskets, release.baskets, draft.claim, both))
    learned = list(from_few_items(baskets, release.baskets, draft.claim, secrets, both))
    unlearned = [] if learned or not (secrets or baskets.sensitive) else [MANY_FIT]
    return replace(
        table,
        report=report,
        before_after={**table.before_after, name: item_changes(original_counts(baskets), guess, hierarchy)},
        exposed=[*table.exposed, *exposed],
        learned=[*table.learned, *learned],
        uncounted=[*([] if exposed else [MANY_SETS]), *unlearned],
        front=None,
        tradeoff=traced or None,
    )


def floor_of(draft: Draft, mixed: Mixed, hierarchies: Hierarchies, item_hierarchy: Hierarchy) -> float | None:
    """What no recoding along the hierarchies loses less than; None where this one writes more than nodes."""
    release, exempt = draft.result.release, mixed.baskets.sensitive if draft.claim.exempts else frozenset()
    secret = {mixed.baskets.values[code] for code in exempt}
    nodes = all(label in item_hierarchy.places or label in secret for label in release.baskets.forms.labels)
    made = draft.method["name"] in METHODS  # not by a stored rule
    if not made or not nodes or not along(release.table, hierarchies) or draft.claim.crowd < 2:
        return None
    from shoal.algorithms.mixed.mixed_floor import mixed_floor  # kernels are heavy

    return mixed_floor(mixed, hierarchies, item_hierarchy, draft.claim).ncp
