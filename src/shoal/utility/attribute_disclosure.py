"""What a few known things tell of a sensitive value without finding anybody: what those have who fit the knowledge.

Of a table everybody has one class of look-alikes. Of baskets and trees everybody has many, which overlap: one for each
choice of known items or values.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.data.arrays import I8, owners, runs
from shoal.utility.risk import class_ids

__all__ = [
    "KnowledgeFits",
    "SensitiveValues",
    "attribute_disclosure",
    "knowledge_fits",
    "sensitive_values_of",
]


@dataclass(frozen=True, slots=True)
class KnowledgeFits:
    """Who fits which knowledge: int64[entries], record[e] fits the knowledge of[e]; each pair stands once."""

    of: I8
    record: I8


@dataclass(frozen=True, slots=True)
class SensitiveValues:
    """The sensitive values of each record, each once: codes[start[i] : start[i + 1]]; -1 alone means none."""

    start: I8
    codes: I8


def sensitive_values_of(record: I8, codes: I8, n: int) -> SensitiveValues:
    """The values of n records, from pairs of a record and a code; a record without any gets -1.

    >>> sensitive_values_of(np.array([0, 0, 2, 0]), np.array([7, 3, 3, 7]), 3)
    SensitiveValues(start=array([0, 2, 3, 4]), codes=array([ 3,  7, -1,  3]))
    """
    without = np.setdiff1d(np.arange(n), record)
    record, codes = np.r_[record, without], np.r_[codes, np.full(len(without), -1)]
    _, first = np.unique(class_ids([record, codes]), return_index=True)  # by record, then by code
    return SensitiveValues(np.searchsorted(record[first], np.arange(n + 1)), codes[first])


def knowledge_fits(
    start: I8, items: NDArray[np.integer], m: int, classes: NDArray[np.integer] | None = None, *, most: int
) -> KnowledgeFits | None:
    """Who fits each choice of up to m items (1 or 2), nothing known among them; None where there are too many pairs.

    `items` are different from each other within a record, ascending. `classes` are known beside them.

    >>> found = knowledge_fits(np.array([0, 2, 3, 3]), np.array([4, 5, 4]), 2, most=99)
    >>> list(zip(found.of.tolist(), found.record.tolist()))
    [(0, 0), (0, 1), (0, 2), (1, 0), (3, 0), (1, 1), (2, 0)]
    """
    n, size = len(start) - 1, np.diff(start)
    pairs = int((size * (size - 1) // 2).sum()) if m > 1 else 0
    if n + len(items) + pairs > most:
        return None
    owner, one = owners(start), items.astype(np.int64)
    none = np.full(n + len(items), -1)
    first, second, record = np.r_[none[:n], one], none, np.r_[np.arange(n), owner]
    if pairs:
        later = start[owner + 1] - np.arange(len(items)) - 1
        first = np.r_[first, np.repeat(one, later)]
        second = np.r_[second, one[runs(np.arange(1, len(items) + 1), later)]]
        record = np.r_[record, np.repeat(owner, later)]
    beside = [] if classes is None else [classes[record]]
    return KnowledgeFits(class_ids([*beside, first, second]), record)


def attribute_disclosure(
    fitting: KnowledgeFits, held: SensitiveValues
) -> tuple[dict[str, float], NDArray[np.bool_]]:
    """What is reached in all knowledge, and which knowledge tells a value for certain.

    l     : the fewest different values among those who fit
    t     : how far the spread of their values is from that of all, at most; half the sum of differences
    share : the largest share of them that has one value

    >>> labels = sensitive_values_of(np.arange(4), np.array([0, 0, 0, 1]), 4)
    >>> attribute_disclosure(KnowledgeFits(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3])), labels)
    ({'l': 1.0, 't': 0.25, 'share': 1.0}, array([ True, False]))
    """
    many = int(fitting.of.max(initial=-1)) + 1
    each = np.diff(held.start)[fitting.record]
    of, value = np.repeat(fitting.of, each), held.codes[runs(held.start[fitting.record], each)]
    wide = int(held.codes.max(initial=-1)) + 2
    pair, count = np.unique(of * wide + value + 1, return_counts=True)
    of, value = pair // wide, pair % wide - 1
    some = value >= 0
    codes, often = np.unique(held.codes, return_counts=True)
    whole = (often / often.sum())[np.searchsorted(codes, value)]
    spread = count / np.bincount(of, weights=count, minlength=many)[of]
    far = np.bincount(of, weights=np.maximum(spread - whole, 0), minlength=many)
    share = count[some] / np.bincount(fitting.of, minlength=many)[of[some]]
    certain = np.zeros(many, dtype=bool)
    certain[of[some][share == 1]] = True
    distinct = np.bincount(of[some], minlength=many)
    return {
        "l": float(distinct.min()),
        "t": float(far.max()),
        "share": float(share.max(initial=0)),
    }, certain
