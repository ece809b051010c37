"""What a few known things tell of a sensitive value without finding anybody: the values of those who fit them.

Who fits is listed by `shoal.risks.look_alikes`.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shoal.data.arrays import I8, concatenate_ranges
from shoal.risks.look_alikes import KnowledgeFits
from shoal.utility.classes import class_ids

__all__ = ["SensitiveValues", "attribute_disclosure", "collect_sensitive_values"]


@dataclass(frozen=True, slots=True)
class SensitiveValues:
    """The sensitive values of each record, each once: codes[start[i] : start[i + 1]]; -1 alone means none."""

    start: I8
    codes: I8


def collect_sensitive_values(record: I8, codes: I8, n: int) -> SensitiveValues:
    """The values of n records, from pairs of a record and a code; a record without any gets -1.

    >>> collect_sensitive_values(np.array([0, 0, 2, 0]), np.array([7, 3, 3, 7]), 3)
    SensitiveValues(start=array([0, 2, 3, 4]), codes=array([ 3,  7, -1,  3]))
    """
    empty_records = np.setdiff1d(np.arange(n), record)
    record, codes = np.r_[record, empty_records], np.r_[codes, np.full(len(empty_records), -1)]
    _, first = np.unique(class_ids([record, codes]), return_index=True)  # by record, then by code
    return SensitiveValues(np.searchsorted(record[first], np.arange(n + 1)), codes[first])


def attribute_disclosure(
    fitting: KnowledgeFits, held: SensitiveValues
) -> tuple[dict[str, float], NDArray[np.bool_]]:
    """What is reached in all knowledge, and which knowledge tells a value for certain.

    l     : the fewest different values among those who fit
    t     : how far the spread of their values is from that of all, at most; half the sum of differences
    share : the largest share of them that has one value

    >>> labels = collect_sensitive_values(np.arange(4), np.array([0, 0, 0, 1]), 4)
    >>> attribute_disclosure(KnowledgeFits(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3])), labels)
    ({'l': 1.0, 't': 0.25, 'share': 1.0}, array([ True, False]))
    """
    knowledge_count = int(fitting.of.max(initial=-1)) + 1
    value_counts = np.diff(held.start)[fitting.record]
    knowledge, value = (
        np.repeat(fitting.of, value_counts),
        held.codes[concatenate_ranges(held.start[fitting.record], value_counts)],
    )
    width = int(held.codes.max(initial=-1)) + 2
    pair, count = np.unique(knowledge * width + value + 1, return_counts=True)
    knowledge, value = pair // width, pair % width - 1
    has_value = value >= 0
    codes, often = np.unique(held.codes, return_counts=True)
    overall_share = (often / often.sum())[np.searchsorted(codes, value)]
    spread = count / np.bincount(knowledge, weights=count, minlength=knowledge_count)[knowledge]
    distance = np.bincount(
        knowledge, weights=np.maximum(spread - overall_share, 0), minlength=knowledge_count
    )
    share = count[has_value] / np.bincount(fitting.of, minlength=knowledge_count)[knowledge[has_value]]
    certain = np.zeros(knowledge_count, dtype=bool)
    certain[knowledge[has_value][share == 1]] = True
    distinct = np.bincount(knowledge[has_value], minlength=knowledge_count)
    return {
        "l": float(distinct.min()),
        "t": float(distance.max()),
        "share": float(share.max(initial=0)),
    }, certain
