"""Identity and attribute disclosure of a release, before and after, for what its claim says may be known; private.

Who is found (identity disclosure), what those who fit a little knowledge tell of sensitive values (attribute
disclosure; a table tells it of its classes), and what an attacker finds who knows a little more than the claim
allows. Published items and values count as they are published, so the figures after are
never too low.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data import Baskets, Trees
from shoal.data.arrays import B1, I4, I8, owners, runs
from shoal.errors import InputError
from shoal.privacy.equivalence_class import cells
from shoal.privacy.possible_worlds import PossibleWorlds, possible_worlds
from shoal.publish.protocols import Dataset
from shoal.release import Claim, PublishedBits, RecodedBaskets, Sensitive
from shoal.report.facts import AttributeRisk, Audit, IdentityRisk
from shoal.utility.attribute_disclosure import (
    KnowledgeFits,
    SensitiveValues,
    attribute_disclosure,
    knowledge_fits,
    sensitive_values_of,
)
from shoal.utility.population import expected_risk

__all__ = [
    "IN_PARTS",
    "MANY_FIT",
    "Both",
    "by_the_table",
    "check_population",
    "from_few_items",
    "from_outside",
    "from_values",
    "from_whole_baskets",
    "known_items",
    "labels",
]

IN_PARTS = (
    "how likely people are found by what the claim says may be known was not counted: the records are too many to be "
    "held in memory, and are counted where they lie"
)


def by_the_table(before: Mapping[str, Any], after: Mapping[str, Any], k: int) -> IdentityRisk:
    """Whoever knows all quasi-identifiers; from `shoal.utility.risk`, which was asked for the share below k."""
    return IdentityRisk("all quasi-identifiers", 1 / k, _table_chances(before, k), _table_chances(after, k))


def _table_chances(facts: Mapping[str, Any], k: int) -> dict[str, float]:
    return {"highest": facts["highest"], "average": facts["average"], "above": facts["below"][str(k)]}


def check_population(dataset: Dataset, population: object) -> None:
    """Refuse a population that is no number, or of which the people of the data cannot be a part."""
    if population is None:
        return
    persons = getattr(getattr(dataset, "table", None), "persons", None)
    people = dataset.records if persons is None else len(np.unique(persons))
    if not isinstance(population, int) or isinstance(population, bool) or population < people:
        raise InputError(
            f"audit: the population is a whole number of people, and of at least the {people:,} in the data; give how "
            "many people the data were drawn from"
        )


def from_outside(audit: Audit, population: int | None) -> Audit:
    """The same audit with what a journalist achieves, who does not know who of a population is in the data.

    The chance is the expected one of Benedetti and Franconi, as if the data were drawn at random.
    """
    if population is None:
        return audit
    facts = audit.report.manifest
    before = audit.risk_before.get("records", facts["records_in"])
    after = audit.risk_after.get("records", facts["records_out"])
    exposed = [
        replace(
            one,
            before=_outside(one.before, before / population),
            after=_outside(one.after, after / population),
        )
        for one in audit.exposed
    ]
    return replace(audit, exposed=exposed, population=population)


def _outside(chances: Mapping[str, float], fraction: float) -> dict[str, float]:
    """The chances of one side, with that of a journalist: the fewest look-alikes give the highest one."""
    if not chances.get("highest") or not fraction:
        return dict(chances)
    least = round(1 / chances["highest"])
    return {**chances, "outside": float(expected_risk(np.array([least]), fraction)[least - 1])}


def known_items(baskets: Baskets, release: RecodedBaskets, exempt: bool) -> tuple[Baskets, Baskets]:
    """Original and published items that the attacker may know: all, or those that are not sensitive."""
    forms = release.forms
    labels = tuple(map(str, range(len(forms.labels))))
    secret = baskets.sensitive if exempt else frozenset[int]()
    single = np.flatnonzero(np.diff(forms.start) == 1)
    hidden = frozenset(single[np.isin(forms.leaves[forms.start[single]], list(secret))].tolist())
    published = Baskets(baskets.name, labels, release.start.copy(), release.items.copy())
    return baskets.without(secret), published.without(hidden)


MANY_FIT = (
    "what look-alikes tell of sensitive values was not counted: too many records fit too many choices of what may be "
    "known"
)
_MOST = 1 << 22  # pairs of knowledge and a record who fits it, which are looked at in a second or two
_MOST_FEW = 2
_MOST_COMPARED = 1 << 18  # items of baskets whose rows are compared once more

Both = tuple[SensitiveValues, SensitiveValues]
"""Before and after."""
Classes = NDArray[np.integer]


def from_few_items(
    baskets: Baskets,
    release: RecodedBaskets,
    claim: Claim,
    secrets: Mapping[str, Both],
    classes: tuple[Classes, Classes] | None = None,
) -> Iterator[AttributeRisk]:
    """What a few known items tell of each of some columns, before and after, and of the sensitive items.

    `classes` numbers originals and released rows by what is known beside the items.
    """
    m = getattr(claim, "m", None) or 1
    for exempt, wanted in ((claim.exempts, secrets), (True, _secret_items(baskets, release))):
        known = known_items(baskets, release, exempt)
        yield from _by_few([(one.start, one.items) for one in known], m, wanted, classes)


def _by_few(
    lists: Sequence[tuple[I8, I4]],
    m: int,
    secrets: Mapping[str, Both],
    classes: tuple[Classes, Classes] | None,
) -> Iterator[AttributeRisk]:
    pair = (None, None) if classes is None else classes
    if not secrets or any(len(start) < 2 for start, _ in lists):
        return
    for items in range(min(m, _MOST_FEW), 0, -1):
        known = f"any {items} item{'' if items == 1 else 's'}"
        before, after = (
            knowledge_fits(*one, items, also, most=_MOST) for one, also in zip(lists, pair, strict=True)
        )
        if before is not None and after is not None:
            beside = "" if classes is None else "all quasi-identifiers and "
            for name, (old, new) in secrets.items():
                yield AttributeRisk(name, _figures(before, old), _figures(after, new), f"{beside}{known}")
            return


def _secret_items(baskets: Baskets, release: RecodedBaskets) -> dict[str, Both]:
    """The sensitive items that each record holds, before and after; nothing where no item is sensitive."""
    if not baskets.sensitive:
        return {}
    forms = release.forms
    single = np.where(np.diff(forms.start) == 1, forms.leaves[forms.start[:-1]], -1)
    sides = ((baskets.start, baskets.items), (release.start, single[release.items]))
    held = [_of_some(start, items, list(baskets.sensitive)) for start, items in sides]
    return {"sensitive items": (held[0], held[1])}


def _of_some(start: I8, items: NDArray[np.integer], some: Sequence[int]) -> SensitiveValues:
    wanted = np.isin(items, some)
    return sensitive_values_of(owners(start)[wanted], items[wanted].astype(np.int64), len(start) - 1)


def labels(before: Sensitive, after: Sensitive) -> Both:
    """One value of each record, before and after."""
    old, new = cells(before), cells(after)
    return SensitiveValues(np.arange(len(old) + 1), old), SensitiveValues(np.arange(len(new) + 1), new)


def from_whole_baskets(name: str, seen: PublishedBits) -> Iterator[AttributeRisk]:
    """What the rows tell that may be a person's whose whole basket is known; before, the records with that basket."""
    if seen.label is None or seen.original_label is None or seen.original_items is None:
        return
    found = possible_worlds(seen) if len(seen.original_items) <= _MOST_COMPARED else None
    rows = None if found is None or not found.complete else _rows_of(found)
    if found is None or rows is None:
        return
    before, after = labels(seen.original_label, seen.label)
    own, people = found.originals.of, len(seen.errors)
    old, given = attribute_disclosure(KnowledgeFits(own, np.arange(people)), before)
    new, still = attribute_disclosure(rows, after)
    yield AttributeRisk(
        name,
        {**old, "given_away": float(given[own].mean())},
        {**new, "given_away": float(still[own].mean())},
        "the whole basket",
    )


