"""From a configuration to data of its shape."""

from shoal.errors import InputError
from shoal.io.config import Config
from shoal.io.read import read
from shoal.io.source import Source
from shoal.publish.baskets.opening import baskets_from_config
from shoal.publish.mixed.opening import mixed_from_config
from shoal.publish.shape import Dataset
from shoal.publish.table.dataset import TableData, table_from_config

__all__ = ["open_dataset", "open_table"]


def open_dataset(config: Config) -> Dataset:
    """Read the data and hierarchies a configuration file names."""
    match config.shape:
        case "table":
            return table_from_config(config, _source(config))
        case "baskets":
            return baskets_from_config(config, _source(config))
        case "mixed":
            return mixed_from_config(config, _source(config))
        case shape:
            raise InputError(
                f"configuration: the {shape} shape is not built yet; give a table, baskets or both"
            )


def open_table(config: Config) -> TableData:
    """Read the table a configuration file names."""
    if config.shape != "table":
        raise InputError(f"configuration: fronts are of tables, and this is of shape {config.shape}")
    return table_from_config(config, _source(config))


def _source(config: Config) -> Source:
    """Read the data file; its items columns may hold lists."""
    data = config.data
    if data.path is None:
        raise InputError("configuration: [data] needs a path; reading a url is not built yet")
    nested = [name for name, spec in config.columns.items() if spec.role == "items"]
    return read(
        data.path, delimiter=data.delimiter, encoding=data.encoding, missing=data.missing, nested=nested
    )
