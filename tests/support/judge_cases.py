"""For every claim that can be judged: a release that just keeps it, ways to break that, and its slow twin."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import exp, log
from typing import Any

import numpy as np
from hypothesis import strategies as st

import claim_cases
import naive
import naive_claims
import naive_itemsets
import naive_mixed
import naive_trees
import naive_votes
import strategies
import strategies_trees
import vote_cases
from shoal.data import Trees
from shoal.privacy import (
    AlphaKAnonymity,
    AverageRisk,
    BetaLikeness,
    CoreAnonymity,
    DeltaDisclosure,
    DeltaPresence,
    HiddenValues,
    ItemsetAnonymity,
    KAnonymity,
    KKmAnonymity,
    KLmDiversity,
    KmAnonymity,
    KMap,
    KMNAnonymity,
    LDiversity,
    LinkedAnonymity,
    LmDiversity,
    Nonreciprocal,
    SubsetAnonymity,
    TCloseness,
)
from shoal.release import (
    Population,
    Published,
    PublishedBaskets,
    PublishedBits,
    PublishedMixed,
    PublishedValues,
    Sensitive,
)


@dataclass(frozen=True)
class Case:
    """One model.

    claim    : the claim that `least` just keeps
    least    : a release
    broken   : releases with one cell, item or edge of it changed, each with the record's number from 1
    pairs    : claims, the first of which implies the second
    releases : any small releases
    twin     : the rows that break a claim, from the definition; None where it is not defined
    vacuous  : releases of which the claim says nothing
    unjudged : a claim and a release that cannot be judged; none where every release can be
    """

    claim: Any
    least: Any
    broken: list[tuple[Any, int]]
    pairs: list[tuple[Any, Any]]
    releases: st.SearchStrategy[Any]
    twin: Callable[[Any, Any], Any]
    vacuous: list[Any]
    unjudged: list[tuple[Any, Any]] = field(default_factory=list)


# Tables


def least_table():
    """A release that is just 3-anonymous, 3-diverse in every sense, and 0-close: three values, three classes."""
    values = np.tile(np.arange(3), 3)
    return Published(
        {"p": np.repeat([0, 0, 1], 3), "q": np.repeat([0, 1, 1], 3)},
        {"disease": Sensitive(values, strategies.DISEASES)},
    )


def with_quasi(published, row, name, number):
    """The release with another quasi-identifier in one row."""
    column = published.quasi[name].copy()
    column[row] = number
    return replace(published, quasi=dict(published.quasi) | {name: column})


def with_value(published, row, code):
    """The release with another value in one row of its first sensitive column."""
    (name, column), *rest = published.sensitive.items()
    codes = column.codes.copy()
    codes[row] = code
    return replace(published, sensitive=dict(rest) | {name: Sensitive(codes, column.values)})


_MOVED = [
    (with_quasi(least_table(), row, name, 99), row + 1) for row in range(9) for name in least_table().quasi
]
_CHANGED = [
    (with_value(least_table(), row, code), row + 1)
    for row in range(9)
    for code in sorted({0, 1, 2, -1} - {row % 3})
]
_NOTHING = np.empty(0, dtype=np.int64)
_NO_TABLE = [replace(least_table(), quasi={}), Published({"q": _NOTHING}, {"s": Sensitive(_NOTHING, ())})]
_NO_VALUES = [*_NO_TABLE, replace(least_table(), sensitive={})]


@st.composite
def _tables(draw, **options):
    """Small releases, often with their rows several times."""
    published = draw(strategies.published(min_sensitive=1, **options))
    times = draw(st.integers(1, 3))
    return Published(
        {name: np.tile(codes, times) for name, codes in published.quasi.items()},
        {
            name: Sensitive(np.tile(column.codes, times), column.values)
            for name, column in published.sensitive.items()
        },
        None if published.persons is None else np.tile(published.persons, times),
    )


@st.composite
def _with_blanks(draw):
    """Small releases, some cells of which are blank."""
    published = draw(_tables(max_rows=6))
    quasi = {
        name: np.where(draw(st.lists(st.booleans(), min_size=len(codes), max_size=len(codes))), -1, codes)
        for name, codes in published.quasi.items()
    }
    return replace(published, quasi=quasi)


def _unfit(claim, published):
    rows, _, who = claim_cases.plain(published)
    blanked = [tuple(None if cell < 0 else cell for cell in row) for row in rows]
    d = len(published.quasi)
    return naive.unfit(blanked, claim.k, list(combinations(range(d), min(claim.subsets, d))), who)


def least_core():
    """Twelve rows in two classes, and three known columns that divide nothing."""
    shown = np.repeat([0, 1], 6)
    return Published(
        {"town": np.repeat([0, 1], 6)},
        known={"a": shown, "b": 1 - shown, "c": shown},
    )


def with_known(published, row, name, number):
    """The release with another label of a known column in one row."""
    column = published.known[name].copy()
    column[row] = number
    return replace(published, known=dict(published.known) | {name: column})


@st.composite
def _with_known(draw):
    published = draw(_tables(max_rows=6))
    n = len(next(iter(published.quasi.values())))
    cells = st.lists(st.integers(-1, 1), min_size=n, max_size=n)
    known = {name: np.array(draw(cells), dtype=np.int64) for name in "abc"[: draw(st.integers(1, 3))]}
    times = draw(st.integers(1, 3))
    return Published(
        {name: np.tile(codes, times) for name, codes in published.quasi.items()},
        {
            name: Sensitive(np.tile(column.codes, times), column.values)
            for name, column in published.sensitive.items()
        },
        known={name: np.tile(codes, times) for name, codes in known.items()},
    )


def _found_by_core(claim, published):
    if any(name not in published.known for source, told in claim.follows for name in (*source, told)):
        return None
    names = list(published.known)
    core = list(zip(*(codes.tolist() for codes in published.quasi.values()), strict=True))
    known = list(zip(*(codes.tolist() for codes in published.known.values()), strict=True))
    follows = [({names.index(name) for name in source}, names.index(told)) for source, told in claim.follows]
    return naive.found_by_core(core, known, claim.k, claim.m, follows)


def _core_or_small(claim, published):
    return (_found_by_core if isinstance(claim, CoreAnonymity) else _small)(claim, published)


def _small(claim, published):
    rows, _, who = claim_cases.plain(published)
    return naive.under(rows, claim.k, who)


def _unlinked(claim, published):
    """Rows of persons with whom fewer than k persons, themselves among them, have as many rows of each kind."""
    rows, _, who = claim_cases.plain(published)
    have = {
        person: Counter(row for row, one in zip(rows, who, strict=True) if one == person) for person in who
    }
    few = [person for person in have if sum(have[person] == other for other in have.values()) < claim.k]
    return [place + 1 for place, person in enumerate(who) if person in few]


def among(published, people, stands, blank=None, own=()):
    """The release beside people of a population; `stands` holds, by column, the values of each number, -1 the last.

    `blank` is the value of a missing cell in every column, `own` holds by column the value behind each row.
    """
    forms = {
        name: PublishedValues.of_sets(
            ("",) * len(sets), [np.array(sorted(some), dtype=np.int32) for some in sets]
        )
        for name, sets in zip(published.quasi, stands, strict=True)
    }
    values = dict(zip(published.quasi, np.array(people, dtype=np.int64).T, strict=True))
    blanks = {} if blank is None else dict.fromkeys(published.quasi, blank)
    behind = {name: np.array(some) for name, some in zip(published.quasi, own, strict=False)}
    return replace(published, population=Population(values, forms, 0, blanks, behind))


@st.composite
def _among_people(draw):
    """Small releases, whose labels may overlap, beside small populations."""
    published = draw(_tables(max_rows=6))
    d = len(published.quasi)
    overlapping = [draw(st.lists(st.frozensets(st.integers(0, 4)), min_size=4, max_size=4)) for _ in range(d)]
    apart = [[{0}, {1, 4}, {2}, set()]] * d
    rooted = [[{0}, {1, 4}, set(range(6)), set()]] * d
    people = draw(st.lists(st.tuples(*[st.integers(0, 5)] * d), min_size=1, max_size=30))
    stands, blank = draw(st.sampled_from([(overlapping, None), (apart, None), (rooted, None), (rooted, 5)]))
    if blank is None or draw(st.booleans()):
        return among(published, people, stands, blank)
    likely = [[[0], [1, 4], [5, 5, 5, 2]][code] for codes in published.quasi.values() for code in codes]
    behind = draw(st.tuples(*map(st.sampled_from, likely)))
    return among(published, people, stands, blank, np.array(behind).reshape(d, -1))


def _population(published):
    """The people, and by column the values that each label stands for."""
    people = list(zip(*(values.tolist() for values in published.population.values.values()), strict=True))
    stands = [
        {code: set(forms.leaves[a:b].tolist()) for code, (a, b) in enumerate(pairwise(forms.start.tolist()))}
        for forms in published.population.forms.values()
    ]
    return people, stands


def _unmapped(claim, published):
    rows, _, _ = claim_cases.plain(published)
    people, stands = _population(published)
    return naive_claims.rows_of(
        rows, lambda members: naive_claims.people_like(rows[members[0]], people, stands) < claim.k_map
    )


def _unlike_presence(claim, published):
    rows, _, who = claim_cases.plain(published)
    people, stands = _population(published)
    for j, blank in enumerate(published.population.blank.values()):
        if len({row[j] for row in rows}) > 1:
            stands[j] = {code: {blank} if blank in some else some for code, some in stands[j].items()}
    fits = [
        {row for row in set(rows) if naive_claims.people_like(row, [person], stands)} for person in people
    ]
    if any(len(some) > 1 for some in fits):
        return None
    behind = list(zip(*(some.tolist() for some in published.population.own.values()), strict=True))
    strange = [i for i, own in enumerate(behind) if not naive_claims.people_like(rows[i], [own], stands)]
    if strange:
        return [place + 1 for place in strange]
    low, high = (Fraction(end).limit_denominator(1000) for end in claim.presence)
    if low and not all(fits):
        return list(range(1, len(rows) + 1))

    def off(members):
        many = naive_claims.people_like(rows[members[0]], people, stands)
        heads = len({who[place] for place in members})
        return not many or not low * many <= heads <= high * many

    return naive_claims.rows_of(rows, off)


_ONE_EACH = [[{0}, {1}, set()]] * 2
_EVERYBODY = [(0, 0)] * 3 + [(0, 1)] * 3 + [(1, 1)] * 3


def _above_average(claim, published):
    rows, _, who = claim_cases.plain(published)
    if not rows or not rows[0]:
        return None
    most = Fraction(claim.average_risk).limit_denominator(1000)
    if naive_claims.average_risk(naive.classes(rows), who) <= most:
        return []
    return naive_claims.rows_of(rows, lambda members: 1 > most * len({who[place] for place in members}))


def _alike(claim, published):
    return claim_cases.undiverse(published, claim.l, claim.diversity, claim.c)


def _far(claim, published):
    return (np.flatnonzero(claim_cases.distances(published, claim.distance) > claim.t + 1e-8) + 1).tolist()


def _of_values(claim, pairs, twin, tables=None):
    """A claim about sensitive values."""
    return Case(
        claim,
        least_table(),
        _MOVED + _CHANGED,
        pairs,
        _tables(max_rows=6) if tables is None else tables,
        twin,
        _NO_VALUES,
        [(replace(claim, columns=("gone",)), least_table())],
    )


# Baskets of which some items are known


def baskets(rows, sensitive=(), covers=None):
    """Lists of numbers as a judge sees them."""
    start = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    items = np.array([item for row in rows for item in row], dtype=np.int64)
    return PublishedBaskets(start, items, frozenset(sensitive), covers or {})


def rows_of(published):
    """The baskets as lists."""
    return [published.items[a:b].tolist() for a, b in pairwise(published.start.tolist())]


def swapped(rows, item, *, besides=()):
    """Every way to put an item in the place of another one, each with the record's number."""
    for place, row in enumerate(rows):
        for i, old in enumerate(row):
            if old not in besides:
                yield [*rows[:place], [*row[:i], item, *row[i + 1 :]], *rows[place + 1 :]], place + 1