def _rows_of(found: PossibleWorlds) -> KnowledgeFits | None:
    """For each class of originals, the rows that may be theirs; None where there are too many."""
    original, row = found.original[found.counts], found.row[found.counts]
    size = found.rows.count[row]
    if size.sum() > _MOST:
        return None
    order = np.argsort(found.rows.of, kind="stable")
    first = np.cumsum(found.rows.count) - found.rows.count
    return KnowledgeFits(np.repeat(original, size), order[runs(first[row], size)])


def from_values(trees: Trees, released: Trees, m: int, n: int) -> Iterator[AttributeRisk]:
    """What up to m known values of a tree tell of its sensitive field, with a relation between two of them if n allows.

    Nothing where no field is sensitive, or there are too many choices.
    """
    if trees.sensitive is None or not trees.n or not released.n:
        return
    for values in range(min(m, _MOST_FEW), 0, -1):
        related = values > 1 and n > 0
        before, after = (_by_values(side, values, related) for side in (trees, released))
        if before is not None and after is not None:
            known = f"any {values} value{'' if values == 1 else 's'}"
            yield AttributeRisk(
                trees.sensitive,
                _figures(before, _secret_values(trees)),
                _figures(after, _secret_values(released)),
                f"{known}{' and a relation among them' if related else ''}",
            )
            return


def _secret_values(trees: Trees) -> SensitiveValues:
    """The values of the sensitive field in each record."""
    found = np.zeros(len(trees.items), dtype=bool)
    if trees.sensitive in trees.classes:
        found = trees.kinds[trees.items] == trees.classes.index(trees.sensitive)
    return sensitive_values_of(owners(trees.start)[found], trees.items[found].astype(np.int64), trees.n)


def _by_values(trees: Trees, values: int, related: bool) -> KnowledgeFits | None:
    from shoal.utility.identity_disclosure import (  # kernels are heavy, and verifying needs none
        relations_of,
        values_of,
    )

    fitting = knowledge_fits(*values_of(trees), values, most=_MOST)
    if fitting is None or not related:
        return fitting
    ends, rows = relations_of(trees)
    pair = owners(ends) + fitting.of.max(initial=-1) + 1
    return KnowledgeFits(np.r_[fitting.of, pair], np.r_[fitting.record, rows])


def _figures(fitting: KnowledgeFits, held: SensitiveValues) -> dict[str, float]:
    """What is reached, and the share of records of which some knowledge tells a value for certain."""
    found, certain = attribute_disclosure(fitting, held)
    sure: B1 = np.zeros(len(held.start) - 1, dtype=bool)
    sure[fitting.record[certain[fitting.of]]] = True
    return {**found, "given_away": float(sure.mean()) if len(sure) else 0.0}
