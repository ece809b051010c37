"""Tables: a row per record, of which others may know the quasi-identifiers."""

from collections.abc import Mapping

from shoal.io.config import Config
from shoal.io.read.records import read_records
from shoal.io.read.source import Source
from shoal.release import Claim
from shoal.shapes.shape import Shape, find_quasi_fault
from shoal.shapes.table.data import TableData, table_from_config
from shoal.shapes.table.verification import TableVerification

__all__ = ["TableShape"]


class TableShape(Shape):
    """Tables."""

    name = "table"
    jointly = "classes"
    roles = ("quasi", "known", "sensitive", "plain", "pseudonym")
    verification = TableVerification()
    persons = True
    gone = False

    def open_dataset(self, config: Config) -> TableData:
        """Read the records and bind them to their hierarchies."""
        return self.bind_source(config, read_records(config))

    def bind_source(self, config: Config, source: Source) -> TableData:
        """Bind records to the hierarchies that a configuration names."""
        return table_from_config(config, source)

    def bind_dataset(self, dataset: TableData, claim: Claim) -> TableData:
        """The same table, its households as its persons where the claim counts them."""
        return dataset.counting(claim)

    def find_column_fault(self, columns: Mapping[str, str]) -> str:
        """What is wrong with the columns; "" where one is a quasi-identifier."""
        return find_quasi_fault(columns)
