"""What comes in: people's data as integer codes, whatever file or frame it came from."""

from shoal.data.forest import Forest
from shoal.data.mixed import Mixed
from shoal.data.sets import Sets
from shoal.data.table import Column, Role, Table

__all__ = ["Column", "Forest", "Mixed", "Role", "Sets", "Table"]
