"""Several releases of the same people: what each still keeps for somebody who holds all, and m-invariance.

Somebody holds every release and knows all quasi-identifiers of a person. In each release that person is in one class,
or is missing. Sensitive and plain columns that are published twice often show which rows are the same person's, so it
is assumed that this is always known: nothing is hidden by the fact that rows stand in another order. Then the releases
tell exactly as much as one table in which each row has its labels of all releases side by side, and "missing" is a
label like any other. Each release is judged as it stands in that table: its own claim must be kept by the people who
share a class in *every* release.

Of baskets, whoever knows an item of a person knows what stands for it in each release. So the releases tell exactly as
much as one in which every item has its labels of all releases side by side, and that is what is judged (`JointItems`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from shoal.base.discreet import SafeRepr
from shoal.data import Baskets
from shoal.data.arrays import (
    B1,
    I4,
    I8,
    chunk_rows,
    index_of,
    number_rows,
    prefix_sums,
    row_of_entry,
    take_rows,
)
from shoal.data.spelling import normalize_value, unify_spellings
from shoal.privacy.equivalence_class import SensitiveValueClaim, equivalence_classes, number_groups
from shoal.release import Claim, Published, PublishedBaskets, PublishedValues, Sensitive, Verdict

__all__ = [
    "_MISSING",
    "Check",
    "JointItems",
    "JointVerdict",
    "LinkedItems",
    "LinkedRelease",
    "_joint_view",
    "find_exposed_people",
    "judge_invariance",
    "judge_jointly",
    "label_people",
    "list_people",
]

Check = Callable[[int, Published], Verdict]

_MISSING = -1
"""The label of a person who is not in a release."""

_PAIRS = 1 << 22  # pairs of a record and an item looked at together
_AWAY = _MISSING - 1  # of an item whose record is not in a release; MISSING: it was left out of its record


@dataclass(frozen=True, slots=True, repr=False)
class LinkedRelease(SafeRepr):
    """One release of a table, as somebody holds it who knows whose row is whose.

    claim     : what it promises
    who       : int64[n]  whose row it is; one person, or one record, has the same number in all releases
    kinds     : int64[n]  its class: equal where rows publish the same of all quasi-identifiers
    sensitive : by column, what it publishes of sensitive values
    persons   : int64[n]  whom the claim counts where a person has several rows; None when every row is a person
    """

    claim: Claim
    who: I8
    kinds: I8
    sensitive: Mapping[str, Sensitive] = field(default_factory=dict)
    persons: I8 | None = None


@dataclass(frozen=True, slots=True, repr=False)
class JointVerdict(SafeRepr):
    """What several releases keep together, with figures that only the owner may see.

    verdicts : for each release, whether it keeps its claim beside the others
    people   : how many people are in any of them
    few      : how many of them share all their classes with fewer people, or fewer sensitive values, than promised
    alone    : how many share them with nobody
    smallest : how many people the smallest of these joint classes has
    missing  : how many are in some of the releases and not in all
    changed  : how many are in several of them, in classes that do not hold the same sensitive values (m-invariance)
    told     : of how many a sensitive value is certain, for it is the only one that all their classes hold, though no
               single release tells it

    Figures of classes are None where data have none.
    """

    verdicts: tuple[Verdict, ...]
    people: int
    few: int
    missing: int
    alone: int | None = None
    smallest: int | None = None
    changed: int | None = None
    told: int | None = None

    def __bool__(self) -> bool:
        return all(self.verdicts)

    def figures(self) -> dict[str, int]:
        """What was counted, by name."""
        names = ("people", "few", "alone", "smallest", "missing", "changed", "told")
        counts = {name: getattr(self, name) for name in names}
        return {name: figure for name, figure in counts.items() if figure is not None}


def _joint_view(releases: Sequence[LinkedRelease], place: int) -> Published:
    """One of several releases as a judge sees it who holds the others too: its rows with their labels in all of them.

    >>> first = LinkedRelease(None, np.array([0, 1, 2, 3]), np.array([7, 7, 8, 8]))
    >>> second = LinkedRelease(None, np.array([3, 2, 1]), np.array([5, 6, 6]))
    >>> {name: labels.tolist() for name, labels in _joint_view([first, second], 0).quasi.items()}
    {'release 1': [7, 7, 8, 8], 'release 2': [-1, 1, 1, 0]}
    """
    viewed = releases[place]
    labels = {
        f"release {number + 1}": viewed.kinds
        if number == place
        else label_people(viewed.who, release.who, release.kinds)
        for number, release in enumerate(releases)
    }
    return Published(labels, viewed.sensitive, viewed.persons)


def label_people(people: I8, who: I8, kinds: I8) -> I8:
    """What a release shows of some people: a number for their class, `_MISSING` where they are not in it.

    Of a person who has several rows in it, it shows all their classes: equal numbers are equal lists of classes.
    """
    names, number = _number_people(who, kinds)
    return np.asarray(np.r_[number, _MISSING][index_of(names, people)], dtype=np.int64)


def judge_jointly(releases: Sequence[LinkedRelease], check: Check | None = None) -> JointVerdict:
    """Judge several releases of the same people.

    Each release must keep its own claim among the people who share its classes and those of all others; see the
    head of this module. Beside the verdicts, two attacks are played that need not know whose row is whose: who is
    missing, and which sensitive values are left where the classes of a person are intersected.

    `check` judges a release, by its place, from what `_joint_view` shows; by default its claim does.
    """
    people_alone, smallest, verdicts = [], [], []
    for index, release in enumerate(releases):
        view = _joint_view(releases, index)
        verdicts.append(release.claim.check(view) if check is None else check(index, view))
        groups = equivalence_classes(view)
        size = groups.size[groups.of]
        people_alone.append(release.who[size == 1])
        smallest.append(int(size.min(initial=len(size))))
    people, is_missing = list_people([release.who for release in releases])
    is_changed, is_told = _intersect_values(releases, people)
    return JointVerdict(
        tuple(verdicts),
        len(people),
        len(find_exposed_people(releases)),
        int(is_missing.sum()),
        len(np.unique(np.concatenate(people_alone))),
        min(smallest),
        int(is_changed.sum()),
        int(is_told.sum()),
    )


def judge_invariance(releases: Sequence[LinkedRelease], m: Sequence[int]) -> Verdict:
    """Judge m-invariance, with the m of each release.

    Every class must hold at least m sensitive values, each equally often, and everybody who is in several releases must
    have the same set of them in all. Exchanging the values of a set among all people who have it then changes nothing
    that is published, so nobody's value is more likely than 1/m to somebody who does not know which rows are the same
    person's.

    >>> ill = Sensitive(np.array([0, 1, 0, 1]), ("flu", "HIV"))
    >>> one = LinkedRelease(None, np.array([0, 1, 2, 3]), np.array([7, 7, 8, 8]), {"ill": ill})
    >>> bool(judge_invariance([one], [2])), bool(judge_invariance([one], [3]))
    (True, False)
    """
    names = {name for release in releases for name in release.sensitive}
    if len(names) != 1 or any(len(release.sensitive) != 1 for release in releases):
        return Verdict(
            False, "m-invariance speaks of one sensitive column, the same in all releases", judged=False
        )
    sets: dict[int, set[frozenset[str]]] = {}
    for number, (release, least) in enumerate(zip(releases, m, strict=True), start=1):
        if release.persons is not None or len(np.unique(release.who)) < len(release.who):
            return Verdict(False, "m-invariance speaks of people with one row each", judged=False)
        inside = _people_by_value(release, *release.sensitive)
        uneven = [
            people_by_value
            for people_by_value in inside.values()
            if "" in people_by_value
            or len(people_by_value) < least
            or len({*map(len, people_by_value.values())}) > 1
        ]
        if uneven:
            sentence = (
                f"release {number}: {len(uneven)} of {len(inside)} classes do not hold at least m={least} sensitive "
                "values, each equally often"
            )
            return Verdict(
                False,
                sentence,
                True,
                sum(len(holders) for people_by_value in uneven for holders in people_by_value.values()),
            )
        for people_by_value in inside.values():
            for people in people_by_value.values():
                for person in people:
                    sets.setdefault(person, set()).add(frozenset(people_by_value))
    changed = sum(len(value_sets) > 1 for value_sets in sets.values())
    if changed:
        sentence = (
            f"{changed} of {len(sets)} people do not have the same sensitive values in all their classes"
        )
        return Verdict(False, sentence, True, changed)
    return Verdict(
        True,
        f"m-invariance holds for {'one release' if len(releases) == 1 else f'{len(releases)} releases'}: every class "
        f"has at least m={min(m)} sensitive values, each "
        f"equally often, and all {len(sets)} people keep theirs",
    )


def find_exposed_people(releases: Sequence[LinkedRelease]) -> I8:
    """The people who share all their classes with too few people, or with people of too few values, for some claim."""
    exposed = [np.zeros(0, dtype=np.int64)]
    for index, release in enumerate(releases):
        if not len(release.who):  # it shows nobody
            continue
        view = _joint_view(releases, index)
        groups = equivalence_classes(view)
        short = groups.size < release.claim.crowd
        for part in release.claim.parts:
            if isinstance(part, SensitiveValueClaim):
                for _, column in part.sensitive_columns(view):
                    short = short | part.weigh(groups, column)[0]
        exposed.append(release.who[short[groups.of]])
    return np.unique(np.concatenate(exposed))


def list_people(releases: Sequence[I8]) -> tuple[I8, B1]:
    """The people of all releases, given as the people of each row, and who of them is not in every release."""
    people = np.unique(np.concatenate(list(releases)))
    presence = [np.isin(people, release_people) for release_people in releases]
    return people, ~np.logical_and.reduce(presence)


def _number_people(who: I8, kinds: I8) -> tuple[I8, I8]:
    """The people of a release, rising, and a number for the classes of each: of all rows that are theirs."""
    order = np.lexsort((kinds, who))
    names, start = np.unique(who[order], return_index=True)
    if len(names) == len(who):
        return names, number_groups((kinds[order],))[0]
    return names, number_rows(np.append(start, len(who)), kinds[order])


def _intersect_values(releases: Sequence[LinkedRelease], everybody: I8) -> tuple[B1, B1]:
    """Of whom the sets of sensitive values differ from release to release, and whose value only all together tell."""
    is_changed, is_told = np.zeros((2, len(everybody)), dtype=bool)
    labels = [label_people(everybody, release.who, release.kinds) for release in releases]
    kind, heads = number_groups(labels)
    for name in dict.fromkeys(name for release in releases for name in release.sensitive):
        values = [_values_by_label(release, name) for release in releases]
        differ, sure = np.zeros((2, len(heads)), dtype=bool)
        for number, head in enumerate(heads.tolist()):
            sets = list(_value_sets(values, [int(label[head]) for label in labels]))
            if len(sets) > 1:
                differ[number] = any(value_set != sets[0] for value_set in sets)
                common = frozenset.intersection(*sets)
                sure[number] = len(common) == 1 and all(len(value_set) > 1 for value_set in sets)
        is_changed, is_told = is_changed | differ[kind], is_told | sure[kind]
    return is_changed, is_told


def _value_sets(
    values: Sequence[Mapping[int, frozenset[str]] | None], labels: Sequence[int]
) -> Iterator[frozenset[str]]:
    """The values that each release leaves somebody with these labels."""
    for values_by_label, label in zip(values, labels, strict=True):
        if values_by_label is not None and label != _MISSING:
            yield values_by_label[label]


def _values_by_label(release: LinkedRelease, name: str) -> dict[int, frozenset[str]] | None:
    """For each number of `label_people`, the values of a sensitive column in these classes; an empty cell is one."""
    if name not in release.sensitive:
        return None
    inside = _people_by_value(release, name)
    values_of_label: dict[int, set[str]] = {}
    label = label_people(release.who, release.who, release.kinds)
    for number, kind in zip(label.tolist(), release.kinds.tolist(), strict=True):
        values_of_label.setdefault(number, set()).update(inside[kind])
    return {number: frozenset(label_values) for number, label_values in values_of_label.items()}


def _people_by_value(release: LinkedRelease, name: str) -> dict[int, dict[str, list[int]]]:
    """For each class, whose rows have each value of a sensitive column; an empty cell is a value, too."""
    column = release.sensitive[name]
    spelled = [*map(normalize_value, unify_spellings(column.values)), ""]
    people: dict[int, dict[str, list[int]]] = {}
    for person, kind, code in zip(
        release.who.tolist(), release.kinds.tolist(), column.codes.tolist(), strict=True
    ):
        people.setdefault(kind, {}).setdefault(spelled[code], []).append(person)
    return people


@dataclass(frozen=True, slots=True, repr=False)
class LinkedItems(SafeRepr):
    """The items of one release.

    rows         : int64[n]  the original record of each row
    start, items : row i publishes the places items[start[i] : start[i + 1]] of `forms`
    forms        : what is published, and the item codes each form stands for
    """

    rows: I8
    start: I8
    items: I4
    forms: PublishedValues


@dataclass(frozen=True)
class JointItems:
    """The items of original baskets, each with its labels in all releases; every label must be true."""

    baskets: Baskets
    releases: tuple[LinkedItems, ...]

    @cached_property
    def _labels(self) -> list[I8]:
        """For each release, what stands for each item of each record: equal numbers are equal sets of leaves."""
        return [self._label_items(release) for release in self.releases]

    @cached_property
    def numbers(self) -> I8:
        """For each item of each record, one number for its labels in all releases; `_MISSING` where none shows it."""
        number = number_groups(self._labels)[0]
        is_shown = np.logical_or.reduce([labels >= 0 for labels in self._labels])
        return np.where(is_shown, number, _MISSING)

    def view_release(self, place: int, sensitive: frozenset[int] = frozenset()) -> PublishedBaskets:
        """The rows of one release as a judge sees them who holds the others too.

        `sensitive` are the codes of the items that this release calls so; another may call others so.
        """
        start, numbers = take_rows(self.baskets.start, self.numbers, self.releases[place].rows)
        width = int(self.numbers.max(initial=0)) + 1
        pairs = np.unique((row_of_entry(start) * width + numbers)[numbers >= 0])
        sizes = np.bincount(pairs // width, minlength=len(start) - 1)
        secret = np.isin(self.baskets.items, list(sensitive)) & (self.numbers >= 0)
        return PublishedBaskets(
            prefix_sums(sizes),
            pairs % width,
            frozenset(np.unique(self.numbers[secret]).tolist()),
            self._covers,
        )

    @cached_property
    def _covers(self) -> Mapping[str, frozenset[int]]:
        """For each item, the numbers whose labels may all stand for it."""
        inside = [
            _leaves_by_label(release, labels, self)
            for release, labels in zip(self.releases, self._labels, strict=True)
        ]
        numbers_of_item: dict[str, set[int]] = {}
        for number, entry in zip(*np.unique(self.numbers, return_index=True), strict=True):
            sets = [
                cover[int(labels[entry])]
                for cover, labels in zip(inside, self._labels, strict=True)
                if labels[entry] >= 0
            ]
            for code in frozenset.intersection(*sets) if sets else ():
                numbers_of_item.setdefault(self.baskets.values[code], set()).add(int(number))
        return {item: frozenset(cover) for item, cover in numbers_of_item.items()}

    def _label_items(self, release: LinkedItems) -> I8:
        is_released = np.zeros(self.baskets.n, dtype=bool)
        is_released[release.rows] = True
        labels = label_people(np.arange(len(self.baskets.items)), *self._covering_pairs(release))
        return np.where(is_released[row_of_entry(self.baskets.start)], labels, _AWAY)

    def _covering_pairs(self, release: LinkedItems) -> tuple[I8, I8]:
        """Pairs of an item of a record, by its place, and a form of the record's row that stands for it."""
        width = max(len(self.baskets.values), 1)
        # Rising, as items do within a record.
        keys = row_of_entry(self.baskets.start) * width + self.baskets.items
        sets, row = release.forms.sets(), row_of_entry(release.start)
        spots, kinds = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        for low, high in chunk_rows(np.diff(release.forms.start)[release.items], _PAIRS):
            begin, leaf = take_rows(release.forms.start, release.forms.leaves, release.items[low:high])
            which = row_of_entry(begin) + low
            key = release.rows[row[which]] * width + leaf
            entries = index_of(keys, key)
            is_present = entries >= 0
            spots.append(entries[is_present])
            kinds.append(sets[release.items[which[is_present]]])
        return np.concatenate(spots), np.concatenate(kinds)


def _leaves_by_label(release: LinkedItems, labels: I8, items: JointItems) -> dict[int, frozenset[int]]:
    """For each label of a release, the items that it may stand for."""
    spots, kinds = items._covering_pairs(release)
    forms = release.forms
    by_set = {
        number: frozenset(forms.leaves[a:b].tolist())
        for number, a, b in zip(
            forms.sets().tolist(), forms.start[:-1].tolist(), forms.start[1:].tolist(), strict=True
        )
    }
    leaves: dict[int, frozenset[int]] = {}
    for label, kind in zip(labels[spots].tolist(), kinds.tolist(), strict=True):
        leaves[label] = leaves.get(label, frozenset()) | by_set[kind]
    return leaves
