"""Identity disclosure of a table's classes, and by a journalist who does not know who is in the data; private."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.errors import InputError
from shoal.publish.protocols import Dataset
from shoal.report.facts import Audit, IdentityRisk
from shoal.utility.individual_risk import individual_risk

__all__ = [
    "IN_PARTS",
    "by_the_table",
    "check_population",
    "from_outside",
]

IN_PARTS = "how likely people are found was not counted: there are too many records to be held in memory"


def by_the_table(before: Mapping[str, Any], after: Mapping[str, Any], k: int) -> IdentityRisk:
    """Whoever knows all quasi-identifiers; from `shoal.utility.risk`, which was asked for the share below k."""
    return IdentityRisk("all quasi-identifiers", 1 / k, _table_chances(before, k), _table_chances(after, k))


def _table_chances(facts: Mapping[str, Any], k: int) -> dict[str, float]:
    return {"highest": facts["highest"], "average": facts["average"], "above": facts["below"][str(k)]}


def check_population(dataset: Dataset, population: object) -> None:
    """Refuse a population that is no number, or of which the people of the data cannot be a part."""
    if population is None:
        return
    persons = getattr(getattr(dataset, "table", None), "persons", None)
    people = dataset.records if persons is None else len(np.unique(persons))
    if not isinstance(population, int) or isinstance(population, bool) or population < people:
        raise InputError(
            f"audit: the population is a whole number of people, and of at least the {people:,} in the data; give how "
            "many people the data were drawn from"
        )


def from_outside(audit: Audit, population: int | None) -> Audit:
    """The same audit with what a journalist achieves, who does not know who of a population is in the data.

    The chance is the expected one of Benedetti and Franconi, as if the data were drawn at random.
    """
    if population is None:
        return audit
    facts = audit.report.manifest
    before = audit.risk_before.get("records", facts["records_in"])
    after = audit.risk_after.get("records", facts["records_out"])
    exposed = [
        replace(
            one,
            before=_outside(one.before, before / population),
            after=_outside(one.after, after / population),
        )
        for one in audit.exposed
    ]
    return replace(audit, exposed=exposed, population=population)


def _outside(chances: Mapping[str, float], fraction: float) -> dict[str, float]:
    """The chances of one side, with that of a journalist: the fewest look-alikes give the highest one."""
    if not chances.get("highest") or not fraction:
        return dict(chances)
    least = round(1 / chances["highest"])
    return {**chances, "outside": float(individual_risk(least, min(fraction, 1.0)))}
