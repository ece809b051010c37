"""Records that were read, as data of their shape."""

from shoal.io.config import Config
from shoal.io.source import Source
from shoal.publish.baskets.dataset import BasketData
from shoal.publish.baskets.opening import baskets_from_config
from shoal.publish.mixed.dataset import MixedData
from shoal.publish.mixed.opening import mixed_from_config
from shoal.publish.table.dataset import TableData, table_from_config

__all__ = ["dataset_of"]


def dataset_of(config: Config, source: Source) -> TableData | BasketData | MixedData:
    """Records that were read, as a configuration describes them; they are no trees."""
    match config.shape:
        case "baskets":
            return baskets_from_config(config, source)
        case "mixed":
            return mixed_from_config(config, source)
        case _:
            return table_from_config(config, source)