_SECRET = (8, 9)
_COVERS = {"a": frozenset([0]), "b": frozenset([1]), "c": frozenset([3]), "d": frozenset([0, 2])}
_PAIRS = [[0, 1], [0, 1], [2], [2]]
_SECRETS = [[0, 8], [0], [1, 9], [1]]


@st.composite
def _some_baskets(draw, sensitive=(), covers=None):
    rows = draw(
        st.lists(
            st.lists(st.sampled_from([0, 1, 2, 3, *sensitive]), max_size=4, unique=True),
            min_size=1,
            max_size=5,
        )
    )
    return baskets(rows * draw(st.integers(1, 3)), sensitive, covers)


def _rare(claim, published):
    rows = rows_of(published)
    return naive_itemsets.rare(rows, claim.k, claim.m) if any(rows) else None


def _exposed(claim, published):
    rows = rows_of(published)
    if not any(set(_SECRET) & set(row) for row in rows):
        return None
    return naive_itemsets.exposed(rows, claim.k, claim.l, claim.m, _SECRET)


def _unprotected(claim, published):
    stands_for = {
        number: {item for item, forms in published.covers.items() if number in forms} for number in range(10)
    }
    rows = rows_of(published)
    return sorted(
        {
            row
            for part in claim.itemsets
            for row in naive_itemsets.unprotected(rows, claim.k, part, stands_for)
        }
    )


