"""From a configuration to data of its shape."""

from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.located import records_of
from shoal.publish.baskets.opening import baskets_from_config
from shoal.publish.mixed.opening import mixed_from_config
from shoal.publish.shape import Dataset
from shoal.publish.table.dataset import TableData, table_from_config
from shoal.publish.trees.opening import trees_from_config

__all__ = ["open_dataset", "open_table"]


def open_dataset(config: Config) -> Dataset:
    """Read the data and hierarchies a configuration file names."""
    match config.shape:
        case "table":
            return table_from_config(config, records_of(config))
        case "baskets":
            return baskets_from_config(config, records_of(config))
        case "mixed":
            return mixed_from_config(config, records_of(config))
        case "trees":
            return trees_from_config(config)


def open_table(config: Config) -> TableData:
    """Read the table a configuration file names."""
    if config.shape != "table":
        raise InputError(f"configuration: fronts are of tables, and this is of shape {config.shape}")
    return table_from_config(config, records_of(config))
