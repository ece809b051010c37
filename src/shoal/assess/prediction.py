"""How well the target is predicted by models that learned from a release, tested on originals that are not in it.

There are three sides of a test: originals and a release of them to learn from, and other originals to test on. All are
read column by column as an analyst reads them, and become the numbers that a model learns from.
"""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from shoal.base.errors import ExtraError, InputError
from shoal.base.naming import RECODED, suggest_name
from shoal.data import Baskets, Column
from shoal.data.arrays import F8, I4, I8, row_of_entry, take_rows
from shoal.hierarchy import Hierarchy
from shoal.hierarchy.column_values import are_codes, parse_number_or_end
from shoal.hierarchy.labels import numbers_of
from shoal.io.read.source import Source
from shoal.release import Recoded, RecodedBaskets, VotedBaskets
from shoal.report.facts import MODELS, ModelScore, Prediction
from shoal.shapes.baskets.data import BasketData
from shoal.shapes.dataset import Dataset
from shoal.shapes.maker import Maker
from shoal.shapes.mixed import MixedData
from shoal.shapes.table.data import TableData
from shoal.shapes.trees.data import TreeData
from shoal.utility.columns import Cells, group_in_order, single_leaf_forms

__all__ = [
    "PUBLISHED",
    "_basket_entries",
    "_cell_features",
    "_certain_values",
    "_common_items",
    "_draw_items",
    "_draw_values",
    "_item_features",
    "_other_originals",
    "_predict_with_model",
    "auc",
    "check_target",
    "predict",
    "read_originals",
    "read_release",
    "require_models",
    "score_rehearsal",
    "select_records",
    "split",
]

# The columns of a table as an analyst reads them, of originals and of a release of them.

PUBLISHED = (*RECODED, "sensitive", "plain")
"""The roles of columns that are published."""
_OTHERS = "all others"
_FEW = 8
"""So many different numbers are more likely codes, 1 for men and 2 for women, than amounts."""


def read_originals(people: TableData, most: int = 50) -> list[Cells]:
    """Every column that is published, in table order, its values in at most `most` groups.

    The groups of a quasi-identifier are the nodes of the lowest level of its hierarchy that has no more, and its values
    themselves where they are few enough; where only the root is small enough, neighbours are put together. Columns that
    are published as they are have their most frequent values, and one group for all others.
    """
    return [_read_column(people, column, most) for column in people.table.columns if column.role in PUBLISHED]


def _other_originals(people: TableData, like: Sequence[Cells]) -> list[Cells]:
    """Other records of the same table, read by the same groups; see `select_records`."""
    return [replace(cells, codes=_leaf_codes(people, people.table.column(cells.name))) for cells in like]


def read_release(release: Recoded, originals: Sequence[Cells]) -> list[Cells]:
    """The released cells of the same columns; `release` is of the records that `originals` holds."""
    column_index = {name: j for j, name in enumerate(release.names)}
    return [
        replace(
            cells,
            codes=release.codes[:, column_index[cells.name]],
            forms=release.forms[column_index[cells.name]],
        )
        if cells.name in column_index
        else cells.some(release.rows)
        for cells in originals
    ]


def _read_column(people: TableData, column: Column, most: int) -> Cells:
    codes = _leaf_codes(people, column)
    if column.role in RECODED:
        return _cells_by_hierarchy(column.name, codes, people.hierarchies[column.name], most)
    values = [value for value in column.values if value is not None]
    numbers = _parse_numbers(values)
    if numbers is None:
        names, groups = _group_by_frequency(values, codes, most)
        return Cells(column.name, codes, single_leaf_forms(values, len(values)), names, groups)
    rank = np.argsort(np.argsort(numbers, kind="stable"), kind="stable")
    groups = group_in_order(len(values), most)[rank]
    order = np.argsort(numbers, kind="stable")
    names = _name_ranges([values[index] for index in order], group_in_order(len(values), most))
    return Cells(column.name, codes, single_leaf_forms(values, len(values)), names, groups, numbers)


def _leaf_codes(people: TableData, column: Column) -> I4:
    """The leaf of each record; the number of leaves where its cell is missing."""
    if column.role in RECODED:
        return np.ascontiguousarray(
            people.leaves[:, [quasi.name for quasi in people.table.quasi].index(column.name)]
        )
    if None not in column.values:
        return column.codes
    empty_code = column.values.index(None)
    shifted = np.where(column.codes > empty_code, column.codes - 1, column.codes)
    return np.where(column.codes == empty_code, len(column.values) - 1, shifted).astype(np.int32)


