"""What a table with baskets costs: `ncp` of its table, `ul` and `items-ncp` of its items, `are` of queries over both.

A query of a workload asks for x cells of quasi-identifiers and y items; see `queries` for how it is answered.
"""

import json
from collections.abc import Collection

import numpy as np

from shoal.data import Mixed
from shoal.data.types import B1, F8
from shoal.errors import InputError
from shoal.hierarchy import Hierarchies, Hierarchy
from shoal.release import RecodedMixed
from shoal.utility.item_losses import form_sizes, lost_items, ncp_items, ncp_published, ul
from shoal.utility.queries import Query, are, workload
from shoal.utility.table_losses import ncp

__all__ = [
    "mixed_are",
    "mixed_losses",
    "mixed_ul",
    "mixed_workload",
    "public_mixed_losses",
    "read_workload",
    "workload_text",
]


def mixed_losses(
    recoded: RecodedMixed,
    mixed: Mixed,
    hierarchies: Hierarchies,
    items: Hierarchy | None = None,
    *,
    weights: F8 | None = None,
    exempt: Collection[int] = (),
    queries: Collection[Query] | None = None,
) -> dict[str, float]:
    """Every loss of a table with baskets, by name. For the audit.

    Parameters
    ----------
    recoded, mixed
        The release and the originals; columns bear the weights of `ncp`.
    trees, items
        The hierarchies of the quasi-identifiers, and of the items if they were generalized along one.
    weights
        float64[values], the importance of every item for `ul`, 0 to 1.
    exempt
        Codes of items that `ul` does not count: the sensitive ones under (k,l^m)-diversity.
    queries
        What `are` asks; by default a hundred of two cells and two items each. Left out where none can be drawn.
    """
    asked = mixed_workload(mixed, seed=0) if queries is None else queries
    found = {
        "ncp": ncp(recoded.table, hierarchies, _column_weights(mixed)),
        "ul": mixed_ul(recoded, mixed, items, weights=weights, exempt=exempt),
    }
    sizes, domain = form_sizes(recoded.baskets.forms, items), _domain(mixed, items)
    found |= {"are": mixed_are(asked, recoded, mixed, hierarchies, items)} if asked else {}
    found["items-ncp"] = ncp_items(recoded.baskets, mixed.baskets, sizes, domain, exempt=exempt)
    found["items-ncp-published"] = _published(recoded, mixed, items, exempt)
    return found


def public_mixed_losses(
    recoded: RecodedMixed,
    mixed: Mixed,
    hierarchies: Hierarchies,
    items: Hierarchy | None = None,
    *,
    exempt: Collection[int] = (),
) -> dict[str, float]:
    """The losses that anyone can compute from the release and the declared hierarchies. For the manifest.

    A hierarchy built from the data is not declared; what counts its leaves is left out. `ul` tells which records
    lost items, so it stands here only where none were left out.
    """
    found = {}
    if all(hierarchies[name].public for name in recoded.table.names):
        found["ncp"] = ncp(recoded.table, hierarchies, _column_weights(mixed))
    if items is not None and not items.public:
        return found
    if not recoded.baskets.suppressed and len(recoded.baskets.rows) == recoded.baskets.records:
        found["ul"] = mixed_ul(recoded, mixed, items, exempt=exempt)
    return found | {"items-ncp-published": _published(recoded, mixed, items, exempt)}


def mixed_ul(
    recoded: RecodedMixed,
    mixed: Mixed,
    items: Hierarchy | None = None,
    *,
    weights: F8 | None = None,
    exempt: Collection[int] = (),
) -> float:
    """`ul` of the items that are not exempt; those left out of a record count as one that may be anything."""
    baskets = recoded.baskets
    return ul(
        baskets,
        form_sizes(baskets.forms, items),
        _domain(mixed, items),
        weights=weights,
        counted=_counted(recoded, exempt),
        lost=lost_items(baskets, mixed.baskets, exempt),
    )


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
    """A workload as JSON, one query a line, to be saved and edited.

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
            raise InputError(f"workload: entry {number + 1} is no query; give an object with items and where")
    return tuple(Query.from_dict(query) for query in said)


def _domain(mixed: Mixed, items: Hierarchy | None) -> int:
    """How many items there are."""
    return len(mixed.baskets.values) if items is None else items.size


def _counted(recoded: RecodedMixed, exempt: Collection[int]) -> B1:
    """Forms that stand for more than exempt items."""
    forms = recoded.baskets.forms
    before = np.r_[0, np.cumsum(~np.isin(forms.leaves, list(exempt)))]
    return np.asarray((np.diff(forms.start) == 0) | (before[forms.start[1:]] > before[forms.start[:-1]]))


def _published(
    recoded: RecodedMixed, mixed: Mixed, items: Hierarchy | None, exempt: Collection[int]
) -> float:
    sizes = form_sizes(recoded.baskets.forms, items)
    return ncp_published(recoded.baskets, sizes, _domain(mixed, items), counted=_counted(recoded, exempt))


def _column_weights(mixed: Mixed) -> dict[str, float]:
    return {column.name: column.weight for column in mixed.table.quasi}