_LISTED = ItemsetAnonymity(2, (("a", "b"), ("c",)))


# Whole baskets


_THREE = [{0}, {1}, {2}]
_VOTED = [naive_votes.vote(_THREE)] * 3
_TAGS = [0, 1, 2]


def _exact(labels=None):
    """One row of three is published as one original is."""
    for j, basket in enumerate(_THREE):
        rows = [*_VOTED[:j], (frozenset(basket), frozenset(), 0), *_VOTED[j + 1 :]]
        yield vote_cases.published(_THREE, rows, labels), j + 1


def _renamed():
    """One label of three is another's."""
    for j in range(3):
        tags = [*_TAGS[:j], (j + 1) % 3, *_TAGS[j + 1 :]]
        yield vote_cases.published(_THREE, _VOTED, tags), j + 1


@st.composite
def _votes(draw, labels):
    own, rows = draw(vote_cases.releases())
    tags = draw(st.lists(st.integers(0, 2), min_size=len(own), max_size=len(own))) if labels else None
    return vote_cases.published(own, rows, tags)


def _sets(start, items):
    return [set(items[a:b].tolist()) for a, b in pairwise(start.tolist())]


def _unmatched(claim, published):
    own = _sets(published.original_start, published.original_items)
    rows = list(
        zip(
            _sets(published.start, published.items),
            _sets(published.maybe_start, published.maybe),
            published.errors.tolist(),
            strict=True,
        )
    )
    ways = naive_votes.possible(own, rows)
    if not all(ways):
        return None
    found = {j + 1 for j in range(len(rows)) if sum(j in way for way in ways) < claim.k}
    for way in ways:
        labels = set() if published.label is None else {int(published.label.codes[j]) for j in way}
        if len(way) < claim.k or (claim.l is not None and len(labels) < claim.l):
            found |= {j + 1 for j in way}
    return sorted(found)


