"""Identity and attribute disclosure of a release, before and after, for what its claim says may be known; private.

Who is found (identity disclosure), what those who fit a little knowledge tell of sensitive values (attribute
disclosure; a table tells it of its classes), and what an attacker finds who knows a little more than the claim
allows. Published items and values count as they are published, so the figures after are
never too low.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice, pairwise
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.data import Baskets, Trees
from shoal.data.arrays import B1, I4, I8, how_many, owners, runs, times
from shoal.errors import InputError
from shoal.io.read.cells import text
from shoal.io.write.json_text import read_lists
from shoal.privacy import KKmAnonymity, KmAnonymity, KMNAnonymity
from shoal.privacy.equivalence_class import cells
from shoal.privacy.possible_worlds import PossibleWorlds, possible_worlds
from shoal.publish.protocols import Dataset
from shoal.release import Claim, PublishedBits, RecodedBaskets, Result, Sensitive
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
    "MANY_SETS",
    "Both",
    "beyond_the_claim",
    "by_some_items",
    "by_some_values",
    "by_the_table",
    "by_whole_baskets",
    "check_population",
    "from_few_items",
    "from_outside",
    "from_values",
    "from_whole_baskets",
    "known_items",
    "labels",
]

MANY_SETS = (
    "how likely people are found by what the claim says may be known was not counted: the records hold too many "
    "choices of it; `shoal risk` takes the time to count those of the originals"
)
IN_PARTS = (
    "how likely people are found by what the claim says may be known was not counted: the records are too many to be "
    "held in memory, and are counted where they lie"
)

_MOST_SETS = 1 << 27  # sets of items that are counted in seconds
_MOST_ITEMS = 3


def by_the_table(before: Mapping[str, Any], after: Mapping[str, Any], k: int) -> IdentityRisk:
    """Whoever knows all quasi-identifiers; from `shoal.utility.risk`, which was asked for the share below k."""
    return IdentityRisk("all quasi-identifiers", 1 / k, _table_chances(before, k), _table_chances(after, k))


def _table_chances(facts: Mapping[str, Any], k: int) -> dict[str, float]:
    return {"highest": facts["highest"], "average": facts["average"], "above": facts["below"][str(k)]}


def by_some_items(
    baskets: Baskets,
    release: RecodedBaskets,
    claim: Claim,
    classes: tuple[NDArray[np.integer], NDArray[np.integer]] | None = None,
) -> Iterator[IdentityRisk]:
    """Whoever knows up to m items; beside all quasi-identifiers where `classes` of originals and release are given."""
    from shoal.utility.identity_disclosure import by_items  # kernels are heavy; tables need none

    old, new = known_items(baskets, release, claim.exempts)
    m = min(getattr(claim, "m", None) or 1, _MOST_ITEMS)
    if max(_sets(old.start, m), _sets(new.start, m)) > _MOST_SETS:
        return
    k, beside = max(claim.crowd, 2), "" if classes is None else "all quasi-identifiers and "
    pair = (None, None) if classes is None else classes
    for before, after in islice(zip(by_items(old, pair[0]), by_items(new, pair[1]), strict=True), m):
        known = f"{beside}any {_many(before.items, 'item')}"
        yield IdentityRisk(known, 1 / k, _chances(before.least, k), _chances(after.least, k))


def by_whole_baskets(baskets: Baskets, claim: Claim, reached: float) -> IdentityRisk:
    """Whoever knows whole baskets, which were published by vote: the judge found `reached` rows for each at least."""
    from shoal.utility.identity_disclosure import whole_baskets

    k = max(claim.crowd, 2)
    return IdentityRisk(
        "the whole basket", 1 / k, _chances(whole_baskets(baskets), k), {"highest": 1 / max(reached, 1)}
    )


def by_some_values(trees: Trees, released: Trees, claim: Claim) -> Iterator[IdentityRisk]:
    """Whoever knows up to m values of a tree, without a relation among them and with one, as far as the claim says."""
    from shoal.utility.identity_disclosure import by_values

    m, n, k = min(getattr(claim, "m", 1), _MOST_ITEMS), getattr(claim, "n", 0), max(claim.crowd, 2)
    if max(_sets(trees.start, m), _sets(released.start, m)) > _MOST_SETS:
        return
    for before, after in zip(by_values(trees), by_values(released), strict=True):
        if before.items > m:
            return
        if before.relations <= n:
            known = f"any {_many(before.items, 'value')}{' and a relation among them' if before.relations else ''}"
            yield IdentityRisk(known, 1 / k, _chances(before.least, k), _chances(after.least, k))


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
    return _without(baskets, secret), _without(published, hidden)


def _without(baskets: Baskets, gone: frozenset[int]) -> Baskets:
    """The same baskets without some items."""
    if not gone:
        return baskets
    kept = ~np.isin(baskets.items, list(gone))
    sizes = np.bincount(owners(baskets.start)[kept], minlength=baskets.n)
    start = np.r_[0, np.cumsum(sizes)].astype(np.int64)
    return Baskets(baskets.name, baskets.values, start, baskets.items[kept])


def _sets(start: I8, m: int) -> int:
    """How many sets of m items the records hold."""
    return sum(
        int(many) * comb(size, m) for size, many in enumerate(np.bincount(np.diff(start), minlength=1))
    )


def _chances(least: I8 | None, k: int) -> dict[str, float]:
    """What an attacker achieves for whom each person hides among so many."""
    if least is None or not len(least):
        return {}
    return {
        "highest": float(1 / least.min()),
        "average": float((1 / least).mean()),
        "above": float((least < k).mean()),
    }


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


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


_QUICK = 200_000  # cells or items, which a judge takes seconds for


def beyond_the_claim(dataset: Dataset, frame: Any, result: Result[Any]) -> dict[str, int]:
    """For each attacker just outside the claim, in words, how many records have fewer than k look-alikes.

    No claim covers these attackers. The figures say how sharply its protection ends.
    """
    claim = result.claim
    found: dict[str, int] = {}
    if isinstance(claim, KmAnonymity | KKmAnonymity | KMNAnonymity) and dataset.cells <= _QUICK:
        what = "values" if isinstance(claim, KMNAnonymity) else "items"
        judged = dataset.judge(frame, replace(result, claim=replace(claim, m=claim.m + 1)))
        found[f"records with fewer than {claim.k} look-alikes if {claim.m + 1} {what} are known"] = (
            judged.broken
        )
    counts = getattr(result.release, "counts", None)
    for known, kinds in _whole(frame, dataset):
        few = times(kinds, counts)[kinds] < max(claim.crowd, 2)
        found[f"records with fewer than {max(claim.crowd, 2)} look-alikes if {known}"] = how_many(few, counts)
    return found


def _whole(frame: Any, dataset: Dataset) -> Iterator[tuple[str, I8]]:
    """What else may be known of a record, and numbers that are equal where that is."""
    if isinstance(frame, Trees):
        both = np.stack([frame.items, frame.parents], axis=1)
        yield (
            "the whole tree is known",
            _numbered([both[a:b].tobytes() for a, b in pairwise(frame.start.tolist())]),
        )
        yield "its number of nodes is known", _numbered(np.diff(frame.start).tolist())
        return
    roles = dataset.roles(frame)
    items, secret, quasi = (
        [name for name, role in roles.items() if role == one] for one in ("items", "sensitive", "quasi")
    )
    if items:  # beside a table, the claim says that all quasi-identifiers are known
        beside, are = ("all quasi-identifiers and ", "are") if quasi else ("", "is")
        yield f"{beside}the whole basket {are} known", _numbered(frame.select(*quasi, items[0]).rows())
        sizes = np.diff(read_lists(text(frame[items[0]]))[0]).tolist()
        cells = frame.select(quasi).rows() if quasi else [()] * len(sizes)
        yield (
            f"{beside}its number of items {are} known",
            _numbered([(*row, size) for row, size in zip(cells, sizes, strict=True)]),
        )
    if secret and quasi and set(secret) <= set(frame.columns):
        yield "the sensitive columns are known too", _numbered(frame.select(*quasi, *secret).rows())


def _numbered(keys: list[Any]) -> I8:
    place: dict[Any, int] = {}
    return np.array([place.setdefault(key, len(place)) for key in keys], dtype=np.int64)
