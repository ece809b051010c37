"""Who cannot be in a release beside earlier ones: too few of the people with whom they shared a class still are."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.data.arrays import B1, I8
from shoal.privacy.equivalence_class import number_groups
from shoal.privacy.several import LinkedRelease, find_exposed_people, label_people, list_people

__all__ = ["Omission", "choose_omitted", "joint_class_ids"]


def joint_class_ids(who: I8, earlier: Sequence[LinkedRelease]) -> I8:
    """Numbers that are equal where earlier releases show the same of records' people: their joint classes."""
    return number_groups([label_people(who, release.who, release.kinds) for release in earlier])[0]


class Omission(NamedTuple):
    """Who is left out of a release.

    is_out  : bool[records]
    exposed : int64, the people of whom even then too little is hidden
    """

    is_out: B1
    exposed: I8


def choose_omitted(
    who: I8, now: LinkedRelease, earlier: Sequence[LinkedRelease], rng: np.random.Generator
) -> Omission:
    """Choose the records that are left out; `now` is a release of all records in their joint classes.

    Somebody who is in an earlier release and not in this one shows it by being missing. So people of one joint class
    who are missing must be as many as promised, or none; and so must those who stay. Where k is all that is promised,
    as few as possible are left out of a joint class; elsewhere all of it.
    """
    everybody, _ = list_people([who, *(release.who for release in earlier)])
    class_of_person = joint_class_ids(everybody, earlier)
    class_of_record = class_of_person[np.searchsorted(everybody, who)]
    crowd = max(release.claim.crowd for release in [now, *earlier])
    class_count = int(class_of_person.max(initial=0)) + 1
    missing_count = np.bincount(class_of_person[~np.isin(everybody, who)], minlength=class_count)
    was_released = np.zeros(class_count, dtype=bool)
    people_released = np.concatenate([release.who for release in earlier])
    was_released[class_of_person[np.isin(everybody, people_released)]] = True

    is_out = np.zeros(len(who), dtype=bool)
    for class_id in np.unique(class_of_record).tolist():
        records = np.flatnonzero(class_of_record == class_id)
        count = _count_omitted(
            len(records), int(missing_count[class_id]), crowd, was_released=bool(was_released[class_id])
        )
        is_out[rng.permutation(records)[:count]] = True  # who is left out shall tell nothing
    while True:
        exposed = find_exposed_people([*earlier, _select_rows(now, ~is_out)])
        exposed_classes = class_of_person[np.searchsorted(everybody, exposed)]
        follows = np.isin(class_of_record, exposed_classes) & ~is_out
        if not len(exposed) or not follows.any():
            return Omission(is_out, exposed)
        is_out |= follows


def _count_omitted(present: int, missing: int, crowd: int, *, was_released: bool) -> int:
    """How many of a joint class are left out, so that those who stay and those who are missing are enough, or none.

    >>> [_count_omitted(*case, was_released=True) for case in [(7, 0, 5), (12, 1, 5), (6, 1, 5)]]
    [0, 4, 6]
    >>> _count_omitted(3, 0, 5, was_released=False)
    3
    """
    needed = crowd - missing if was_released and 0 < missing < crowd else 0
    return needed if present - needed >= crowd else present


def _select_rows(release: LinkedRelease, rows: B1) -> LinkedRelease:
    """The same release of some of its rows."""
    sensitive = {
        name: type(column)(column.codes[rows], column.values) for name, column in release.sensitive.items()
    }
    persons = None if release.persons is None else release.persons[rows]
    return LinkedRelease(release.claim, release.who[rows], release.kinds[rows], sensitive, persons)
