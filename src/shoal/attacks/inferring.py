"""Telling a secret without finding anybody: a naive Bayes guess that is learned from the release alone."""

import numpy as np

from shoal.attacks.words import Lists
from shoal.data.lists import owners, take
from shoal.data.types import F8, I8

__all__ = ["one_of_many", "yes_or_no"]


def yes_or_no(rows: Lists, having: Lists, people: Lists, secrets: I8, width: int) -> F8:
    """How likely each person has the secret beside it, to whoever learns from the release who has it.

    Parameters
    ----------
    rows
        For each released row, the facts (numbers below `width`) that it fits.
    having
        For each secret, the rows that have it.
    people
        For each person, the facts that are known.
    secrets
        int64[people], the secret that is asked about.

    Notes
    -----
    Facts count as independent given the secret. Half a row is added to every count, so that no chance is 0 or 1.

    >>> rows, people = (np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1])), (np.array([0, 1]), np.array([0]))
    >>> having = np.array([0, 2]), np.array([0, 1])
    >>> yes_or_no(rows, having, people, np.array([0]), 2).round(2).tolist()
    [0.96]
    """
    n, chances = len(rows[0]) - 1, np.zeros(len(secrets))
    every = np.bincount(rows[1], minlength=width)
    for secret in np.unique(secrets).tolist():
        some = having[1][having[0][secret] : having[0][secret + 1]]
        with_it = np.bincount(take(*rows, some)[1], minlength=width)
        yes, no = _weights(with_it, len(some), n), _weights(every - with_it, n - len(some), n)
        asked = np.flatnonzero(secrets == secret)
        odds = _told(people, asked, *yes) - _told(people, asked, *no)
        chances[asked] = 1 / (1 + np.exp(-np.clip(odds, -500, 500)))
    return chances


def one_of_many(rows: Lists, label: I8, people: Lists, own: I8, width: int) -> F8:
    """How likely each person's own label (int64[people]) is, to whoever learns labels from the release.

    `label` is int64[rows], -1 where a row has none; the rest is as in `yes_or_no`.

    >>> rows, people = (np.array([0, 1, 2, 3, 4]), np.array([0, 0, 1, 1])), (np.array([0, 1]), np.array([0]))
    >>> one_of_many(rows, np.array([0, 0, 1, 1]), people, np.array([0]), 2).round(2).tolist()
    [0.96]
    """
    n, everybody = len(rows[0]) - 1, np.arange(len(own))
    labels = np.unique(label[label >= 0])
    logs = np.empty((len(labels), len(own)))
    for line, value in enumerate(labels.tolist()):
        some = np.flatnonzero(label == value)
        counts = np.bincount(take(*rows, some)[1], minlength=width)
        logs[line] = _told(people, everybody, *_weights(counts, len(some), n))
    if not len(labels):
        return np.zeros(len(own))
    logs = np.exp(logs - logs.max(axis=0))
    place = np.searchsorted(labels, own)
    there = (place < len(labels)) & (labels[np.minimum(place, len(labels) - 1)] == own)
    share = logs[np.minimum(place, len(labels) - 1), everybody] / logs.sum(axis=0)
    return np.where(there, share, 0.0)


def _weights(counts: I8, some: int, n: int) -> tuple[float, F8]:
    """What some of n rows weigh where no fact is known, and what each fact adds to it; logarithms."""
    share = (counts + 0.5) / (some + 1)
    return float(np.log((some + 0.5) / (n + 1)) + np.log1p(-share).sum()), np.log(share) - np.log1p(-share)


def _told(people: Lists, asked: I8, nothing: float, facts: F8) -> F8:
    start, known = take(*people, asked)
    return np.asarray(nothing + np.bincount(owners(start), weights=facts[known], minlength=len(asked)))
