"""A table as a configuration describes it."""

from shoal.io.config import Config
from shoal.io.located import records_of
from shoal.publish.table.dataset import TableData, table_from_config

__all__ = ["open_config"]


def open_config(config: Config) -> TableData:
    """Read the records and bind them to their hierarchies."""
    return table_from_config(config, records_of(config))
