"""Orders and blocks in which equal labels keep a gap, so that labels stay different wherever they travel."""

import numpy as np

from shoal.algorithms.ring._kernels.labels import dealt, inserted, is_spaced, queued
from shoal.data import Baskets, Column
from shoal.data.types import I8
from shoal.errors import InfeasibleError, InputError

__all__ = ["check_baskets", "check_labels", "labels_of", "spaced_order", "spread"]


def check_baskets(maker: str, baskets: Baskets) -> None:
    """Refuse data that a vote cannot publish."""
    if not baskets.n:
        raise InputError(f"{maker}: there are no records; give at least one basket")
    if baskets.sensitive:
        raise InputError(
            f"{maker}, column '{baskets.name}': it names sensitive items, which a vote publishes like all others; "
            "make them a label column, or use a maker for l^m-diversity"
        )


def labels_of(maker: str, label: Column, n: int) -> I8:
    """The label of each record as codes 0, 1, ... that all occur, in the order of their texts and not of the file."""
    if len(label.codes) != n:
        raise InputError(f"{maker}: {len(label.codes)} labels for {n} records; give every record one")
    gone = np.array([value is None for value in label.values], dtype=bool)[label.codes]
    if gone.any():
        raise InputError(
            f"{maker}, column '{label.name}': {gone.sum()} records, first record {gone.argmax() + 1}, have no label, "
            "which counts as no label of its own; give them one, such as 'unknown', or leave them out"
        )
    present = np.unique(label.codes).tolist()
    place = np.zeros(len(label.values), dtype=np.int64)
    place[sorted(present, key=lambda code: str(label.values[code]))] = np.arange(len(present))
    return np.asarray(place[label.codes])


def check_labels(maker: str, labels: I8, l: int, allowed: int) -> None:
    """Refuse labels that are too few or too frequent; the message names numbers, never a label."""
    count = np.bincount(labels)
    if l > len(count):
        raise InfeasibleError(f"{maker}: l={l} but there are {len(count)} different labels; lower l")
    if count.max() > allowed:
        raise InfeasibleError(
            f"{maker}: the most frequent label is on {count.max()} of {len(labels)} records, and at most {allowed} "
            "may have one label; lower k, l or insiders, or leave some of these records out"
        )


def spread(k: int, l: int) -> int:
    """The gap that equal labels must keep on rows so that of any k neighbours at most k // l have one label."""
    return -(-k // (k // l))


def spaced_order(order: I8, labels: I8, gap: int) -> I8:
    """The order with as few records moved as needed so that equal labels keep the gap around the circle.

    A record waits until the last record with its label is far enough behind. Records that find no place go to gaps
    further back. If that fails too, records are placed label by label, even far from similar ones. No label may be on
    more than n // gap records.
    """
    here = labels[order]
    count = int(labels.max()) + 1
    places, left = queued(here, count, gap)
    for label in np.unique(here[left]):
        if len(places):
            places = inserted(here, places, left[here[left] == label], gap)
    if len(places) < len(here) or not is_spaced(here[places], gap):
        places, _ = dealt(here, count, len(here) // gap)
    return np.asarray(order[places])
