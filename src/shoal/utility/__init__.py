"""Losses and risk: what a release costs, 0 is untouched, and how exposed the people in it are."""

from shoal.utility.equal_rows import class_ids, class_of_rows
from shoal.utility.risk import risk
from shoal.utility.table_losses import (
    aecs,
    c_avg,
    ce,
    dm,
    dm_star,
    glm,
    glm_geometric,
    height,
    il,
    loss_by_column,
    losses,
    ncp,
    precision,
    public_losses,
)

__all__ = [
    "aecs",
    "c_avg",
    "ce",
    "class_ids",
    "class_of_rows",
    "dm",
    "dm_star",
    "glm",
    "glm_geometric",
    "height",
    "il",
    "loss_by_column",
    "losses",
    "ncp",
    "precision",
    "public_losses",
    "risk",
]
