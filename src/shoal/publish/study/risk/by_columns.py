"""What the quasi-identifiers of a table tell of the people in it."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from shoal.data import Table
from shoal.data.types import I8
from shoal.kernels.types import F8
from shoal.progress import Progress
from shoal.publish.study.risk.beyond import Beyond
from shoal.utility.column_sets import ColumnSet, ColumnSets, column_sets
from shoal.utility.equal_rows import class_ids
from shoal.utility.population import expected_risk, pitman, zayatz
from shoal.utility.risk import crowds, smallest_of
from shoal.utility.special_uniques import SpecialUniques, matches_right, special_uniques

__all__ = ["classes_of", "column_facts"]


def classes_of(table: Table) -> I8:
    """The class of each row by all quasi-identifiers."""
    return class_ids([column.codes for column in table.columns])


def column_facts(
    table: Table, k: int, beyond: Beyond | None, progress: Progress
) -> tuple[dict[str, Any], F8]:
    """The facts of a table, and the SUDA score of each of its rows."""
    names = [column.name for column in table.columns]
    found = column_sets([column.codes for column in table.columns], table.persons, k=k, progress=progress)
    special = special_uniques(found, len(names))
    classes = classes_of(table)
    sizes, exposed = crowds(classes, table.persons)
    prosecutor = _attacker(1 / exposed, k)
    journalist = None if beyond is None else _journalist(table, exposed, k, beyond)
    facts = {
        "found": _found(found),
        "columns": _columns(found, special, table),
        "sets": [{"columns": [names[j] for j in one.columns], **_told(one, found)} for one in found.sets],
        "sets_up_to": found.size,
        "minimal_sets": _minimal(special, names, found.persons),
        "minimal_by_size": {str(size): count for size, count in sorted(special.records.items())},
        "scores": _scores(special),
        "threshold": 1 / k,
        "prosecutor": prosecutor,
        "journalist": journalist,
        "marketer": (prosecutor if journalist is None else journalist)["average"],
        "population": None if beyond is None else _population(sizes, len(exposed), beyond),
    }
    return facts, special.score


def _told(one: ColumnSet, found: ColumnSets) -> dict[str, float]:
    return {
        "distinction": one.distinction,
        "separation": one.separation,
        "alone": _share(one.unique, found.persons),
        "fewer": _share(one.fewer, found.persons),
    }


def _found(found: ColumnSets) -> list[dict[str, Any]]:
    """Whom any so many columns find."""
    return [
        {
            "columns": size,
            "items": 0,
            "relations": 0,
            "whole": False,
            "alone": _share(found.unique[size], found.persons),
            "fewer": _share(found.fewer[size], found.persons),
        }
        for size in sorted(found.unique)
    ]


def _columns(found: ColumnSets, special: SpecialUniques, table: Table) -> list[dict[str, Any]]:
    single = {one.columns[0]: one for one in found.sets if len(one.columns) == 1}
    return [
        {
            "column": column.name,
            "values": len(np.unique(column.codes)),
            **_told(single[place], found),
            "contribution": special.contribution[place],
        }
        for place, column in enumerate(table.columns)
    ]


def _minimal(special: SpecialUniques, names: Sequence[str], people: int) -> list[dict[str, Any]]:
    """The smallest sets that single people out, those of most people first."""
    ranked = sorted(special.people.items(), key=lambda one: (-one[1], len(one[0]), one[0]))
    return [{"columns": [names[j] for j in some], "alone": _share(count, people)} for some, count in ranked]


def _scores(special: SpecialUniques) -> dict[str, float]:
    scored = special.score[special.score > 0]
    return {
        "rows": _share(len(scored), len(special.score)),
        "median": float(np.median(scored)) if len(scored) else 0.0,
        "highest": float(scored.max()) if len(scored) else 0.0,
    }


def _attacker(chance: F8, k: int) -> dict[str, float]:
    """What somebody achieves who finds each person with a chance."""
    return {
        "highest": float(chance.max(initial=0)),
        "average": float(chance.mean()) if len(chance) else 0.0,
        "above": _share(int((chance > 1 / k).sum()), len(chance)),
    }


def _journalist(table: Table, exposed: I8, k: int, beyond: Beyond) -> dict[str, Any]:
    if beyond.crowds is None:
        chance = expected_risk(exposed, len(exposed) / beyond.size)[exposed - 1]
        return {**_attacker(chance, k), "absent": None}
    crowd = beyond.crowds if table.persons is None else smallest_of(beyond.crowds, table.persons)
    return {
        **_attacker(1 / np.maximum(crowd, exposed), k),
        "absent": _share(int((crowd < exposed).sum()), len(exposed)),
    }


def _population(sizes: I8, people: int, beyond: Beyond) -> dict[str, Any]:
    fraction = people / beyond.size
    return {
        "size": beyond.size,
        "source": beyond.source,
        "fraction": fraction,
        "pitman": pitman(sizes, beyond.size),
        "zayatz": zayatz(sizes, beyond.size),
        "right_match": matches_right(sizes, fraction),
    }


def _share(count: int, whole: int) -> float:
    return count / max(whole, 1)