def _cells_by_hierarchy(name: str, codes: I4, hierarchy: Hierarchy, most: int) -> Cells:
    size, number_of_leaf = hierarchy.size, numbers_of(hierarchy)
    level = next(
        (level for level in range(hierarchy.height) if len(np.unique(hierarchy.up[:size, level])) <= most),
        None,
    )
    if level is None:
        groups = group_in_order(size, most)
        names = _name_ranges(hierarchy.leaves, groups)
    else:
        groups = hierarchy.up[:size, level]
        names = hierarchy.labels[level][: int(groups.max()) + 1]
    numbers = None
    if number_of_leaf is not None and size > _FEW:
        numbers = np.array([np.nan if x is None else float(x) for x in number_of_leaf])
    is_ordered = hierarchy.ordered or numbers is not None
    return Cells(name, codes, single_leaf_forms(hierarchy.leaves, size), names, groups, numbers, is_ordered)


def _name_ranges(values: Sequence[str], groups: I4) -> tuple[str, ...]:
    """Groups named by their first and last value."""
    starts = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1]])
    ends = np.r_[starts[1:], len(groups)] - 1
    return tuple(
        values[a] if a == b else f"{values[a]} to {values[b]}"
        for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
    )


def _parse_numbers(values: Sequence[str]) -> F8 | None:
    """The values of a column that is not recoded as numbers; None where they are names or codes, or few."""
    parsed = [parse_number_or_end(value) for value in values]
    if len(values) <= _FEW or None in parsed or are_codes(values):
        return None
    return np.array([float(x) for x in parsed if x is not None])


def _group_by_frequency(values: Sequence[str], codes: I4, most: int) -> tuple[tuple[str, ...], I4]:
    """The most frequent values, each a group, and one more for all others."""
    if len(values) <= most:
        return tuple(values), np.arange(len(values), dtype=np.int32)
    counts = Counter(codes[codes < len(values)].tolist())
    frequent_codes = sorted(code for code, _ in counts.most_common(most - 1))
    groups = np.full(len(values), len(frequent_codes), dtype=np.int32)
    groups[frequent_codes] = np.arange(len(frequent_codes))
    return (*(values[code] for code in frequent_codes), _OTHERS), groups


# How cells and items become the numbers that a model learns from: one feature space for originals and releases.
#
# A released cell is one of the values that it stands for, drawn at random, all equally likely, and a generalized
# item one of its members; an original is what it is. So a model learns from exact values and is tested on exact
# values. Shares of values in place of draws mislead trees: all values of a group then look alike, and a tree takes
# any one of them for all.
#
# numbers and dates : one feature, the number, or of dates the place in their order
# names             : one feature per value or group of values, 1 where the record has it
# items             : one feature per item, 1 where the record holds it

F4 = NDArray[np.float32]
Held = tuple[I8, I4]
"""Record and item code, one entry per item that a record holds."""


def _cell_features(columns: Sequence[Cells], rows: int, rng: np.random.Generator) -> F4:
    """float32[rows, features] of some columns."""
    parts = [np.zeros((rows, 0), dtype=np.float32)]
    parts += [_value_features(cells, _draw_values(cells, rng)) for cells in columns]
    return np.hstack(parts)


def _draw_values(cells: Cells, rng: np.random.Generator) -> I8:
    """For each cell one of its leaves, all equally likely; a missing cell is like `*`."""
    if not cells.size:
        return np.zeros(len(cells.codes), dtype=np.int64)
    leaf_counts, chance = cells.counts()[cells.codes], rng.random(len(cells.codes))
    positions = cells.forms.start[:-1][cells.codes] + (chance * leaf_counts).astype(np.int64)
    drawn_leaves = np.r_[cells.forms.leaves, 0][np.where(leaf_counts > 0, positions, 0)]
    return np.where(leaf_counts > 0, drawn_leaves, (chance * cells.size).astype(np.int64))


def _certain_values(cells: Cells) -> I4:
    """The value of each cell where it is one value for certain, else -1."""
    single = (cells.counts() == 1) & (np.diff(cells.forms.start) == 1)
    first_leaves = np.r_[cells.forms.leaves, 0][cells.forms.start[:-1]]
    return np.where(single, first_leaves, -1)[cells.codes].astype(np.int32)


def _basket_entries(start: I8, items: I4) -> Held:
    """The items of baskets, or of rows that were published by vote, as they stand."""
    return row_of_entry(start), items


