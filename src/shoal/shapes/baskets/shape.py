"""Baskets: a list of items per record, of which others may know some."""

from collections.abc import Mapping
from typing import ClassVar

from shoal.io.config import Config
from shoal.io.read.records import read_records
from shoal.io.read.source import Source
from shoal.release import Claim
from shoal.shapes.baskets.data import BasketData, baskets_from_config, unbind_votes
from shoal.shapes.baskets.verification import BasketVerification
from shoal.shapes.shape import JointWay, Shape, Verification

__all__ = ["VOTE_COLUMNS", "BasketShape"]

VOTE_COLUMNS = {"items": "items", "uncertain": "items", "errors": "plain"}
"""The columns of baskets by vote, with their roles."""


class BasketShape(Shape):
    """Baskets whose items are generalized."""

    name = "baskets"
    jointly: ClassVar[JointWay] = "items"
    roles = ("items", "sensitive", "plain")
    verification: ClassVar[Verification] = BasketVerification()
    columns: ClassVar[Mapping[str, str]] = {"items": "items"}

    def open_dataset(self, config: Config) -> BasketData:
        """Read the records and bind them to their item hierarchy."""
        return self.bind_source(config, read_records(config))

    def bind_source(self, config: Config, source: Source) -> BasketData:
        """Bind records to the item hierarchy that a configuration names."""
        return baskets_from_config(config, source)

    def bind_dataset(self, dataset: BasketData, claim: Claim) -> BasketData:
        """The same baskets, no longer to be published by vote; baskets in parts answer for both."""
        return unbind_votes(dataset) if dataset.in_memory and dataset.votes else dataset

    def find_column_fault(self, columns: Mapping[str, str]) -> str:
        """What is wrong with the columns; "" where they are one of items, or those of votes, and others."""
        items = {name: role for name, role in columns.items() if role == "items" or name in VOTE_COLUMNS}
        fits = [name for name, role in columns.items() if role == "items"] == [
            "items"
        ] or items == VOTE_COLUMNS
        return (
            ""
            if fits
            else "baskets have one column of items, 'items', and by vote 'uncertain' and 'errors' beside it"
        )
