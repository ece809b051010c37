"""Every judge x releases of 60 to 200 columns, items, values and persons: what fills a machine word loses nobody.

Rows are few, and most of what they show is the same, so that what tells them apart stands beyond the 64th place.
"""

import random
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import judge_cases
import naive
import vote_cases
from judge_cases import CASES
from shoal.data import Trees
from shoal.privacy import KMNAnonymity, SubsetAnonymity
from shoal.release import Published, Sensitive

WIDTHS = (60, 62, 63, 64, 65, 66, 127, 128, 129, 200)
TABLES = [model for model, case in CASES.items() if isinstance(case.least, Published)]
SEEDS = range(12)


def live_places(rng, width):
    """Some of the places, of which one at least stands beyond a word of 64 bits, where there is one."""
    beyond = range(min(62, width - 1), width)
    return sorted({rng.choice(beyond), *rng.sample(range(width), rng.randint(0, 3))})


def wide_table(rng, *, blanks=False, persons=False):
    """A release of many quasi-identifiers, few of which tell its rows apart; -1 is a blank."""
    width, rows = rng.choice(WIDTHS), rng.randint(2, 8)
    values = (-1, 0, 1) if blanks else (0, 1)
    cells = np.tile([rng.choice((-1, 0)) if blanks else 0 for _ in range(width)], (rows, 1))
    for place in live_places(rng, width):
        cells[:, place] = rng.choices(values, k=rows)
    cells = np.concatenate([cells, cells[: rng.randint(0, rows)]])
    secret = Sensitive(
        np.array(rng.choices((-1, 0, 1, 2), (1, 3, 3, 3), k=len(cells))), ("flu", "gout", "hiv")
    )
    who = np.array(rng.choices(range(len(cells)), k=len(cells))) if persons else None
    quasi = {f"q{j}": column.copy() for j, column in enumerate(cells.T.astype(np.int64))}
    return Published(quasi, {"ill": secret}, who)


def beside_people(published, rng):
    """A release beside people of a population, most of whom have what its rows show."""
    width, rows = len(published.quasi), np.stack(list(published.quasi.values()), axis=1)
    people = [row.copy() for row in rows for _ in range(rng.randint(0, 3))] + [
        np.zeros(width, dtype=np.int64)
    ]
    for person in people:
        if rng.random() < 0.3:
            person[rng.randrange(width)] = 1
    return judge_cases.among(published, people, [[{0}, {1}, set()]] * width)


def wide_baskets(rng, sensitive=(), most=200):
    """Baskets of few different items, whose numbers are far apart, and of one that holds many."""
    width = rng.choice([one for one in WIDTHS if one <= most])
    items = live_places(rng, width) + rng.sample(range(width), 2)
    shared = rng.sample(range(width), rng.choice((0, 3, min(width, 70)))) if most > 100 else []
    rows = [
        sorted(
            {
                *shared,
                *rng.sample(items, rng.randint(0, len(items))),
                *(s for s in sensitive if rng.random() < 0.3),
            }
        )
        for _ in range(rng.randint(2, 5))
    ]
    return [row for row in rows for _ in range(rng.randint(1, 3))]


def wide_trees(rng):
    """Record trees with many values, few of which tell records apart, on paths and beside each other."""
    width = rng.choice((20, 62, 66))
    shared = tuple(("A", f"a{i:03}") for i in range(width))
    kinds = []
    for _ in range(rng.randint(2, 4)):
        live = [
            ("A", f"a{width + rng.randint(0, 2):03}", ("B", f"b{rng.randint(0, 1)}")),
            ("B", f"b{rng.randint(0, 2)}"),
        ]
        kinds.append((*shared, *live[: rng.randint(0, 2)]))
    return Trees.of([record for record in kinds for _ in range(rng.randint(1, 3))])


def agree(model, claim, release):
    """The judge names the rows that the twin names; a number of them that is no yes is no agreement."""
    expected, verdict = CASES[model].twin(claim, release), claim.check(release)
    if expected is None:
        assert not verdict
        return
    assert verdict.judged
    assert sorted(verdict.witnesses) == list(expected)
    assert bool(verdict) == (not expected)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("model", [model for model in TABLES if model != "k-anonymity of known subsets"])
def test_judges_of_tables_tell_rows_apart_by_any_column(model, seed):
    rng = random.Random(f"{model} {seed}")
    release = wide_table(rng, persons="linked" in model)
    if model in ("k-map", "delta-presence"):
        release = beside_people(release, rng)
    if model == "hidden values":
        release = replace(release, sensitive={"s0": release.sensitive["ill"]})
    if model == "k-anonymity with known columns":
        *core, a, b, c = rng.sample([*release.quasi], len(release.quasi))
        known = {"a": release.quasi[a], "b": release.quasi[b], "c": release.quasi[c]}
        release = replace(release, quasi={name: release.quasi[name] for name in core}, known=known)
    for claim in {claim for pair in CASES[model].pairs for claim in pair}:
        agree(model, claim, release)