def _draw_items(release: RecodedBaskets | VotedBaskets, rng: np.random.Generator) -> Held:
    """Released baskets: of each published item one of its members."""
    if isinstance(release, VotedBaskets):
        return _basket_entries(release.start, release.items)
    starts, sizes = release.forms.start[:-1], np.diff(release.forms.start)
    positions = starts[release.items] + (rng.random(len(release.items)) * sizes[release.items]).astype(
        np.int64
    )
    return row_of_entry(release.start), release.forms.leaves[positions]


def _common_items(held: Held, width: int, most: int = 200) -> I8:
    """The items that most records hold, at most so many; int64, rising."""
    times = np.bincount(held[1], minlength=width)
    return np.sort(np.argsort(-times, kind="stable")[:most])


def _item_features(held: Held, items: I8, width: int, rows: I8, records: int) -> F4:
    """float32[rows, items]: 1 where one of these rows, of so many records, holds the item."""
    column, line = np.full(width, -1), np.full(records, -1)
    column[items], line[rows] = np.arange(len(items)), np.arange(len(rows))
    features = np.zeros((len(rows), len(items)), dtype=np.float32)
    is_common = (column[held[1]] >= 0) & (line[held[0]] >= 0)
    features[line[held[0][is_common]], column[held[1][is_common]]] = 1.0
    return features


def _value_features(cells: Cells, leaves: I8) -> F4:
    """float32[rows, features] of one value per row."""
    if cells.numbers is not None:
        filled_numbers = np.where(np.isnan(cells.numbers), np.mean(cells.domain()), cells.numbers)
        return filled_numbers[leaves, None].astype(np.float32)
    if cells.ordered:
        return leaves[:, None].astype(np.float32)
    features = np.zeros((len(leaves), len(cells.names)), dtype=np.float32)
    if cells.size:
        features[np.arange(len(leaves)), cells.groups[leaves]] = 1.0
    return features


# The two models that are trained to say what a release is good for; scikit-learn is imported when one is.


def require_models() -> None:
    """Refuse to begin without scikit-learn.

    Raises
    ------
    ExtraError
        It is not installed.
    """
    try:
        import sklearn  # noqa: F401
    except ImportError:
        raise ExtraError.of("target", "scikit-learn", "ml") from None


def _predict_with_model(model: str, x: F4, y: I4, tested: F4, classes: int) -> F8:
    """float64[tested, classes]: what a model trained on `x` and `y` believes of other records.

    Where all records have one class there is nothing to learn: it is believed of everybody.
    """
    seen_classes = np.unique(y)
    belief = np.zeros((len(tested), classes))
    if len(seen_classes) < 2 or not x.shape[1]:
        belief[:] = np.bincount(y, minlength=classes) / max(len(y), 1)
        return belief
    from threadpoolctl import threadpool_limits

    # one thread, or on a busy machine they wait for each other: a hundred seconds in place of two
    with warnings.catch_warnings(), threadpool_limits(limits=1):
        warnings.simplefilter("ignore")  # a search that stops early is good enough to compare two of them
        estimator = _model(model, len(seen_classes)).fit(x, y)
        belief[:, estimator.classes_] = estimator.predict_proba(tested)
    return belief


def auc(belief: F8, truth: I4) -> float:
    """The area under the curve, of each class against all others, weighted by how frequent it is; 0.5 is guessing.

    It is the share of pairs, one record of the class and one not, in which the first is believed to be of it more.
    """
    area, weight = 0.0, 0
    for class_code in np.unique(truth).tolist():
        is_class = truth == class_code
        inside_count, outside_count = int(is_class.sum()), int((~is_class).sum())
        if outside_count:
            area += inside_count * _pairs_in_order(
                belief[:, class_code], is_class, inside_count, outside_count
            )
            weight += inside_count
    return area / weight if weight else 0.5


def _pairs_in_order(scores: F8, inside: Any, many: int, others: int) -> float:
    """The share of pairs in the right order, ties half, by the ranks of the scores."""
    _, rank_index, times = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(times) - (times - 1) / 2)[rank_index]
    return float((ranks[inside].sum() - many * (many + 1) / 2) / (many * others))


