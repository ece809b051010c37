"""How exposed people are, before and after: the sections of the audit that attackers who look for somebody's row fill.

One count serves them all, that of `shoal.risks.look_alikes`, on one reading: what attackers see. How few records share
some choice of what the claim says may be known is counted for every original and for every released row, both as
attackers read them: originals are a release of themselves. `exposed` tells both sides, the attackers inside the claim
are handed the same count (`attack`),
`learned` tells what those who fit say of sensitive values, and `beyond` counts who is found by attackers beyond the
claim. So no two of these sections can contradict each other.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from shoal.risks.attribute_disclosure import (
    SensitiveValues,
    attribute_disclosure,
    collect_sensitive_values,
)
from shoal.risks.look_alikes import (
    MOST_ITEMS,
    KnowledgeFits,
    LookAlikes,
    PersonKnowledge,
    count_choices,
    equal_look_alikes,
    fewest_look_alikes,
    fit_tree_values,
    knowledge_fits,
)
from shoal.utility.classes import class_ids

__all__ = [
    "MANY_FIT",
    "MANY_SETS",
    "Both",
    "Exposure",
    "_tree_attribute_risks",
    "attribute_risks",
    "beyond_claim",
    "fewest_by_claim",
    "identity_risks",
    "measure_exposure",
    "pair_labels",
    "whole_basket_risk",
]

MANY_SETS = (
    "how likely people are found was not counted: the records hold too many combinations of what may be known; "
    "`shoal risk` takes the time to count those of the originals"
)
_MOST_SETS = 1 << 27  # sets of items that are counted in seconds


@dataclass(frozen=True, slots=True)
class Exposure:
    """How few people look like each person to somebody with the same knowledge of originals and of released rows.

    known         : what is known, in words
    before, after : who fits in the originals, and in the release; both were counted
    """

    known: str
    before: LookAlikes
    after: LookAlikes

    def identity_risk(self, k: int) -> IdentityRisk:
        """How likely people are found, where a claim leaves each at least k look-alikes."""
        return IdentityRisk(self.known, 1 / k, self.before.summarize(k), self.after.summarize(k))


def measure_exposure(
    view: TableView | ItemView | MixedView | VoteView | TreeView, claim: Claim
) -> list[Exposure]:
    """Count who fits everybody, for someone who knows as much as the claim says; nothing of classes and of votes.

    Of items, or of the forms in which they were published, that is up to m, of a table beside all quasi-identifiers; of
    a tree up to m values, and up to one relation among them.
    """
    sides, classes = _sides_of(view, claim)
    if not sides:
        return []
    m, n = min(getattr(claim, "m", None) or 1, MOST_ITEMS), getattr(claim, "n", 0)
    if max(count_choices(np.diff(side.start), m) for side in sides) > _MOST_SETS:
        return []
    counts = (
        fewest_look_alikes(side, class_of_record, most=m)
        for side, class_of_record in zip(sides, classes or (None, None), strict=True)
    )
    noun = "value" if isinstance(view, TreeView) else "item"
    return [
        Exposure(_describe_knowledge(before.knowledge, noun), before, after)
        for before, after in zip(*counts, strict=True)
        if before.knowledge.relations <= n and before.fewest is not None and after.fewest is not None
    ]


def _sides_of(
    view: TableView | ItemView | MixedView | VoteView | TreeView, claim: Claim
) -> tuple[Sequence[Baskets | Trees], tuple[I8, I8] | None]:
    """Originals and rows as attackers of the claim know them, and the classes known beside; none where it has none."""
    match view:
        case MixedView():
            return view.sides(exempt=claim.exempts), _classes_of(view)
        case TreeView():
            return (_hide_field(view.original, view.hidden), _hide_field(view.released, view.hidden)), None
        case ItemView():
            return view.sides(exempt=view.exempt), None
        case _:
            return (), None


def _classes_of(view: MixedView) -> tuple[I8, I8]:
    """Originals and rows, numbered by all their quasi-identifiers."""
    return class_ids(list(view.table.values.T)), class_ids(list(view.table.forms.T))


def _describe_knowledge(knowledge: PersonKnowledge, noun: str) -> str:
    """What an attacker knows of somebody, in words; `noun` is what items are called."""
    items = f"any {knowledge.items} {noun}{'' if knowledge.items == 1 else 's'}"
    quasi_words = "all quasi-identifiers and " if knowledge.columns else ""
    return f"{quasi_words}{items}{' and a relation among them' if knowledge.relations else ''}"


def _hide_field(trees: Trees, field: str | None) -> Trees:
    """The same trees, the values of one field being nobody's to know."""
    return replace(trees, sensitive=field if field in trees.classes else None)


def fewest_by_claim(exposure: Sequence[Exposure], claim: Claim) -> I8 | None:
    """How few rows share with each row as much as the claim says may be known; None where that was not counted."""
    claim_facts: Mapping[str, Any] = next(
        (part.as_dict() for part in claim.parts if "m" in part.as_dict()), {"m": 0}
    )
    m, n = int(claim_facts["m"]), int(claim_facts.get("n", 0))
    wanted = m, min(n, comb(m, 2))
    return next(
        (
            both.after.fewest
            for both in exposure
            if (both.after.knowledge.items, both.after.knowledge.relations) == wanted
        ),
        None,
    )


def identity_risks(exposure: Sequence[Exposure], claim: Claim) -> list[IdentityRisk]:
    """How likely people are found by each thing that may be known, in the originals and in the release."""
    return [both.identity_risk(max(claim.crowd, 2)) for both in exposure]


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
    equal = equal_look_alikes(baskets)
    released_chances = (
        {"highest": 1 / max(reached, 1)} if rows is None else LookAlikes(equal.knowledge, rows).summarize(k)
    )
    return IdentityRisk("the whole basket", 1 / k, equal.summarize(k), released_chances)


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
        original_fits, released_fits = (
            knowledge_fits(*item_list, items, class_of_record, most=_MOST)
            for item_list, class_of_record in zip(lists, pair, strict=True)
        )
        if original_fits is not None and released_fits is not None:
            known = _describe_knowledge(PersonKnowledge(classes is not None, items), "item")
            for name, (old, new) in secrets.items():
                yield AttributeRisk(
                    name,
                    _disclosure_figures(original_fits, old),
                    _disclosure_figures(released_fits, new),
                    known,
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
            fit_tree_values(side, values, related=with_relation, most=_MOST) for side in (trees, released)
        )
        if original_fits is not None and released_fits is not None:
            yield AttributeRisk(
                trees.sensitive,
                _disclosure_figures(original_fits, _secret_values(trees)),
                _disclosure_figures(released_fits, _secret_values(released)),
                _describe_knowledge(PersonKnowledge(items=values, relations=int(with_relation)), "value"),
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
