"""How exposed people are, before and after: the sections of the audit that attackers who look for somebody's row fill.

One count serves them all, on one reading: what attackers see. How few records share some choice of what the claim says
may be known is counted for every original and for every released row, both as attackers read them: originals are a
release of themselves. `exposed` tells both sides, the attackers inside the claim are handed the same count (`attack`),
`learned` tells what those who fit say of sensitive values, and `beyond` counts who is found by attackers beyond the
claim. So no two of these sections can contradict each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.attacks.result import Outcome
from shoal.attacks.view_items import ItemView, MixedView
from shoal.attacks.view_table import TableView
from shoal.attacks.view_trees import TreeView
from shoal.attacks.votes import VoteView
from shoal.data import Baskets, Trees
from shoal.data.arrays import B1, I4, I8, concatenate_ranges, row_of_entry
from shoal.privacy.equivalence_class import sensitive_codes
from shoal.release import Claim, Sensitive
from shoal.report.facts import AttributeRisk, IdentityRisk
from shoal.risks.individual import (
    KnowledgeFits,
    SensitiveValues,
    attribute_disclosure,
    collect_sensitive_values,
    count_equal_baskets,
    knowledge_fits,
    summarize_risks,
)
from shoal.utility.classes import class_ids

__all__ = [
    "MANY_FIT",
    "MANY_SETS",
    "Both",
    "Crowds",
    "_tree_attribute_risks",
    "attribute_risks",
    "beyond_claim",
    "crowd_of_claim",
    "crowds_of",
    "identity_risks",
    "pair_labels",
    "whole_basket_risk",
]

MANY_SETS = (
    "how likely people are found was not counted: the records hold too many combinations of what may be known; "
    "`shoal risk` takes the time to count those of the originals"
)
_MOST_SETS = 1 << 27  # sets of items that are counted in seconds
_MOST_ITEMS = 3


@dataclass(frozen=True, slots=True)
class Crowds:
    """How few records share some choice of what may be known with each record.

    known            : what that is, in words
    items, relations : how many items or values, and relations among them
    before, after    : int64[records], int64[rows]: how few, the record itself among them
    """

    known: str
    items: int
    relations: int
    before: I8
    after: I8


def crowds_of(view: TableView | ItemView | MixedView | VoteView | TreeView, claim: Claim) -> list[Crowds]:
    """Count for everybody, for whoever knows as much as the claim says; nothing of classes and of votes.

    Of items, or of the forms in which they were published, that is up to m, of a table beside all quasi-identifiers; of
    a tree up to m values, and up to one relation among them.
    """
    match view:
        case MixedView():
            return list(_item_crowds(view.sides(exempt=claim.exempts), claim, _classes_of(view)))
        case TreeView():
            return list(_tree_value_crowds(view, claim))
        case ItemView():
            return list(_item_crowds(view.sides(exempt=view.exempt), claim))
        case _:
            return []


def _classes_of(view: MixedView) -> tuple[I8, I8]:
    """Originals and rows, numbered by all their quasi-identifiers."""
    return class_ids(list(view.table.values.T)), class_ids(list(view.table.forms.T))


def _item_crowds(
    sides: tuple[Baskets, Baskets], claim: Claim, classes: tuple[I8, I8] | None = None
) -> Iterator[Crowds]:
    from shoal.risks.identity_disclosure import measure_item_disclosure  # kernels are heavy; tables need none

    m = min(getattr(claim, "m", None) or 1, _MOST_ITEMS)
    if max(_count_item_sets(side.start, m) for side in sides) > _MOST_SETS:
        return
    quasi_words = "" if classes is None else "all quasi-identifiers and "
    counts = (
        measure_item_disclosure(side, kind) for side, kind in zip(sides, classes or (None, None), strict=True)
    )
    for original_crowds, released_crowds in islice(zip(*counts, strict=True), m):
        if original_crowds.least is not None and released_crowds.least is not None:
            knowledge = (
                f"{quasi_words}any {original_crowds.items} item{'' if original_crowds.items == 1 else 's'}"
            )
            yield Crowds(knowledge, original_crowds.items, 0, original_crowds.least, released_crowds.least)


def _tree_value_crowds(view: TreeView, claim: Claim) -> Iterator[Crowds]:
    from shoal.risks.identity_disclosure import measure_value_disclosure

    m, n = min(getattr(claim, "m", 1), _MOST_ITEMS), getattr(claim, "n", 0)
    sides = [_hide_field(trees, view.hidden) for trees in (view.original, view.released)]
    if max(_count_item_sets(side.start, m) for side in sides) > _MOST_SETS:
        return
    for original_crowds, released_crowds in zip(*map(measure_value_disclosure, sides), strict=True):
        if original_crowds.items > m:
            return
        if (
            original_crowds.relations <= n
            and original_crowds.least is not None
            and released_crowds.least is not None
        ):
            values = f"any {original_crowds.items} value{'' if original_crowds.items == 1 else 's'}"
            knowledge = f"{values}{' and a relation among them' if original_crowds.relations else ''}"
            yield Crowds(
                knowledge,
                original_crowds.items,
                original_crowds.relations,
                original_crowds.least,
                released_crowds.least,
            )


def _hide_field(trees: Trees, field: str | None) -> Trees:
    """The same trees, the values of one field being nobody's to know."""
    return replace(trees, sensitive=field if field in trees.classes else None)


