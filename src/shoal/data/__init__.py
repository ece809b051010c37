"""What comes in: people's data as integer codes, whatever file or frame it came from."""

from shoal.data.table import ROLE_WORDS, Baskets, Column, Mixed, Role, Table
from shoal.data.trees import Trees

__all__ = ["ROLE_WORDS", "Baskets", "Column", "Mixed", "Role", "Table", "Trees"]
