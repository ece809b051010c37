"""Every method tells its progress so that the time left can be told: steps keep their words, and shares never fall."""

from itertools import groupby

import numpy as np
import polars as pl
import pytest

import shoal
from shoal.algorithms import METHODS
from shoal.base.progress import no_progress, no_share, poll_kernel, round_shares, scale_share, start_step

N = 240
WITHOUT = {"acs", "blank"}
"""Methods whose search ends by itself only, so that nobody knows how much of it is done."""

DRAW = np.random.default_rng(0)
TABLE = pl.DataFrame(
    {
        "age": [str(20 + number) for number in DRAW.integers(0, 40, N)],
        "zip": [str(100 + number) for number in DRAW.integers(0, 60, N)],
        "sex": ["fm"[number] for number in DRAW.integers(0, 2, N)],
        "ill": ["abcde"[number] for number in DRAW.integers(0, 5, N)],
    }
)
ITEMS = [[f"i{item:02}" for item in np.flatnonzero(DRAW.random(12) < 0.3)] or ["i00"] for _ in range(N)]
RULES = {"age": {"ranges": [5, 20]}, "zip": {"ranges": [10, 50]}, "items": {"fanout": 3}}


def dataset(name):
    """Data that suit a method."""
    match METHODS[name].kind:
        case "lattice" | "local" | "cells":
            roles = {"age": "quasi", "zip": "quasi", "sex": "quasi", "ill": "plain"}
            roles |= {"sex": "plain"} if METHODS[name].numbers else {}
            roles |= {"zip": "known"} if name == "core" else {}
            rules = {key: RULES[key] for key in ("age", "zip")}
            others = TABLE.head(N - 1) if METHODS[name].public else None
            return shoal.read(TABLE, roles=roles, hierarchies=rules, population=others)
        case "itemsets" | "ring":
            frame = TABLE.select("ill").with_columns(items=pl.Series(ITEMS))
            roles = {"items": "items", "ill": "sensitive"}
            if name != "cahd":
                frame, roles = frame.drop("ill"), {"items": "items"}
            return shoal.read(frame, roles=roles, hierarchies={"items": RULES["items"]})
        case "mixed":
            frame = TABLE.select("age", "sex").with_columns(items=pl.Series(ITEMS))
            roles = {"age": "quasi", "sex": "quasi", "items": "items"}
            return shoal.read(frame, roles=roles, hierarchies={key: RULES[key] for key in ("age", "items")})
        case _:
            people = zip(TABLE["age"], ITEMS, strict=True)
            records = [{"age": age, "visit": [{"ward": item} for item in items]} for age, items in people]
            rules = {"age": RULES["age"], "visit.ward": {"fanout": 3}}
            return shoal.read_trees(records, hierarchies=rules)


def asked(name):
    """A claim that a method keeps."""
    match METHODS[name].kind:
        case "itemsets" | "mixed":
            return {"k": 3, "m": 2}
        case "trees":
            return {"k": 3, "m": 2, "n": 1}
        case "cells":
            return {"k": 3, "subsets": 2}
        case "local" if name == "core":
            return {"k": 3, "known_at_once": 1}
        case _:
            return {"l": 2} if name == "cahd" else {"k": 3}


@pytest.mark.parametrize("name", METHODS)
def test_shares_lie_between_nothing_and_all_and_never_fall(name):
    heard = []
    shoal.anonymize(
        dataset(name),
        method=name,
        progress=lambda what, share=None: heard.append((what, share)),
        **asked(name),
    )
    for _, said in groupby(heard, key=lambda step: step[0]):
        shares = [share for _, share in said if share is not None]
        assert all(0 <= share <= 1 for share in shares)
        assert shares == sorted(shares)
    assert len({what for what, _ in heard}) <= 10  # words that count something would be others each time
    some = any(share is not None and share > 0 for _, share in heard)
    assert some or name in WITHOUT


def test_shares_are_told_as_a_kernel_works():
    """By whatever it has written by then; and nothing is looked at where nobody listens."""
    heard, done = [], [0]

    def share():
        done[0] += 1
        return done[0] / 50

    with poll_kernel(start_step(lambda what, share: heard.append(share), "working"), share):
        while len(heard) < 3:
            pass
    assert heard == sorted(heard)
    with poll_kernel(start_step(no_progress, "working"), lambda: 1 / 0):
        pass


def test_a_fault_of_the_listener_is_not_lost():
    def deaf(share):
        raise RuntimeError("no ears")

    with pytest.raises(RuntimeError, match="no ears"), poll_kernel(deaf, lambda: 0.5):
        pass


def test_where_nobody_listens_no_part_does():
    assert scale_share(start_step(no_progress, "working"), 0.2, 0.3) is no_share
    assert next(round_shares(no_share)) is no_share