_NO_ROWS = vote_cases.published([], [], [])
_NO_ORIGINALS = PublishedBits(*vote_cases.flat([{0}]), *vote_cases.flat([set()]), np.array([0]))


# Tables with baskets


def mixed(quasi, rows, sensitive=()):
    """Numbers or tuples of them as quasi-identifiers, and lists of numbers, as a judge sees them."""
    columns = np.array(quasi, dtype=np.int64).reshape(len(quasi), -1).T
    table = Published({f"q{j}": column.copy() for j, column in enumerate(columns)})
    return PublishedMixed(table, baskets(list(map(sorted, rows)), sensitive))


def _torn(quasi, rows, sensitive=()):
    """One record alone in its class, or with one item that nobody else has."""
    for place in range(len(quasi)):
        yield mixed([*quasi[:place], 99, *quasi[place + 1 :]], rows, sensitive), place + 1
    for changed, place in swapped(rows, 7, besides=sensitive):
        yield mixed(quasi, changed, sensitive), place


@st.composite
def _some_mixed(draw, sensitive=()):
    rows = draw(
        st.lists(
            st.tuples(
                st.integers(0, 1), st.lists(st.sampled_from([3, 4, 5, *sensitive]), max_size=3, unique=True)
            ),
            min_size=1,
            max_size=5,
        )
    ) * draw(st.integers(1, 3))
    return mixed([row[0] for row in rows], [row[1] for row in rows], sensitive)


