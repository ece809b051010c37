"""What looks at a release beside its originals before it leaves, and the pages that tell of it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from shoal.algorithms import METHODS
from shoal.assess.attack import audit_exposure
from shoal.assess.usefulness import measure_usefulness
from shoal.assess.warnings import warnings_of
from shoal.base.errors import InputError
from shoal.publish.door import Auditor, Page
from shoal.publish.draft import Draft
from shoal.release import ColumnTelling, Recoded
from shoal.report.facts import Audit
from shoal.report.pages import audit_html, report_html
from shoal.risks.individual import individual_risk
from shoal.risks.log_linear import model_table
from shoal.risks.matching import measure_telling
from shoal.shapes.dataset import Dataset
from shoal.shapes.table.data import TableData

__all__ = [
    "PAGES",
    "_add_journalist_risk",
    "_floor_of",
    "_measure_column_telling",
    "auditors_of",
    "check_population",
]


PAGES = (
    Page("report.html", private=False, html=lambda audit: report_html(audit.report)),
    Page("audit.html", private=True, html=audit_html),
)
"""The pages of every release that people save."""


def auditors_of(
    target: str | None = None,
    population: int | None = None,
    undecided: Mapping[str, str] | None = None,
    control: float | None = None,
    seed: int | None = None,
) -> tuple[Auditor, ...]:
    """Who looks at every release that people save: what it is good for, what attackers find in it, how good it is."""
    return (
        lambda draft, audit: replace(audit, useful=measure_usefulness(draft, target)),
        partial(audit_exposure, control=control, seed=seed),
        lambda draft, audit: _add_journalist_risk(audit, population),
        lambda draft, audit: _add_modelled_risk(draft, audit, population),
        lambda draft, audit: replace(audit, telling=_measure_column_telling(draft)),
        lambda draft, audit: replace(audit, undecided=dict(undecided or {})),
        lambda draft, audit: replace(audit, warnings=warnings_of(draft, audit)),
        lambda draft, audit: replace(audit, floor=_floor_of(draft)),
    )


def _measure_column_telling(draft: Draft) -> Sequence[ColumnTelling]:
    """What each plain and sensitive column beside the quasi-identifiers of a release tells beyond k, allowed or not."""
    data: TableData | None = draft.dataset.table_part
    if data is None or not data.in_memory:
        return ()
    release = getattr(draft.result.release, "table", draft.result.release)
    columns = [column for column in data.table.columns if column.role in ("plain", "sensitive")]
    return measure_telling(data.table, data.leaves, release, draft.claim, columns)


def _floor_of(draft: Draft) -> float | None:
    """The floor of the loss `ncp`; None where none is known, as for a stored rule, or records are too many."""
    method, dataset = METHODS.get(draft.method["name"]), draft.dataset
    if method is None or not dataset.in_memory or draft.claim.crowd < 2:
        return None
    return dataset.find_floor([method], draft.claim, draft.method["parameters"], draft.result.release)


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


def _add_journalist_risk(audit: Audit, population: int | None) -> Audit:
    """The same audit with what a journalist achieves, who does not know who of a population is in the data.

    The chance is the expected one of Benedetti and Franconi, as if the data were drawn at random.
    """
    if population is None:
        return audit
    facts = audit.report.manifest
    records_before = audit.risk_before.get("records", facts["records_in"])
    records_after = audit.risk_after.get("records", facts["records_out"])
    exposure = [
        replace(
            identity_risk,
            before=_journalist_chances(identity_risk.before, records_before / population),
            after=_journalist_chances(identity_risk.after, records_after / population),
        )
        for identity_risk in audit.exposed
    ]
    return replace(audit, exposed=exposure, population=population)


def _add_modelled_risk(draft: Draft, audit: Audit, population: int | None) -> Audit:
    """The same audit with how many people who are alone are alone in the population too, by a log-linear model.

    It is the richest model that could be fitted; nothing is added where neither weights nor a population are known.
    """
    from shoal.assess.table_facts import build_released_table  # only tables need it

    data, release = draft.dataset, draft.result.release
    if not isinstance(data, TableData) or not isinstance(release, Recoded) or not data.in_memory:
        return audit
    sides = [
        model_table(table, population)
        for table in (data.table, build_released_table(data.table, release, data.hierarchies))
    ]
    before, after = (
        {} if not models else {"modelled_unique": models[-1].unique, "modelled_matches": models[-1].matches}
        for models in sides
    )
    if not before:
        return audit
    return replace(
        audit, risk_before={**audit.risk_before, **before}, risk_after={**audit.risk_after, **after}
    )


def _journalist_chances(chances: Mapping[str, float], fraction: float) -> dict[str, float]:
    """The chances of one side, with that of a journalist: the fewest look-alikes give the highest one."""
    if not chances.get("highest") or not fraction:
        return dict(chances)
    least = round(1 / chances["highest"])
    return {**chances, "outside": float(individual_risk(least, min(fraction, 1.0)))}
