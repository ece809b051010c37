"""Who holds which value of a column, a list of items or a field, in data of any shape."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.data import Baskets, Trees
from shoal.data.lists import owners
from shoal.data.types import I4, I8
from shoal.discreet import Discreet
from shoal.hierarchy import Hierarchy
from shoal.io.cells import cleaned, factorize, text
from shoal.io.config import Config
from shoal.io.headers import no_column
from shoal.io.located import records_of
from shoal.io.persons import named
from shoal.io.roles import settled
from shoal.io.source import Source
from shoal.publish.baskets.opening import NEIGHBOURS, baskets_by_column
from shoal.publish.hierarchies import Spec, hierarchy_of, spec_for
from shoal.publish.trees.opening import trees_of, values_of

__all__ = ["Held", "held_in"]


@dataclass(frozen=True, repr=False)
class Held(Discreet):
    """Each pair, a person of `who` and a code of `codes`, says that this person holds that one of the values.

    spec    : the hierarchy that is given, None where none is
    people  : how many people there are
    missing : texts that mean a missing value
    """

    name: str
    role: str
    spec: Spec | None
    values: Sequence[str | None]
    who: I8
    codes: I4
    people: int
    missing: tuple[str, ...] = ()

    def hierarchy(self) -> Hierarchy:
        """The hierarchy as it would be used."""
        spec = spec_for(self.name, self.values, self.spec)
        return hierarchy_of(self.name, spec, self.values).covering(self.missing)


def held_in(config: Config) -> Iterator[Held]:
    """What people hold of everything that has a hierarchy.

    Raises
    ------
    InputError
        The data cannot be read.
    """
    return _fields(config) if config.tree is not None else _columns(config)


def _columns(config: Config) -> Iterator[Held]:
    config, source = settled(config, records_of(config))
    names = [name for name, spec in config.columns.items() if spec.role == "items"]
    items = baskets_by_column(config, source)[0] if names else {}
    who, people = _persons(config, source)
    for name, spec in config.columns.items():
        if name in items:
            yield _items(items[name], NEIGHBOURS if spec.hierarchy is None else spec.hierarchy)
        elif name in source.frame.columns and (spec.role == "quasi" or spec.hierarchy is not None):
            values, codes = factorize(cleaned(text(source.frame[name]), source.missing))
            yield Held(name, spec.role, spec.hierarchy, values, who, codes, people, source.missing)


def _persons(config: Config, source: Source) -> tuple[I8, int]:
    """Whom each row belongs to, and how many people there are."""
    person = config.data.person
    if person is None:
        return np.arange(source.frame.height), source.frame.height
    if person not in source.frame.columns:
        raise no_column(source, person, [person])
    names, who = factorize(named(cleaned(text(source.frame[person]), source.missing)))
    return who.astype(np.int64), len(names)


def _items(baskets: Baskets, spec: Spec) -> Held:
    return Held(baskets.name, "items", spec, baskets.values, owners(baskets.start), baskets.items, baskets.n)


def _fields(config: Config) -> Iterator[Held]:
    assert config.tree is not None
    trees = trees_of(config)
    for kind in trees.classes:
        spec = config.tree.hierarchies.get(kind)
        if spec is not None and kind != trees.sensitive:
            yield _field(trees, kind, spec)


def _field(trees: Trees, kind: str, spec: Spec) -> Held:
    own = trees.kinds == trees.classes.index(kind)
    place = np.cumsum(own, dtype=np.int32) - 1
    inside = own[trees.items]
    who, codes = owners(trees.start)[inside], place[trees.items[inside]].astype(np.int32)
    return Held(kind, "field", spec, values_of(trees, kind), who, codes, trees.n)
