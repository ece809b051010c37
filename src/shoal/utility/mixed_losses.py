"""What a table with baskets costs beside what its parts do: `are` of queries over both.

A query of a workload asks for x cells of quasi-identifiers and y items; see `queries` for how it is answered.
"""

import json
from collections.abc import Collection

from shoal.data import Mixed
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import RecodedMixed
from shoal.utility.item_losses import form_sizes
from shoal.utility.queries import Query, are, workload

__all__ = [
    "mixed_are",
    "mixed_workload",
    "read_workload",
    "workload_text",
]


def mixed_workload(
    mixed: Mixed, *, seed: int, queries: int = 100, values: int = 2, items: int = 2
) -> tuple[Query, ...]:
    """Draw queries of `values` cells and `items` items from records, so that each is satisfied by at least one.

    At most as many cells are asked for as there are quasi-identifiers.
    """
    cells = min(values, len(mixed.table.quasi))
    return workload(mixed.baskets, mixed.table, seed=seed, queries=queries, items=items, values=cells)


def mixed_are(
    queries: Collection[Query],
    recoded: RecodedMixed,
    mixed: Mixed,
    hierarchies: Hierarchies,
    items: Hierarchy | None = None,
    *,
    meaning: str = "subset",
) -> float:
    """Average relative error of counting queries over cells and items; see `queries.are`."""
    return are(
        queries,
        mixed.baskets,
        recoded.baskets,
        table=mixed.table,
        cells=recoded.table,
        hierarchies=hierarchies,
        sizes=form_sizes(recoded.baskets.forms, items),
        meaning=meaning,
    )


def workload_text(queries: Collection[Query]) -> str:
    """A workload as JSON, one query per line, to be saved and edited.

    >>> print(workload_text([Query(("flu", "gout"), {"age": ("30", "31")})]), end="")
    [
    {"items": ["flu", "gout"], "where": {"age": ["30", "31"]}}
    ]
    """
    lines = ",\n".join(json.dumps(query.as_dict(), ensure_ascii=False) for query in queries)
    return f"[\n{lines}\n]\n"


def read_workload(text: str) -> tuple[Query, ...]:
    """Read what `workload_text` wrote, perhaps edited.

    Raises
    ------
    InputError
        It is no list of queries; the message names the first that is none.
    """
    try:
        said = json.loads(text)
    except (ValueError, RecursionError):
        said = None
    if not isinstance(said, list):
        raise InputError("workload: it is not a JSON list of queries; write it as shoal does")
    for number, query in enumerate(said):
        if not isinstance(query, dict):
            raise InputError(
                f"workload: entry {number + 1} is not a query; give an object with items and where"
            )
    return tuple(Query.from_dict(query) for query in said)
