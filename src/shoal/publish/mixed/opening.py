"""A table with baskets as a configuration describes it."""

from dataclasses import replace

from shoal.io.config import Config
from shoal.io.source import Source
from shoal.publish.baskets.opening import items_of
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.table.dataset import table_from_config

__all__ = ["mixed_from_config"]


def mixed_from_config(config: Config, source: Source) -> MixedData:
    """Read the items, and the rest as a table."""
    sets, tree = items_of(config, source)
    items = [name for name, spec in config.columns.items() if spec.role == "items"]
    rest = Source(source.frame.drop(items), source.kind, source.name, source.missing)
    columns = {name: spec for name, spec in config.columns.items() if name not in items}
    people = table_from_config(replace(config, columns=columns), rest)
    return MixedData(source, people, sets, tree)