def _count_item_sets(start: I8, m: int) -> int:
    """How many sets of m items the records hold."""
    return sum(
        int(record_count) * comb(size, m)
        for size, record_count in enumerate(np.bincount(np.diff(start), minlength=1))
    )


def crowd_of_claim(found: Sequence[Crowds], claim: Claim) -> I8 | None:
    """How few rows share with each row as much as the claim says may be known; None where that was not counted."""
    claim_facts: Mapping[str, Any] = next(
        (part.as_dict() for part in claim.parts if "m" in part.as_dict()), {"m": 0}
    )
    m, n = int(claim_facts["m"]), int(claim_facts.get("n", 0))
    relations = min(n, comb(m, 2))
    return next(
        (crowds.after for crowds in found if (crowds.items, crowds.relations) == (m, relations)), None
    )


def identity_risks(found: Sequence[Crowds], claim: Claim) -> list[IdentityRisk]:
    """How likely people are found by each thing that may be known, in the originals and in the release."""
    k = max(claim.crowd, 2)
    return [
        IdentityRisk(crowds.known, 1 / k, _crowd_chances(crowds.before, k), _crowd_chances(crowds.after, k))
        for crowds in found
    ]


def whole_basket_risk(
    baskets: Baskets, claim: Claim, played: Sequence[Outcome], reached: float
) -> IdentityRisk:
    """Whoever knows whole baskets, which were published by vote.

    Of the release it is what came of whoever knows all of them; where nobody was played, the judge found `reached` rows
    for each person at least.
    """
    k = max(claim.crowd, 2)
    chances = next((outcome.chances for outcome in played if outcome.name == "every-basket"), None)
    rows = None if chances is None else np.rint(1 / chances[chances > 0]).astype(np.int64)
    released_chances = {"highest": 1 / max(reached, 1)} if rows is None else _crowd_chances(rows, k)
    return IdentityRisk(
        "the whole basket", 1 / k, _crowd_chances(count_equal_baskets(baskets), k), released_chances
    )


def _crowd_chances(crowd: I8, k: int) -> dict[str, float]:
    """What an attacker achieves for whom each person hides among so many."""
    return summarize_risks(1 / crowd, k) if len(crowd) else {}


# --- what those who fit a little knowledge tell of sensitive values

MANY_FIT = (
    "what look-alikes reveal about sensitive values was not counted: too many records fit too many choices of what "
    "may be "
    "known"
)
_MOST = 1 << 22  # pairs of knowledge and a record who fits it, which are looked at in a second or two
_MOST_FEW = 2
_MOST_COMPARED = 1 << 18  # items of baskets whose rows are compared once more

Both = tuple[SensitiveValues, SensitiveValues]
"""Before and after."""
Classes = NDArray[np.integer]


