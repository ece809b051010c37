"""Methods of tables called by name, and their releases as judges and tests look at them."""

from fractions import Fraction

import numpy as np

from claiming import claimed
from shoal.algorithms import find_method
from shoal.data import Column, Table
from shoal.hierarchy.rules import build
from shoal.privacy.truth import truth_of_centres, truth_of_table
from shoal.release import Population, Published, Sensitive


def fit(name, table, trees):
    """A table that a method takes: its own, or one of numbers instead of names, with hierarchies of ranges."""
    if not find_method(name).numbers:
        return table, trees
    columns, own = [], {}
    for column in table.columns:
        if column.role == "quasi":
            numbers = {
                value: str(7 * i // 2) for i, value in enumerate(sorted({*column.values, None}, key=str))
            }
            cells = [numbers[cell] for cell in column.cells()]
            own[column.name] = build(column.name, {"ranges": [2, 8]}, [*numbers.values()])
            column = Column.of(column.name, "quasi", cells, weight=column.weight)
        columns.append(column)
    return Table(tuple(columns), table.persons), own


def make(name, table, trees, **options):
    """One method's result for the numbers of a claim; a front is asked for its point at k."""
    found = find_method(name)
    if found.fronts:
        k = options.pop("k")
        front = found.load()(table, trees, **options)
        return front.release(front.pick(k), k)
    return claimed(found.load(), table, trees, **options)


def seen(recoded, table, trees=None, public=None):
    """The release as a judge sees it; with `trees` and `public` beside people of a population."""
    if public is not None:
        quasi = {name: recoded.codes[:, j].astype(np.int64) for j, name in enumerate(recoded.names)}
        people = {c.name: trees[c.name].encode(c).astype(np.int64) for c in public.columns}
        persons = None if table.persons is None else table.persons[recoded.rows]
        own = {c.name: trees[c.name].encode(c).astype(np.int64)[recoded.rows] for c in table.quasi}
        blank = {name: tree.size for name, tree in trees.items() if tree.missing is None}
        forms = dict(zip(recoded.names, recoded.forms, strict=True))
        population = Population(people, forms, recoded.suppressed, blank, own)
        return Published(quasi, persons=persons, population=population)
    sets = [np.where([label is None for label in forms.labels], -1, forms.sets()) for forms in recoded.forms]
    quasi = {name: sets[j][recoded.codes[:, j]] for j, name in enumerate(recoded.names)}
    sensitive = {}
    for column in table.role("sensitive"):
        known = [i for i, value in enumerate(column.values) if value is not None]
        place = np.full(len(column.values), -1)
        place[known] = np.arange(len(known))
        values = tuple(column.values[i] for i in known)
        sensitive[column.name] = Sensitive(place[column.codes[recoded.rows]], values)
    return Published(quasi, sensitive, None if table.persons is None else table.persons[recoded.rows])


def true(recoded, table, trees):
    """What the judge of truth says of a release."""
    original = {column.name: trees[column.name].encode(column) for column in table.quasi}
    released = {name: (recoded.forms[j], recoded.codes[:, j]) for j, name in enumerate(recoded.names)}
    cells = [[f.labels[c] for f, c in zip(recoded.forms, row, strict=True)] for row in recoded.codes]
    classes = np.unique(np.array(cells, dtype=str), axis=0, return_inverse=True)[1].reshape(-1)
    for j, (column, forms) in enumerate(zip(table.quasi, recoded.forms, strict=True)):
        if forms.centre:
            own, shown = [Fraction(cell) for cell in column.cells()], [Fraction(row[j]) for row in cells]
            said = truth_of_centres(column.name, forms.centre, own, shown, classes, recoded.rows)
            if not said:
                return said
    return truth_of_table(original, released, recoded.rows)  # a mean's form is the range of its class


def written(recoded, table):
    """What stands in the release, whatever the order of its rows."""
    others = [column.cells() for column in table.role("sensitive")]
    rows = zip(recoded.rows.tolist(), recoded.codes.tolist(), strict=True)
    return sorted(
        [
            *(str(f.labels[c]) for f, c in zip(recoded.forms, codes, strict=True)),
            *(str(cells[row]) for cells in others),
        ]
        for row, codes in rows
    )
