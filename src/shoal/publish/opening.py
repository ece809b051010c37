"""From a configuration to data of its shape."""

from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.located import records_of
from shoal.io.source import Source
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.baskets.opening import baskets_from_config
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.mixed.opening import mixed_from_config
from shoal.publish.shape import Dataset
from shoal.publish.table.dataset import TableData, table_from_config
from shoal.publish.trees.opening import trees_from_config

__all__ = ["dataset_of", "open_dataset", "open_front"]


def open_dataset(config: Config) -> Dataset:
    """Read the data and hierarchies a configuration file names."""
    return trees_from_config(config) if config.shape == "trees" else dataset_of(config, records_of(config))


def dataset_of(config: Config, source: Source) -> TableData | BasketData | MixedData:
    """Records that were read, as a configuration describes them; they are no trees."""
    match config.shape:
        case "baskets":
            return baskets_from_config(config, source)
        case "mixed":
            return mixed_from_config(config, source)
        case _:
            return table_from_config(config, source)


def open_front(config: Config) -> TableData | MixedData:
    """Read data whose losses can be traded: a table, alone or with baskets."""
    if config.shape not in ("table", "mixed"):
        raise InputError(
            f"configuration: fronts are of tables, alone or with baskets, and this is of shape {config.shape}"
        )
    source = records_of(config)
    return mixed_from_config(config, source) if config.shape == "mixed" else table_from_config(config, source)
