"""What comes in: people's data as integer codes, whatever file or frame it came from."""

from shoal.data.baskets import Baskets
from shoal.data.mixed import Mixed
from shoal.data.table import Column, Role, Table
from shoal.data.trees import Trees

__all__ = ["Baskets", "Column", "Mixed", "Role", "Table", "Trees"]