def _model(name: str, classes: int) -> Any:
    """A model as it comes, with what makes it the same each time; a round of boosting grows one tree per class."""
    if name == "logistic":
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(
        max_iter=max(20, 200 // classes), early_stopping=False, random_state=0
    )


# Records in two parts: one to release and learn from, one to test what was learned.

D = TypeVar("D", bound=Dataset)


def split(dataset: D, share: float = 0.7, *, seed: int = 0) -> tuple[D, D]:
    """Draw two parts at random: about `share` of the records, and the others.

    Parameters
    ----------
    dataset
        What `shoal.read` returned, of any shape.
    share
        From above 0 to below 1. All rows of one person fall into one part.
    seed
        The same seed draws the same parts. It protects nothing: neither part leaves.

    Raises
    ------
    InputError
        The share leaves a part without records.
    """
    rng = np.random.default_rng(seed)
    persons = dataset.inputs["table"].persons if dataset.counts_persons else None
    person_of_record = (
        np.arange(dataset.records) if persons is None else np.unique(persons, return_inverse=True)[1]
    )
    people = int(person_of_record.max()) + 1 if len(person_of_record) else 0
    size = round(share * people)
    if not 0 < size < people:
        raise InputError(f"split: share={share} of {people} people leaves a part empty; give more records")
    is_chosen = np.zeros(people, dtype=bool)
    is_chosen[rng.permutation(people)[:size]] = True
    return select_records(dataset, np.flatnonzero(is_chosen[person_of_record])), select_records(
        dataset, np.flatnonzero(~is_chosen[person_of_record])
    )


def select_records(dataset: D, rows: I8) -> D:
    """Some records of a dataset, in that order, bound to the same hierarchies."""
    selected: Any = dataset
    match selected:
        case TableData():
            selected = replace(
                selected, source=_select_source(selected.source, rows), table=selected.table.some(rows)
            )
        case BasketData():
            baskets, table = _select_baskets(selected.baskets, rows), selected.table.some(rows)
            selected = replace(
                selected, source=_select_source(selected.source, rows), baskets=baskets, table=table
            )
        case MixedData():
            people, baskets = select_records(selected.people, rows), _select_baskets(selected.baskets, rows)
            selected = replace(
                selected, source=_select_source(selected.source, rows), people=people, baskets=baskets
            )
        case TreeData():
            selected = replace(selected, trees=selected.trees.take(rows))
    split_off: D = selected
    return split_off


def _select_source(source: Source, rows: I8) -> Source:
    return source.some(rows)


def _select_baskets(baskets: Baskets, rows: I8) -> Baskets:
    """Some baskets; of the sensitive items, those that still occur."""
    start, items = take_rows(baskets.start, baskets.items, rows)
    secret = baskets.sensitive & frozenset(np.unique(items).tolist())
    return replace(baskets, start=start, items=items, sensitive=secret)


# The three sides of a test: originals and a release of them to learn from, other originals to test on.


def _sample_certain_rows(cells: Cells, most: int, rng: np.random.Generator) -> tuple[I8, I4]:
    """The rows whose target is told for certain, at most so many, and what it is."""
    values = _certain_values(cells)
    rows = np.flatnonzero(values >= 0)
    if len(rows) > most:
        rows = np.sort(rng.choice(rows, size=most, replace=False))
    return rows, values[rows]


def _build_features(
    train: Dataset,
    release: Any,
    held: Dataset,
    columns: Sequence[Sequence[Cells]],
    rows: Sequence[I8],
    rng: np.random.Generator,
) -> list[F4]:
    """The features of some rows of all three sides: of their columns, and of the items that most rows hold."""
    cells = [
        _cell_features([columns_of_side.some(selected) for columns_of_side in side], len(selected), rng)
        for side, selected in zip(columns, rows, strict=True)
    ]
    baskets, theirs = train.basket_part, held.basket_part
    if baskets is None or theirs is None:
        return cells
    width, released_items = len(baskets.values), _draw_items(getattr(release, "baskets", release), rng)
    items = _common_items(released_items, width)
    sets = (
        _basket_entries(baskets.start, baskets.items),
        released_items,
        _basket_entries(theirs.start, theirs.items),
    )
    sizes = baskets.n, len(_record_of_row(release)), theirs.n
    return [
        np.hstack([columns_of_side, _item_features(basket, items, width, selected, size)])
        for columns_of_side, basket, size, selected in zip(cells, sets, sizes, rows, strict=True)
    ]


def _released_columns(release: Any, originals: Sequence[Cells]) -> list[Cells]:
    """The columns beside the items, as released."""
    table = getattr(release, "table", release)
    if isinstance(table, Recoded):
        return read_release(table, originals)
    return [cells.some(_record_of_row(release)) for cells in originals]


def _record_of_row(release: Any) -> I8:
    """The original record behind each released one."""
    rows: I8 = getattr(release, "table", release).rows
    return rows


def _table_part(dataset: Any) -> TableData:
    """The columns of a dataset that are no items."""
    match dataset:
        case TableData():
            return dataset
        case MixedData():
            return dataset.people
        case BasketData():
            return TableData(dataset.source, dataset.table, {}, dataset.given, dataset.allow)
        case _:
            raise InputError(
                "target: models are trained on tables and baskets, not on record trees; leave the target out"
            )


# How well the target is predicted by models that learned from a release, tested on originals that are not in it.

_ROWS, _FEWER_ROWS = 20_000, 8_000  # to learn from: more change the third digit and take minutes
_CLASSES = 20
_FEWEST = 20
_RANDOM = 0
"""What parts and samples are drawn with; it protects nothing."""


def check_target(dataset: Dataset, target: str) -> int:
    """How many values a target has; refuse one that no model could be trained for.

    Raises
    ------
    InputError
        The data are record trees, no published column has that name, or it has one value, or too many.
    """
    people = _table_part(dataset)
    names = [column.name for column in people.table.columns if column.role in PUBLISHED]
    if target not in names:
        raise InputError(f"target: no published column '{target}'; {suggest_name(target, names)}")
    column = people.table.column(target)
    value_count = len({column.values[code] for code in np.unique(column.codes)} - {None})
    if not 2 <= value_count <= _CLASSES:
        raise InputError(
            f"target: column '{target}' has {value_count} different values; models predict one of 2 to "
            f"{_CLASSES}, so choose "
            "another column or coarsen this one"
        )
    return value_count


def score_rehearsal(dataset: Dataset, maker: Maker, target: str) -> Prediction:
    """Release 70% of the records once more, unpublished, learn from that, and test on the other 30%.

    Parameters
    ----------
    dataset
        All originals.
    maker
        Makes the same kind of release of other records: the method, its parameters and its claim are settled.
    target
        The column to predict; see `check_target`.

    Raises
    ------
    ShoalError
        The part cannot be released under the claim, or there are too few records to test on.
    """
    check_target(dataset, target)
    require_models()
    train, test = split(dataset, seed=_RANDOM)
    return predict(train, maker.make(train).release, test, target)


def predict(train: Dataset, release: Any, held: Dataset, target: str) -> Prediction:
    """Scores of models that learned from `release`, and from the originals `train` that it was made of.

    Parameters
    ----------
    train, held
        Two parts of the same data, as `split` gives them; both are originals.
    release
        What a method made of `train`: `Result.release`.
    target
        The column to predict. Released rows that do not tell its value for certain are not learned from.

    Raises
    ------
    InputError
        No model could be trained, or there are fewer than 20 records to test on.
    ExtraError
        scikit-learn is not installed.
    """
    values = check_target(train, target)
    require_models()
    rng = np.random.default_rng(_RANDOM)
    originals = read_originals(_table_part(train))
    sides = originals, _released_columns(release, originals), _other_originals(_table_part(held), originals)
    target_index = [cells.name for cells in originals].index(target)
    train_limit = max(_FEWER_ROWS, 2 * _ROWS // values)
    samples = [
        _sample_certain_rows(side[target_index], limit, rng)
        for side, limit in zip(sides, (train_limit, train_limit, _ROWS), strict=True)
    ]
    rows, targets = [selected for selected, _ in samples], [target_values for _, target_values in samples]
    if min(len(rows[2]), len(rows[1])) < _FEWEST:
        raise InputError(
            f"target: {len(rows[1])} released rows show column '{target}' and {len(rows[2])} records are left to test "
            f"on; at least {_FEWEST} of each are needed"
        )
    classes = np.unique(np.concatenate(targets))
    y = [np.searchsorted(classes, target_values).astype(np.int32) for target_values in targets]
    columns = [[*side[:target_index], *side[target_index + 1 :]] for side in sides]
    x = _build_features(train, release, held, columns, rows, rng)
    usual = int(np.bincount(y[0], minlength=len(classes)).argmax())
    scores = []
    for model in MODELS:
        beliefs = [_predict_with_model(model, x[side], y[side], x[2], len(classes)) for side in (1, 0)]
        accuracies = [float(np.mean(belief.argmax(axis=1) == y[2])) for belief in beliefs]
        scores.append(ModelScore(model, *accuracies, *(auc(belief, y[2]) for belief in beliefs)))
    counts = len(classes), len(rows[1]), len(rows[0]), len(rows[2])
    return Prediction(target, *counts, float(np.mean(y[2] == usual)), scores)
