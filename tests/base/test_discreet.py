"""No repr, str or html of anything that holds data shows a cell."""

import contextlib
from collections.abc import Mapping
from dataclasses import is_dataclass
from importlib import import_module
from pkgutil import walk_packages

import polars as pl
import pytest

import shoal
from shoal.assess.facts import facts_of
from shoal.base.discreet import SafeRepr
from shoal.io.config import ColumnSpec, Config, Data

CANARY = "Zwölfingerdarm"
N = 12
PEOPLE = pl.DataFrame(
    {
        "name": [f"{CANARY} {i}" for i in range(N)],
        "town": [CANARY if i % 2 else f"{CANARY}-Dorf" for i in range(N)],
        "ill": [CANARY if i % 3 else f"no {CANARY}" for i in range(N)],
        "items": [[CANARY, "b"] if i % 2 else ["b", "c"] for i in range(N)],
    }
)
ROLES = {"name": "identifier", "town": "quasi", "ill": "sensitive"}
ITEMS = {f"{CANARY}s": [CANARY, "b"], "y": ["c"]}


def table():
    return shoal.read(PEOPLE.drop("items"), roles=ROLES)


def baskets():
    return shoal.read(PEOPLE.select("items"), roles={"items": "items"}, hierarchies={"items": ITEMS})


def mixed():
    roles = {"name": "identifier", "town": "quasi", "items": "items"}
    return shoal.read(
        PEOPLE.drop("ill"), roles=roles, hierarchies={"items": ITEMS}, sensitive={"items": ["c"]}
    )


def trees():
    records = [{"town": CANARY, "visit": [{"ill": f"{CANARY}{i % 2}"}]} for i in range(N)]
    return shoal.read_trees(records, hierarchies={"town": {"fanout": 2}, "visit.ill": {"fanout": 2}})


MADE = {
    "table": lambda: shoal.anonymize(table(), k=2, method="optimal"),
    "local": lambda: shoal.anonymize(table(), k=2, method="mstk"),
    "baskets": lambda: shoal.anonymize(baskets(), k=2, m=1),
    "listed": lambda: shoal.anonymize(baskets(), k=2, method="coat", privacy=[[CANARY]]),
    "whole baskets": lambda: shoal.anonymize(baskets(), k=2, allow=True),
    "mixed": lambda: shoal.anonymize(mixed(), k=2, m=1, method="bound", delta=1.0),
    "trees": lambda: shoal.anonymize(trees(), k=2, m=1, n=1),
    "front": lambda: shoal.pareto(table()),
    "trade-off": lambda: shoal.pareto(mixed(), k=2, m=1),
    "configuration": lambda: Config(
        folder=None,
        data=Data(url=f"postgresql://{CANARY}:secret@host/x", missing=(CANARY,)),
        columns={"items": ColumnSpec("items", sensitive=(CANARY,), hierarchy={CANARY: [CANARY]})},
    ),
}


def everything_in(root):
    """Whatever of shoal can be reached from an object through its attributes."""
    seen, stack = {}, [root]
    while stack:
        one = stack.pop()
        if id(one) in seen:
            continue
        if isinstance(one, Mapping):
            stack += [*one.values()]
        elif isinstance(one, list | tuple | frozenset | set):
            stack += [*one]
        elif type(one).__module__.startswith("shoal."):
            seen[id(one)] = one
            names = [name for name in dir(type(one)) if not name.startswith("_")]
            fields = list(getattr(type(one), "__dataclass_fields__", {}))
            for name in {*names, *fields}:
                with contextlib.suppress(Exception):
                    stack.append(getattr(one, name))
    return list(seen.values())


@pytest.fixture(scope="module", params=MADE)
def made(request):
    return MADE[request.param]()


def test_no_cell_is_shown(made):
    audit = [facts_of(made)] if isinstance(made, shoal.Release) else []
    found = everything_in([made, *audit])
    assert len(found) > (1 if isinstance(made, Config) else 4)
    for one in found:
        if isinstance(one, type) or not is_dataclass(one):
            continue
        shown = [repr(one), str(one), one._repr_html_() if hasattr(one, "_repr_html_") else ""]
        assert not any(CANARY in text or "secret@" in text for text in shown), type(one)


def test_what_users_hold_is_short_and_shown_as_a_table(made):
    for one in (made, getattr(made, "dataset", made), getattr(made, "verdict", made)):
        assert len(repr(one)) < 400
        assert "\n" not in repr(one)
        assert one._repr_html_().startswith("<table>")


def test_what_is_shown_of_a_table():
    assert repr(table()) == (
        "<TableData: shape=table, records=12, quasi=town, sensitive=ill, heights of hierarchies=town 1>"
    )
    assert repr(table().hierarchies["town"]) == (
        "<Hierarchy: name=town, leaves=2, height=1, declared public=False>"
    )
    assert repr(shoal.anonymize(table(), k=2, method="optimal").verdict).startswith(
        "<Verdict yes: every class"
    )


def test_a_front_is_drawn():
    ages = PEOPLE.select(age=pl.int_range(N))
    front = shoal.pareto(shoal.read(ages, roles={"age": "quasi"}, hierarchies={"age": {"ranges": [2, 4]}}))
    assert len(front.table()) > 1
    assert "<svg" in front._repr_html_()
    assert repr(front).startswith(f"<Front: points={len(front.table())}, k=")


def test_no_dataclass_of_its_kind_is_shown_by_its_fields():
    """A dataclass that is not declared with `repr=False` would show what it holds after all."""
    for module in walk_packages(shoal.__path__, "shoal."):
        with contextlib.suppress(ImportError):  # what needs a library that is not there
            import_module(module.name)
    left, found = [SafeRepr], set()
    while left:
        more = left.pop().__subclasses__()
        left += more
        found |= set(more)
    assert len(found) > 100
    shown = [one.__name__ for one in found if hasattr(one.__dict__.get("__repr__"), "__wrapped__")]
    assert shown == []