def _lonely(claim, published):
    quasi, _, _ = claim_cases.plain(published.table)
    return naive_mixed.kkm(quasi, [set(row) for row in rows_of(published.baskets)], claim.k, claim.m)[0]


def _guessed(claim, published):
    quasi, _, _ = claim_cases.plain(published.table)
    rows = [set(row) for row in rows_of(published.baskets)]
    if not any(set(_SECRET) & row for row in rows):
        return None
    return naive_mixed.klm(quasi, rows, set(_SECRET), claim.k, claim.l, claim.m)


_TWO = [0, 0, 1, 1]
_NO_MIXED = [
    PublishedMixed(Published({}), baskets([[]])),
    PublishedMixed(Published({"q": _NOTHING}), baskets([])),
]
_LONG = baskets([list(range(2000))], [5])
_LONG_MIXED = PublishedMixed(Published({"q": np.zeros(1, dtype=np.int64)}), _LONG)


# Record trees


_APART = [(("A", "a0"), ("B", "b0"))] * 2 + [(("A", "a1", ("B", "b1")),)] * 2
_ILL = [(("A", "a0"), ("C", "c0")), (("A", "a0"), ("C", "c1"))] * 2


def _with(records, place, record):
    return Trees.of([*records[:place], record, *records[place + 1 :]]), place + 1


_CUT = [
    *(_with(_APART, place, (("A", "a0", ("B", "b0")),)) for place in (0, 1)),  # an edge that was not there
    *(_with(_APART, place, (("A", "a2"), ("B", "b0"))) for place in (0, 1)),
    *(_with(_APART, place, (("A", "a1", ("B", "b2")),)) for place in (2, 3)),
]
_TOLD = [
    *(_with(_ILL, place, (("A", "a1"), ("C", "c0"))) for place in range(4)),
    *(_with(_ILL, place, (("A", "a0"), ("C", f"c{1 - place % 2}"))) for place in range(4)),
]


@st.composite
def _some_trees(draw):
    return Trees.of(list(draw(strategies_trees.trees(min_records=1))) * draw(st.integers(1, 3)))


def _known(claim, trees):
    if all(name == claim.sensitive for name in trees.classes) or not len(trees.items):
        return None
    if claim.l is not None and claim.sensitive not in trees.classes:
        return None
    records = list(trees.nested())
    return naive_trees.broken(records, claim.k, claim.m, claim.n, claim.sensitive, claim.negations, claim.l)


_MANY = tuple(("A", f"a{i:05}") for i in range(60))

_LINKED = Published(  # three persons have a row in each of three classes
    {"p": np.repeat([0, 0, 1], 3), "q": np.repeat([0, 1, 1], 3)}, persons=np.tile(np.arange(3), 3)
)
_K, _L, _T = KAnonymity, LDiversity, TCloseness