def attribute_risks(
    view: ItemView | MixedView | VoteView | TreeView, claim: Claim, columns: Mapping[str, Both]
) -> Iterator[AttributeRisk]:
    """What those tell of sensitive values whom a little knowledge fits, in the originals and in the release.

    All is counted on what the attackers see. `columns` are the sensitive ones beside the items.
    """
    if isinstance(view, TreeView):
        original_trees, released_trees = (
            _hide_field(trees, view.hidden) for trees in (view.original, view.released)
        )
        yield from _tree_attribute_risks(
            original_trees, released_trees, getattr(claim, "m", 1), getattr(claim, "n", 0)
        )
    elif isinstance(view, VoteView):
        for name, secrets in columns.items():
            yield from _risks_from_whole_baskets(name, view, secrets)
    else:
        yield from _risks_from_few_items(view, claim, columns)


def _risks_from_few_items(
    view: ItemView | MixedView, claim: Claim, columns: Mapping[str, Both]
) -> Iterator[AttributeRisk]:
    """What a few known items tell of each of some columns, and of the sensitive items, beside all quasi-identifiers."""
    m = getattr(claim, "m", None) or 1
    classes = _classes_of(view) if isinstance(view, MixedView) else None
    all_sides = view.sides(exempt=False)
    original_values, released_values = (
        _select_sensitive(side.start, side.items, list(side.sensitive)) for side in all_sides
    )
    sensitive_items = (
        {"sensitive items": (original_values, released_values)} if all_sides[0].sensitive else {}
    )
    for exempt, sensitive in ((claim.exempts, columns), (True, sensitive_items)):
        known_sides = view.sides(exempt=exempt)
        yield from _risks_by_item_count(
            [(known_side.start, known_side.items) for known_side in known_sides], m, sensitive, classes
        )


def _risks_by_item_count(
    lists: Sequence[tuple[I8, I4]],
    m: int,
    secrets: Mapping[str, Both],
    classes: tuple[Classes, Classes] | None,
) -> Iterator[AttributeRisk]:
    pair = (None, None) if classes is None else classes
    if not secrets or any(len(start) < 2 for start, _ in lists):
        return
    for items in range(min(m, _MOST_FEW), 0, -1):
        knowledge = f"any {items} item{'' if items == 1 else 's'}"
        original_fits, released_fits = (
            knowledge_fits(*item_list, items, class_of_record, most=_MOST)
            for item_list, class_of_record in zip(lists, pair, strict=True)
        )
        if original_fits is not None and released_fits is not None:
            quasi_words = "" if classes is None else "all quasi-identifiers and "
            for name, (old, new) in secrets.items():
                yield AttributeRisk(
                    name,
                    _disclosure_figures(original_fits, old),
                    _disclosure_figures(released_fits, new),
                    f"{quasi_words}{knowledge}",
                )
            return


def _select_sensitive(start: I8, items: NDArray[np.integer], some: Sequence[int]) -> SensitiveValues:
    is_selected = np.isin(items, some)
    return collect_sensitive_values(
        row_of_entry(start)[is_selected], items[is_selected].astype(np.int64), len(start) - 1
    )


def pair_labels(before: Sensitive, after: Sensitive) -> Both:
    """One value of each record, before and after."""
    old, new = sensitive_codes(before), sensitive_codes(after)
    return SensitiveValues(np.arange(len(old) + 1), old), SensitiveValues(np.arange(len(new) + 1), new)


def _risks_from_whole_baskets(name: str, view: VoteView, secrets: Both) -> Iterator[AttributeRisk]:
    """What the rows tell that may be a person's whose whole basket is known; before, the records with that basket."""
    items = view.published.original_items
    if items is None or len(items) > _MOST_COMPARED or view.fits is None or view.counts is None:
        return
    fits, counts = view.fits, view.counts
    size = fits.rows.count[fits.row[counts]]
    if size.sum() > _MOST:
        return
    order = np.argsort(fits.rows.of, kind="stable")
    first_rows = np.cumsum(fits.rows.count) - fits.rows.count
    rows = KnowledgeFits(
        np.repeat(fits.basket[counts], size), order[concatenate_ranges(first_rows[fits.row[counts]], size)]
    )
    group_of_basket = fits.baskets.of
    old, is_given_before = attribute_disclosure(
        KnowledgeFits(group_of_basket, np.arange(len(group_of_basket))), secrets[0]
    )
    new, is_given_after = attribute_disclosure(rows, secrets[1])
    yield AttributeRisk(
        name,
        {**old, "given_away": float(is_given_before[group_of_basket].mean())},
        {**new, "given_away": float(is_given_after[group_of_basket].mean())},
        "the whole basket",
    )


