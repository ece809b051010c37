"""Nonsense for every parameter of every method: one sentence, never a crash."""

import inspect
import math

import pytest

import shoal
from knob_cases import NUMBERS, ROLES, TABLE, dataset
from shoal.algorithms import METHODS
from shoal.base.errors import RefusedError, ShoalError
from shoal.privacy import GUARANTEE

NONSENSE = [
    math.nan,
    math.inf,
    -math.inf,
    "text",
    "",
    True,
    [],
    {},
    ["a"],
    {"a": 1},
    10**400,
    2**63,
    -1,
    None,
]
NONSENSE += [object(), {"age": math.nan}, {"age": "x"}, [math.nan], [None], b"x", {1: 2}]


def told(act):
    """Let it go well, or be told in one sentence; a method's result that fails its judge is a bug."""
    said = ""
    try:
        act()
    except RefusedError:
        raise
    except ShoalError as error:
        said = str(error)
    assert "\n" not in said


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_of_every_maker(name):
    data = dataset(METHODS[name].shape)
    stated = NUMBERS[name]
    taken = inspect.signature(METHODS[name].load()).parameters.values()
    own = [p.name for p in taken if p.kind is p.KEYWORD_ONLY and p.name not in ("progress", "rng")]
    some = NONSENSE[
        list(METHODS).index(name) % 3 :: 3
    ]  # what all methods share, all of them together see all of it
    shared = [key for key in GUARANTEE if key not in own]
    for key in (*own, *shared, "insiders", "privacy", "nonsense"):
        for value in some if key in shared else NONSENSE:
            told(lambda key=key, value=value: shoal.anonymize(data, method=name, **{**stated, key: value}))


@pytest.mark.parametrize(
    "name",
    "roles hierarchies weights person allow levels separators sensitive delimiter encoding missing".split(),
)
def test_every_argument_of_read(name):
    for value in NONSENSE:
        told(lambda value=value: shoal.read(TABLE, **{"roles": ROLES, name: value}))


def test_a_text_is_no_weight():
    with pytest.raises(ShoalError, match="'weights' must be a table of names and numbers"):
        shoal.read(TABLE, roles=ROLES, weights={"age": "heavy"})


def test_a_name_is_no_list_of_names():
    with pytest.raises(ShoalError, match="'allow' must be a list of texts"):
        shoal.read(TABLE, roles=ROLES, allow="ill")


def test_fronts_and_seeds():
    table, mixed = shoal.pareto(dataset("table")), shoal.pareto(dataset("mixed"), k=2, m=1)
    for value in NONSENSE:
        told(lambda value=value: table.pick(value))
        told(lambda value=value: table.plot(value))
        told(lambda value=value: mixed.pick(value))
        told(lambda value=value: mixed.plot(value))
        told(lambda value=value: table.pick(2, seed=value))
        told(lambda value=value: shoal.anonymize(dataset("table"), k=2, seed=value))
        told(lambda value=value: shoal.anonymize(dataset("table"), k=2, method=value))
        told(lambda value=value: shoal.anonymize(value, k=2))
