"""A table with baskets as a configuration describes it."""

from dataclasses import replace
from itertools import takewhile

from shoal.io.config import Config
from shoal.io.read.records import records_of, settle_roles
from shoal.io.read.source import Source
from shoal.publish.baskets.opening import has_rule, items_of
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.table.opening import from_config as table_from_config

__all__ = ["from_config", "open_config"]


def open_config(config: Config) -> MixedData:
    """Read the records and bind both parts to their hierarchies."""
    return from_config(config, records_of(config))


def from_config(config: Config, source: Source) -> MixedData:
    """Read the items, and the rest as a table."""
    config, source = settle_roles(config, source)
    baskets, hierarchy, beside = items_of(config, source)
    columns = {name: spec for name, spec in config.columns.items() if spec.role != "items"}
    people = table_from_config(replace(config, columns=columns), beside)
    before = tuple(takewhile(lambda name: name in beside.frame.columns, source.frame.columns))
    return MixedData(beside, people, baskets, hierarchy, before, has_rule(config))