CASES: dict[str, Case] = {
    "k-anonymity": Case(
        _K(3), least_table(), _MOVED, [(_K(3), _K(2)), (_K(2), _K(1))], _tables(), _small, _NO_TABLE
    ),
    "k-anonymity of known subsets": Case(
        SubsetAnonymity(3, 2),
        least_table(),
        _MOVED,
        [
            (SubsetAnonymity(3, 2), SubsetAnonymity(2, 2)),
            (SubsetAnonymity(2, 2), SubsetAnonymity(2, 1)),
            (SubsetAnonymity(2, 9), SubsetAnonymity(2, 3)),
        ],
        _with_blanks(),
        _unfit,
        _NO_TABLE,
        [(SubsetAnonymity(3, (("gone",),)), least_table())],
    ),
    "k-anonymity with known columns": Case(
        CoreAnonymity(6, 2),
        least_core(),
        [(with_known(least_core(), row, name, 99), row + 1) for row in range(12) for name in "abc"],
        [
            (CoreAnonymity(3, 2), CoreAnonymity(2, 2)),
            (CoreAnonymity(3, 2), CoreAnonymity(3, 1)),
            (CoreAnonymity(3, 1, ((("a",), "b"),)), CoreAnonymity(3, 1)),
            (CoreAnonymity(3, 1), CoreAnonymity(3, 0)),
            (CoreAnonymity(3, 1), _K(3)),
        ],
        _with_known(),
        _core_or_small,
        [replace(least_core(), quasi={}), replace(least_core(), known={})],
        [(CoreAnonymity(3, 1, ((("gone",), "a"),)), least_core())],
    ),
    "k-anonymity of linked rows": Case(
        LinkedAnonymity(3),
        _LINKED,
        [(with_quasi(_LINKED, row, name, 99), row + 1) for row in range(9) for name in _LINKED.quasi],
        [
            (LinkedAnonymity(3), LinkedAnonymity(2)),
            (LinkedAnonymity(3), _K(3)),
            (LinkedAnonymity(2), LinkedAnonymity(1)),
        ],
        _tables(persons=True),
        lambda claim, published: (_unlinked if isinstance(claim, LinkedAnonymity) else _small)(
            claim, published
        ),
        [replace(one, persons=_NOTHING) for one in _NO_TABLE],
        [(LinkedAnonymity(3), least_table())],
    ),
    "l-diversity": _of_values(
        _L(3),
        [
            (_L(3), _L(2)),
            (_L(3, "entropy"), _L(2, "entropy")),
            (_L(3, "recursive", 2), _L(2, "recursive", 2)),
            (_L(2, "recursive", 1), _L(2, "recursive", 2)),
            (_L(2, "entropy"), _L(2)),
        ],
        _alike,
        strategies.published(min_sensitive=1, max_rows=7, persons=False),
    ),
    "t-closeness": _of_values(_T(0), [(_T(0.2), _T(0.4)), (_T(0.1, "ordered"), _T(0.3, "ordered"))], _far),
    "beta-likeness": _of_values(
        BetaLikeness(0.01),
        [
            (BetaLikeness(0.5), BetaLikeness(1)),
            (BetaLikeness(1, "enhanced"), BetaLikeness(2, "enhanced")),
            (BetaLikeness(1, "enhanced"), BetaLikeness(1)),
        ],
        lambda claim, published: claim_cases.unlike(published, Fraction(claim.beta), claim.likeness),
    ),
    "delta-disclosure privacy": _of_values(
        DeltaDisclosure(0.01),
        [
            (DeltaDisclosure(log(2)), DeltaDisclosure(log(3))),
            (DeltaDisclosure(log(2)), BetaLikeness(1)),  # q / p < e^delta
        ],
        lambda claim, published: (
            claim_cases.telling(published, Fraction(round(exp(claim.disclosure))))
            if isinstance(claim, DeltaDisclosure)
            else claim_cases.unlike(published, Fraction(claim.beta), claim.likeness)
        ),
    ),
    "(alpha,k)-anonymity": _of_values(
        AlphaKAnonymity(1 / 3, 3),
        [
            (AlphaKAnonymity(0.5, 2), AlphaKAnonymity(0.5, 1)),
            (AlphaKAnonymity(0.5, 2), AlphaKAnonymity(0.75, 2)),
        ],
        lambda claim, published: claim_cases.frequent(published, Fraction(claim.alpha), claim.k),
        strategies.published(min_sensitive=1, max_rows=8),
    ),
    "hidden values": Case(
        HiddenValues(1 / 3, {"disease": ["flu"]}),
        least_table(),
        [
            *(
                (with_value(least_table(), row, code), row + 1)
                for row in range(9)
                if row % 3
                for code in (0, -1)
            ),
            *(
                (with_quasi(least_table(), row, name, 99), row + 1)
                for row in (0, 3, 6)
                for name in ("p", "q")
            ),
        ],
        [
            (HiddenValues(0.5, {"s0": ["flu"]}), HiddenValues(0.75, {"s0": ["flu"]})),
            (HiddenValues(0.5, {"s0": ["flu", "gout"]}), HiddenValues(0.5, {"s0": ["gout"]})),
            (HiddenValues(0.25, {"s0": ["hiv"]}), HiddenValues(0.25, {"s0": []})),
        ],
        _tables(max_rows=6),
        lambda claim, published: claim_cases.exposing(published, Fraction(claim.alpha), claim.hidden),
        _NO_VALUES,
        [(HiddenValues(0.5, {"gone": ["flu"]}), least_table())],
    ),
    "average risk": Case(
        AverageRisk(1 / 3),
        least_table(),
        _MOVED,
        [(AverageRisk(0.2), AverageRisk(0.3))],
        _tables(),
        _above_average,
        _NO_TABLE,
    ),
    "k-map": Case(
        KMap(3),
        among(least_table(), _EVERYBODY, _ONE_EACH),
        [
            *((among(moved, _EVERYBODY, _ONE_EACH), row) for moved, row in _MOVED),
            (among(least_table(), [*_EVERYBODY[1:], (1, 0)], _ONE_EACH), 1),
        ],
        [(KMap(3), KMap(2)), (KMap(7), KMap(5))],
        _among_people(),
        _unmapped,
        _NO_TABLE,
        [(KMap(2), least_table())],
    ),
    "delta-presence": Case(
        DeltaPresence((0.5, 0.5)),
        among(least_table(), _EVERYBODY * 2, _ONE_EACH),
        [
            *((among(moved, _EVERYBODY * 2, _ONE_EACH), row) for moved, row in _MOVED),
            (among(least_table(), [*_EVERYBODY * 2, (0, 0)], _ONE_EACH), 1),
            (among(least_table(), [*_EVERYBODY * 2, (1, 0)], _ONE_EACH), 9),
        ],
        [
            (DeltaPresence((0, 0.25)), DeltaPresence((0, 0.5))),
            (DeltaPresence((0.2, 0.5)), DeltaPresence((0.1, 1))),
        ],
        _among_people(),
        _unlike_presence,
        _NO_TABLE,
        [(DeltaPresence((0, 0.5)), least_table())],
    ),
    "k^m-anonymity": Case(
        KmAnonymity(2, 2),
        baskets(_PAIRS),
        [(baskets(rows), place) for rows, place in swapped(_PAIRS, 7)],
        [
            (KmAnonymity(3, 2), KmAnonymity(2, 2)),
            (KmAnonymity(2, 2), KmAnonymity(2, 1)),
            (KmAnonymity(2, 3), KmAnonymity(2, 2)),
        ],
        _some_baskets(),
        _rare,
        [baskets([]), baskets([[], []])],
        [(KmAnonymity(1, 5), _LONG)],
    ),
    "l^m-diversity": Case(
        LmDiversity(2, 1, 2),
        baskets(_SECRETS, _SECRET),
        [
            *((baskets(rows, _SECRET), place) for rows, place in swapped(_SECRETS, 7, besides=_SECRET)),
            (baskets([[0, 8], [0, 8], [1, 9], [1]], _SECRET), 2),
            (baskets([[0, 8], [0], [1, 9], [1, 9]], _SECRET), 4),
        ],
        [
            (LmDiversity(3, 2), LmDiversity(2, 2)),
            (LmDiversity(2, 2), LmDiversity(2, 1)),
            (LmDiversity(2, 2, 3), LmDiversity(2, 2, 2)),
        ],
        _some_baskets(_SECRET),
        _exposed,
        [baskets([], _SECRET), baskets([[0], [1]])],
        [(LmDiversity(1, 5), _LONG)],
    ),
    "k-anonymity of listed itemsets": Case(
        _LISTED,
        baskets(_PAIRS, covers=_COVERS),
        [(baskets(rows, covers=_COVERS), place) for rows, place in swapped(_PAIRS, 3)],
        [(replace(_LISTED, k=3), _LISTED), (_LISTED, ItemsetAnonymity(2, (("a",), ("c",))))],
        _some_baskets(covers=_COVERS),
        _unprotected,
        [baskets([], covers=_COVERS)],
        [(_LISTED, baskets(_PAIRS))],
    ),
    "nonreciprocal k-anonymity": Case(
        Nonreciprocal(3),
        vote_cases.published(_THREE, _VOTED),
        list(_exact()),
        [(Nonreciprocal(3), Nonreciprocal(2)), (Nonreciprocal(2), Nonreciprocal(1))],
        _votes(labels=False),
        _unmatched,
        [_NO_ROWS],
        [(Nonreciprocal(1), _NO_ORIGINALS)],
    ),
    "nonreciprocal k-anonymity and label diversity": Case(
        Nonreciprocal(3, 3),
        vote_cases.published(_THREE, _VOTED, _TAGS),
        [*_exact(_TAGS), *_renamed()],
        [(Nonreciprocal(3, 2), Nonreciprocal(3)), (Nonreciprocal(3, 3), Nonreciprocal(3, 2))],
        _votes(labels=True),
        _unmatched,
        [_NO_ROWS, vote_cases.published(_THREE, _VOTED)],
        [(Nonreciprocal(1, 1), _NO_ORIGINALS)],
    ),
    "(k,k^m)-anonymity": Case(
        KKmAnonymity(2, 2),
        mixed(_TWO, [[3, 4], [3, 4], [5], [5]]),
        list(_torn(_TWO, [[3, 4], [3, 4], [5], [5]])),
        [(KKmAnonymity(3, 2), KKmAnonymity(2, 2)), (KKmAnonymity(2, 2), KKmAnonymity(2, 1))],
        _some_mixed(),
        _lonely,
        _NO_MIXED,
        [(KKmAnonymity(1, 5), _LONG_MIXED)],
    ),
    "(k,l^m)-diversity": Case(
        KLmDiversity(2, 2, 1),
        mixed(_TWO, [[3, 8], [3], [5, 9], [5]], _SECRET),
        [
            *_torn(_TWO, [[3, 8], [3], [5, 9], [5]], _SECRET),
            (mixed(_TWO, [[3, 8], [3, 8], [5, 9], [5]], _SECRET), 2),
            (mixed(_TWO, [[3, 8], [3], [5, 9], [5, 9]], _SECRET), 4),
        ],
        [
            (KLmDiversity(3, 2, 2), KLmDiversity(2, 2, 2)),
            (KLmDiversity(2, 3, 2), KLmDiversity(2, 2, 2)),
            (KLmDiversity(2, 2, 2), KLmDiversity(2, 2, 1)),
        ],
        _some_mixed(_SECRET),
        _guessed,
        [*_NO_MIXED, mixed([0], [[3]])],
        [(KLmDiversity(1, 1, 5), _LONG_MIXED)],
    ),
    "k^(m,n)-anonymity": Case(
        KMNAnonymity(2, 2, 1),
        Trees.of(_APART),
        _CUT,
        [
            (KMNAnonymity(3, 2, 1), KMNAnonymity(2, 2, 1)),
            (KMNAnonymity(2, 2, 1), KMNAnonymity(2, 1, 1)),
            (KMNAnonymity(2, 3, 2), KMNAnonymity(2, 3, 1)),
            (KMNAnonymity(2, 2, 1, negations=("D",)), KMNAnonymity(2, 2, 1)),
        ],
        _some_trees(),
        _known,
        [Trees.of([]), Trees.of([(), ()])],
        [(KMNAnonymity(1, 3, 0), Trees.of([_MANY]))],
    ),
    "k^(m,n)-anonymity and l-diversity": Case(
        KMNAnonymity(2, 1, 0, 2, "C"),
        Trees.of(_ILL),
        _TOLD,
        [
            (KMNAnonymity(2, 2, 1, 3, "C"), KMNAnonymity(2, 2, 1, 2, "C")),
            (KMNAnonymity(2, 2, 1, 2, "C"), KMNAnonymity(2, 2, 1, None, "C")),
        ],
        _some_trees(),
        _known,
        [Trees.of([]), Trees.of(_APART), Trees.of([(("C", "c0"),)])],
        [(KMNAnonymity(1, 3, 0, 1, "C"), Trees.of([(("C", "c0"), *_MANY)]))],
    ),
}
