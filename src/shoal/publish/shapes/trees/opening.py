"""Record trees as a configuration describes them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from shoal.data import Trees
from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.read.trees import read_trees
from shoal.io.write.nested_trees import require_nesting
from shoal.io.write.trees import require_table_names
from shoal.naming import nearest
from shoal.publish.hierarchies import Spec, hierarchy_of
from shoal.publish.shapes.trees.dataset import TreeData, TreeSource

__all__ = ["open_config", "tree_data", "trees_of", "values_of"]


def open_config(config: Config) -> TreeData:
    """Read the trees and the hierarchies of their classes."""
    assert config.tree is not None
    trees = trees_of(config)
    if config.format == "tables":
        require_table_names(trees.classes)
    if config.format == "nested":
        require_nesting(trees)
    name = "database" if config.data.path is None else config.data.path.name
    return tree_data(name, trees, config.tree.hierarchies, config.tree.negations)


def trees_of(config: Config) -> Trees:
    """Read the trees that a configuration names."""
    assert config.tree is not None
    data = config.data
    source = data.url if data.path is None else data.path
    assert source is not None
    spec = replace(config.tree, decimal=data.decimal)
    return read_trees(source, spec, delimiter=data.delimiter, encoding=data.encoding, missing=data.missing)


def tree_data(name: str, trees: Trees, specs: Mapping[str, Spec], negations: Sequence[str]) -> TreeData:
    """Give every class of record trees its hierarchy; one for a class that does not occur is not needed.

    Raises
    ------
    InputError
        A class has no hierarchy, is not dropped and is not the sensitive one.
    """
    kinds = [kind for kind in trees.classes if kind != trees.sensitive]
    bare = [kind for kind in kinds if specs.get(kind) is None]
    if bare:
        unused = [kind for kind in specs if kind not in trees.classes]
        near = [(kind, nearest(kind, unused)) for kind in bare]
        slips = "".join(f"; is '{other}' meant for '{kind}'?" for kind, other in near if other is not None)
        raise InputError(
            f"{name}: no hierarchy for {', '.join(map(repr, bare))}; give each one in tree.hierarchies, "
            f"put it in tree.drop, or make it sensitive{slips}"
        )
    hierarchies = {kind: hierarchy_of(kind, specs[kind], values_of(trees, kind)) for kind in kinds}
    return TreeData(TreeSource(name), trees, hierarchies, tuple(negations))


def values_of(trees: Trees, kind: str) -> list[str]:
    """The values of a class."""
    number = trees.classes.index(kind)
    return [value for value, own in zip(trees.values, trees.kinds, strict=True) if own == number]