@pytest.mark.parametrize("seed", range(30))
def test_known_subsets_tell_rows_apart_by_any_column(seed):
    rng = random.Random(seed)
    release = wide_table(rng, blanks=True, persons=seed % 3 == 0)
    names = list(release.quasi)
    rows = [
        tuple(None if cell < 0 else cell for cell in row) for row in zip(*release.quasi.values(), strict=True)
    ]
    who = None if release.persons is None else release.persons.tolist()
    listed = tuple(tuple(rng.sample(names, rng.randint(1, len(names)))) for _ in range(rng.randint(1, 3)))
    for subsets in (1, len(names) - 1, len(names), 999, listed):
        claim = SubsetAnonymity(rng.randint(2, 3), subsets)
        few = min(subsets, len(names)) if isinstance(subsets, int) else 0
        sets = (
            combinations(range(len(names)), few)
            if few
            else [[names.index(one) for one in some] for some in listed]
        )
        verdict = claim.check(release)
        assert list(verdict.witnesses) == naive.unfit(rows, claim.k, list(sets), who)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("model", ["k^m-anonymity", "l^m-diversity", "k-anonymity of listed itemsets"])
def test_judges_of_baskets_tell_rows_apart_by_any_item(model, seed):
    rng = random.Random(f"{model} {seed}")
    secret = (201, 202) if model == "l^m-diversity" else ()
    rows = wide_baskets(rng, secret)
    covers = {f"i{item}": frozenset([item]) for row in rows for item in row}
    release = judge_cases.baskets(rows, secret, covers)
    for claim in {claim for pair in CASES[model].pairs for claim in pair if getattr(claim, "m", 0) < 3}:
        if model == "k-anonymity of listed itemsets":
            claim = replace(
                claim, itemsets=tuple(tuple(rng.sample(sorted(covers), min(3, len(covers)))) for _ in "ab")
            )
            stands_for = {item: {f"i{item}"} for item in range(203)}
            bad = {
                row
                for some in claim.itemsets
                for row in judge_cases.naive_itemsets.unprotected(rows, claim.k, some, stands_for)
            }
            assert list(claim.check(release).witnesses) == sorted(bad)
            continue
        if secret and not any({*secret} & {*row} for row in rows):
            assert not claim.check(release)
            continue
        if secret:
            expected = judge_cases.naive_itemsets.exposed(rows, claim.k, claim.l, claim.m, secret)
        else:
            expected = judge_cases.naive_itemsets.rare(rows, claim.k, claim.m) if any(rows) else None
        verdict = claim.check(release)
        assert verdict.judged
        assert list(verdict.witnesses) == expected if expected is not None else not verdict


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("model", ["(k,k^m)-anonymity", "(k,l^m)-diversity"])
def test_judges_of_both_tell_rows_apart_by_any_column_and_item(model, seed):
    rng = random.Random(f"{model} {seed}")
    secret = judge_cases._SECRET if "l^m" in model else ()
    rows = [[item + 10 for item in row if item not in (8, 9)] for row in wide_baskets(rng, most=66)]
    rows = [[*row, *(one for one in secret if rng.random() < 0.4)] for row in rows]
    width = rng.choice(WIDTHS)
    quasi = np.zeros((len(rows), width), dtype=np.int64)
    for place in live_places(rng, width)[:2]:
        quasi[:, place] = rng.choices((0, 0, 1), k=len(rows))
    release = judge_cases.mixed(quasi, rows, secret)
    for claim in {claim for pair in CASES[model].pairs for claim in pair}:
        agree(model, claim, release)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_judge_of_trees_tells_records_apart_by_any_value(seed):
    rng = random.Random(seed)
    release = wide_trees(rng)
    for claim in (KMNAnonymity(2, 1, 0), KMNAnonymity(2, 2, 1), KMNAnonymity(3, 2, 1)):
        agree("k^(m,n)-anonymity", claim, release)


@pytest.mark.parametrize("m", [3, 12])
def test_the_judge_of_trees_knows_more_relations_than_a_word_has_bits(m):
    """12 values on a path stand in 66 relations: the last of them alone is lacked by one record."""

    def path(kinds):
        node = None
        for kind in reversed(kinds):
            node = (kind, f"{kind}0") if node is None else (kind, f"{kind}0", node)
        return (node,)

    kinds = [chr(ord("A") + i) for i in range(m)]
    whole, cut = path(kinds), (*path(kinds[:-1]), (kinds[-1], f"{kinds[-1]}0"))
    for records in ([whole] * 2, [whole, cut]):
        release = Trees.of(records)
        claim = KMNAnonymity(2, m, 1)
        agree("k^(m,n)-anonymity", claim, release)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_judge_of_votes_tells_rows_apart_by_any_item(seed):
    rng = random.Random(seed)
    own = [frozenset(row) for row in wide_baskets(rng)][:5]
    n = len(own)
    width = rng.randint(1, n)
    groups = [[own[(j - step) % n] for step in range(width)] for j in range(n)]
    rows = [judge_cases.naive_votes.vote(group) for group in groups]
    rng.shuffle(rows)
    if max(errors for _, _, errors in rows) > 6:
        pytest.skip("too many worlds for the twin")
    release = vote_cases.published(own, rows)
    for claim in {claim for pair in CASES["nonreciprocal k-anonymity"].pairs for claim in pair}:
        agree("nonreciprocal k-anonymity", claim, release)