def _tree_attribute_risks(trees: Trees, released: Trees, m: int, n: int) -> Iterator[AttributeRisk]:
    """What up to m known values of a tree tell of its sensitive field, with a relation between two of them if n allows.

    Nothing where no field is sensitive, or there are too many choices.
    """
    if trees.sensitive is None or not trees.n or not released.n:
        return
    for values in range(min(m, _MOST_FEW), 0, -1):
        with_relation = values > 1 and n > 0
        original_fits, released_fits = (
            _fit_tree_values(side, values, with_relation) for side in (trees, released)
        )
        if original_fits is not None and released_fits is not None:
            knowledge = f"any {values} value{'' if values == 1 else 's'}"
            yield AttributeRisk(
                trees.sensitive,
                _disclosure_figures(original_fits, _secret_values(trees)),
                _disclosure_figures(released_fits, _secret_values(released)),
                f"{knowledge}{' and a relation among them' if with_relation else ''}",
            )
            return


def _secret_values(trees: Trees) -> SensitiveValues:
    """The values of the sensitive field in each record."""
    is_secret = np.zeros(len(trees.items), dtype=bool)
    if trees.sensitive in trees.classes:
        is_secret = trees.kinds[trees.items] == trees.classes.index(trees.sensitive)
    return collect_sensitive_values(
        row_of_entry(trees.start)[is_secret], trees.items[is_secret].astype(np.int64), trees.n
    )


def _fit_tree_values(trees: Trees, values: int, related: bool) -> KnowledgeFits | None:
    from shoal.risks.identity_disclosure import find_relations, list_known_values  # kernels are heavy

    fits = knowledge_fits(*list_known_values(trees), values, most=_MOST)
    if fits is None or not related:
        return fits
    ends, rows = find_relations(trees)
    pair = row_of_entry(ends) + fits.of.max(initial=-1) + 1
    return KnowledgeFits(np.r_[fits.of, pair], np.r_[fits.record, rows])


def _disclosure_figures(fitting: KnowledgeFits, held: SensitiveValues) -> dict[str, float]:
    """What is reached, and the share of records of which some knowledge tells a value for certain."""
    figures, certain = attribute_disclosure(fitting, held)
    sure: B1 = np.zeros(len(held.start) - 1, dtype=bool)
    sure[fitting.record[certain[fitting.of]]] = True
    return {**figures, "given_away": float(sure.mean()) if len(sure) else 0.0}


# --- beyond the claim

_BEYOND = {
    "one-more-item": "one item more is known than the claim allows",
    "one-more-value": "one value more is known than the claim allows",
    "whole-basket": "the whole basket is known",
    "whole-record": "the whole tree is known",
    "record-size": "its size is known in addition to what the claim allows",
    "sensitive-column": "a sensitive column is known too",
    "known-neighbours": "it is known to whom some other rows belong",
}
"""Attackers just beyond a claim, and what they know."""


def beyond_claim(played: Sequence[Outcome], claim: Claim) -> dict[str, int]:
    """For each attacker just beyond the claim, in words, how many people are found with a chance above one in k.

    No claim covers these attackers. The figures say how sharply its protection ends.
    """
    k, people_by_words = max(claim.crowd, 2), dict[str, int]()
    for outcome in played:
        if outcome.name in _BEYOND and not outcome.inside:
            sample_words = (
                "" if outcome.played == outcome.people else f", out of {outcome.played:,} drawn at random"
            )
            words = f"people found with a chance above 1 in {k} if {_BEYOND[outcome.name]}{sample_words}"
            people_by_words[words] = int((outcome.chances > 1 / k + 1e-9).sum())
    return people_by_words
