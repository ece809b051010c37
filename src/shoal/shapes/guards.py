"""What is refused although a method could keep the claim: claims that say nothing, columns that undo what it promises.

Plain and sensitive columns are published as they are. Each is looked at beside the quasi-identifiers and the items:

- it *tells* a quasi-identifier where knowing it, the quasi-identifier is guessed right far more often;
- it *follows* from what may be known, or tells it together with others, where a rule leads from one to the other. That
  is asked of the release: who is left with fewer than k look-alikes to whoever uses all such rules;
- it *singles people out* where many hold a value that nobody else holds, or where it is free text.

Guessing is measured by Goodman and Kruskal's lambda, so that one cell that does not fit changes little.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Literal, NamedTuple

import numpy as np

from shoal.attacks.view_table import Dependency
from shoal.base.errors import InputError
from shoal.data import Baskets, Column, Table, Trees
from shoal.data.arrays import (
    B1,
    I4,
    I8,
    count_codes,
    is_group_start,
    persons_per_code,
    prefix_sums,
    row_of_entry,
    sum_counts,
)
from shoal.data.spelling import normalize_value, unify_spellings
from shoal.release import Claim, ColumnTelling, Recoded, Result, VotedBaskets
from shoal.report.words import names_in_words
from shoal.risks.dependencies import (
    SURE,
    ItemRule,
    ItemSources,
    Link,
    find_dependencies,
    item_rules,
    lambda_of,
    rows_left,
)
from shoal.risks.matching import is_nearly_too_much, is_too_much, measure_telling
from shoal.utility import class_of_rows

__all__ = [
    "Refused",
    "are_sentences",
    "find_refused",
    "guard",
    "guard_ballot",
    "guard_claim",
    "guard_column",
    "guard_items",
    "guard_released",
    "guard_secrets",
    "guard_spelling",
    "guard_telling",
    "guard_votes",
    "guard_weight",
    "refused_for_telling",
]

_ALONE = 0.05  # of the people hold a value that nobody else holds
_FEW = 10  # people; fewer of them may be chance in a small table
_LONG, _WORDS = 20, 4  # characters and words of a text, on average
_SENTENCE_WORDS = 3
_SPOKEN = 0.25  # of the values are sentences
_SAID = re.compile(
    r"(?i:\b(?:i|my|me|he|she|his|her|him|they|their|we|our|us|you|your|is|was|were|has|had|have|am|been|do|does|did"
    r"|don't|doesn't|didn't|wants?|wanted|ask(?:s|ed)?|said|says|told|tell|will|would|can|cannot|can't|could|please"
    r"|because|ich|er|sie|wir|meine?[rnm]?|seine?[rnm]?|ihre?[rnm]?|hat|habe|haben|hatte|ist|sind|war|waren|wurde|wird"
    r"|möchte|kann|bitte|weil|dass|je|il|elle|ne|est|sont|était|sa|ses|mon|ma|qui|veut|está|tiene|fue|quiere|porque|su|sus"
    r"|è|ha|sono|suo|sua|vuole|perché|değil|var|yok|için|oldu|istiyor|ben|onun)\b)"
    r"|\b(?:Mr|Mrs|Ms|Herrn?|Frau|Fr|Hr|M(?=\.)|Mme|Mlle|[Ss]ra?|[Ss]ig|[Ss]ig\.ra|Bay|Bayan)\b\.? [A-ZÄÖÜÇŞİ]"
    r"|[A-ZÇŞİÖÜ]\w+ (?:Bey|Hanım)\b|\w(?:[ıiuü]yor|m[ae]y[ıi]n|[ae]d[ıi]|[ln]d[ıiuü])\b|[.!?]\s*$"
)
_HAN = re.compile(r"[\u3400-\u9fff]")
_HAN_SAID = re.compile(r"[的了在她他我不请]|[。！？]\s*$")
_HAN_SIGNS = 5  # as much as a sentence of few words

_FORMS = "blanks, characters that nobody sees, capitals or a number's form"
_INSTEAD = "make it quasi, drop it, coarsen it with a hierarchy and a level, or set allow = true"
_BESIDE_ITEMS = "drop it, coarsen it with a hierarchy and a level, or set allow = true"
_INSTEAD_OF_ONE = (
    "make one of them quasi, drop it, coarsen it with a hierarchy and a level, or set allow = true for it"
)


class Refused(NamedTuple):
    """Columns that a release is refused for, and the sentence that says why."""

    columns: tuple[str, ...]
    sentence: str


def guard(table: Table, leaves: I4, allow: AbstractSet[str], claim: Claim | None) -> None:
    """Refuse what no release of `table` could honestly claim or safely carry.

    `leaves` are the quasi-identifiers' leaf codes; `allow` names columns to publish whatever they tell.
    """
    guard_claim({column.role for column in table.columns}, claim)
    for column in _published(table, allow):
        guard_column(column, table.persons)
        guard_telling(column, table, leaves)


def guard_claim(roles: AbstractSet[str], claim: Claim | None) -> None:
    """Refuse a claim that says nothing, because no column has the role that it speaks of."""
    if "quasi" not in roles:
        raise InputError(
            "columns: no quasi-identifier, so a claim would promise nothing; give at least one column the role quasi"
        )
    if claim is not None and "sensitive" in claim.roles and "sensitive" not in roles:
        named = ", ".join(part.named for part in claim.parts if "sensitive" in part.roles)
        raise InputError(
            f"guarantee: {named} is about a sensitive column, and there is none; give one column the role sensitive"
        )


def guard_column(column: Column, persons: I8 | None = None, counts: I8 | None = None) -> None:
    """Refuse a published column that singles people out by itself; `counts` says what each row stands for."""
    n, distinct = int(count_codes(column.codes, counts).sum()), len(np.unique(column.codes))
    if distinct > n / 2 and _is_prose(column):
        raise InputError(
            f"column '{column.name}': it is free text, which can reveal anything about anybody; drop it, or set "
            "allow = true to publish it nevertheless"
        )
    alone, people = _alone(column.codes, persons, counts)
    many = alone > people * _ALONE and alone >= _FEW
    if many or (column.role == "plain" and n > 1 and distinct > n / 2):
        raise InputError(
            f"column '{column.name}': {alone} of {people} people have a value that nobody else has, which shows "
            f"who they are; {_INSTEAD}"
        )


def guard_items(baskets: Baskets, columns: Iterable[Column]) -> None:
    """Refuse a plain column that tells whether somebody has an item."""
    owner = row_of_entry(baskets.start)
    for column in columns:
        if _tells_items(column.codes, owner, baskets.items, len(baskets.values)):
            raise InputError(
                f"column '{column.name}': its value reveals whether a basket holds a certain item; {_BESIDE_ITEMS}"
            )


def guard_secrets(baskets: Baskets) -> None:
    """Refuse sensitive items that occur in no basket, or in another spelling too: nobody would be protected."""
    held = np.bincount(baskets.items, minlength=len(baskets.values))
    spelled = Counter(normalize_value(item) for item, many in zip(baskets.values, held, strict=True) if many)
    for number, code in enumerate(sorted(baskets.sensitive), start=1):
        alikes = spelled[normalize_value(baskets.values[code])]
        where = f"column '{baskets.name}': the sensitive item that is number {number} in alphabetical order"
        if alikes > (held[code] > 0):
            raise InputError(f"{where} occurs in another spelling ({_FORMS}); spell them all alike")
        if not held[code]:
            raise InputError(f"{where} is in no basket; correct it or leave it out")


def guard_spelling(trees: Trees) -> None:
    """Refuse sensitive values of record trees that occur in several spellings."""
    if trees.sensitive is None:
        return
    kind = trees.classes.index(trees.sensitive)
    values = [value for value, of in zip(trees.values, trees.kinds, strict=True) if of == kind]
    twice = len(values) - len(set(unify_spellings(values)))
    if twice:
        raise InputError(
            f"'{trees.sensitive}': {twice} sensitive value(s) occur in several spellings ({_FORMS}); spell them alike"
        )


def guard_released(
    table: Table,
    leaves: I4,
    release: Recoded | None,
    allow: AbstractSet[str],
    claim: Claim,
    bound: Sequence[Link] | None = None,
    held: ItemSources | None = None,
) -> None:
    """Refuse a release in which columns leave anybody too few look-alikes, or match many rows with their persons.

    Whoever knows all quasi-identifiers of a person, or the items that the claim speaks of, also knows those columns
    that follow from them by a rule. They are counted beside what is released. Other columns may go along with
    quasi-identifiers so closely that they tell many people of a class apart (`measure_telling`).

    Parameters
    ----------
    table
        The columns of all records.
    leaves
        int32[n, d], their leaf codes in each quasi-identifier.
    release
        What is released of quasi-identifiers; None where there are none.
    allow
        Columns to publish whatever they tell.
    claim
        What the release claims.
    bound
        The rules of columns and quasi-identifiers where they were looked for already.
    held
        What is released of baskets, where there are any.
    """
    columns = _published(table, allow)
    refused = _refused_by_rules(table, leaves, release, columns, claim, bound, held)
    if refused is None and release is not None and bound is None:
        refused = refused_for_telling(table, leaves, release, columns, claim)
    if refused is not None:
        raise InputError(refused.sentence)


def find_refused(
    table: Table, leaves: I4, release: Recoded, columns: Sequence[Column], claim: Claim
) -> Refused | None:
    """The published columns for which a release would be refused, or one of like classes might; None where none would.

    The parameters are those of `guard_released`; `columns` are asked about.
    """
    return _refused_by_rules(table, leaves, release, columns, claim) or refused_for_telling(
        table, leaves, release, columns, claim, too_much=is_nearly_too_much
    )


def _refused_by_rules(
    table: Table,
    leaves: I4,
    release: Recoded | None,
    columns: Sequence[Column],
    claim: Claim,
    bound: Sequence[Link] | None = None,
    held: ItemSources | None = None,
) -> Refused | None:
    """The columns that follow by a rule and leave somebody too few look-alikes."""
    if bound is None:
        bound = find_dependencies(table, leaves, columns) if release is not None else []
    secret = sorted(held.baskets.sensitive) if held is not None and claim.exempts else []
    rules = [] if held is None else item_rules(held.baskets, columns, secret)
    if not (bound or rules):
        return None
    rows = _rows(release, held)
    if not len(rows):
        return None
    if claim.blanks and release is not None:
        return _refused_for_blanks(bound, release)

    def short(some: Sequence[Link], by_items: Sequence[ItemRule]) -> B1:
        kind, found = _kinds(some, table, leaves, release, rows, claim)
        if held is not None and (by_items or some):
            found = found | (rows_left(by_items, held, kind, getattr(claim, "m", 1), secret) < claim.crowd)
        return found

    every = short(bound, rules) & ~_kinds([], table, leaves, release, rows, claim)[1]
    if not every.any():
        return None
    alone = [*(short([link], []) for link in bound), *(short([], [rule]) for rule in rules)]
    worst = max(range(len(alone)), key=lambda place: int(alone[place].sum()))
    records = sum_counts(every, None if release is None else release.counts)
    both: list[Link | ItemRule] = [*bound, *rules]
    return Refused(_shown_by(both[worst]), _told_sentence(both, worst, records, claim.crowd))


def refused_for_telling(
    table: Table,
    leaves: I4,
    release: Recoded,
    columns: Sequence[Column],
    claim: Claim,
    sums: Sequence[Link] | None = None,
    *,
    too_much: Callable[[ColumnTelling], bool] = is_too_much,
) -> Refused | None:
    """The columns that match too many rows with their persons, as `measure_telling` says."""
    told = [
        telling
        for telling in measure_telling(table, leaves, release, claim, columns, sums)
        if too_much(telling)
    ]
    worst = max(told, key=lambda telling: telling.above, default=None)
    return None if worst is None else Refused(tuple(worst.shown), _telling_sentence(worst, claim.crowd))


def _telling_sentence(telling: ColumnTelling, k: int) -> str:
    """Which column goes along with what, how many rows are matched with their persons, and what to do."""
    many = round(telling.above * telling.people)
    does, instead = "it goes", _INSTEAD
    if len(telling.shown) > 1:
        does, instead = "together they go", _INSTEAD_OF_ONE
    return (
        f"{_named('column', telling.shown)}: {does} along with {_named('quasi-identifier', telling.known)} so closely "
        f"that about {many} of {telling.people} records can be matched with their person with a chance above "
        f"{2 / k:.0%}, where k = {k} allows {1 / k:.0%}; {instead}"
    )


def guard_weight(table: Table, release: Recoded, name: str, claim: Claim) -> None:
    """Refuse a sampling weight that is published and tells apart who look alike: records of a stratum share it.

    Every weight that occurs among some look-alikes must be that of at least k people of them.
    """
    if not len(release.rows):
        return
    of = _joined(class_of_rows(release), table.column(name).codes[release.rows].astype(np.int64))
    short = (
        persons_per_code(of, None if table.persons is None else table.persons[release.rows])[of] < claim.crowd
    )
    if short.any():
        raise InputError(
            f"column '{name}': together with the released quasi-identifiers, its values leave {int(short.sum())} "
            f"records with fewer than {claim.crowd} look-alikes, so a weight reveals its stratum; leave allow out, "
            "round the weights, or make the column plain with allow = true to publish it anyway"
        )


def _refused_for_blanks(bound: Sequence[Link], release: Recoded) -> Refused | None:
    """The columns that tell what a blank hides."""
    blank = {
        name: np.array([label is None for label in form.labels])[release.codes[:, j]]
        for j, (name, form) in enumerate(zip(release.names, release.forms, strict=True))
    }
    for link in bound:
        many = int(np.any([blank[name] for name in link.known], axis=0).sum())
        if many:
            known, bound_by = _named("quasi-identifier", link.known), "is" if len(link.shown) == 1 else "are"
            return Refused(
                link.shown,
                f"{_named('column', link.shown)}: {bound_by} bound to {known} by a rule, and so may reveal what is "
                f"left blank there in {many} records; {_INSTEAD}",
            )
    return None


def guard_ballot(table: Table, claim: Claim) -> None:
    """Refuse what baskets by vote cannot carry: a claim about a label that is not there, and plain columns."""
    if getattr(claim, "l", None) is not None and not table.role("sensitive"):
        raise InputError(
            "guarantee: l is about a label, and there is none; give one column the role sensitive"
        )
    for column in table.role("plain"):
        raise InputError(
            f"column '{column.name}': baskets published by vote carry no plain column; give it the role drop"
        )


def guard_votes(
    baskets: Baskets, label: Column | None, allow: AbstractSet[str], result: Result[VotedBaskets]
) -> None:
    """Refuse baskets by vote whose label follows from an item, so that it tells apart the rows that fit a person."""
    if label is None or label.name in allow or result.proof is None:
        return
    release, k = result.release, result.claim.crowd
    shown = label.codes[release.rows].astype(np.int64)
    fitting = np.asarray(
        result.proof, dtype=np.int64
    )  # of each original, a row in each of several assignments
    for rule in item_rules(baskets, [label]):
        person, item = row_of_entry(baskets.start), baskets.items.astype(np.int64)
        told = rule.expected(item, label.codes[person].astype(np.int64))
        person, item = person[told], item[told]
        left = sum(rule.expected(item, shown[rows[person]]).astype(np.int64) for rows in fitting)
        short = np.unique(person[left < min(k, len(fitting))])
        if len(short):
            raise InputError(_told_sentence([rule], 0, len(short), k))


def _rows(release: Recoded | None, held: ItemSources | None) -> I8:
    """The original record of each released row."""
    if release is not None:
        return release.rows
    assert held is not None
    return held.release.rows


def _kinds(
    bound: Sequence[Link], table: Table, leaves: I4, release: Recoded | None, rows: I8, claim: Claim
) -> tuple[I8, B1]:
    """Number the released rows by what some rules tell apart, and say who has fewer than k look-alikes by that."""
    if release is None:
        return np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=bool)
    persons = None if table.persons is None else table.persons[rows]
    kind, sums = class_of_rows(release), []
    for link in bound:
        marks = link.marks(table, leaves).some(rows)
        if link.terms:
            sums.append(marks)
        else:
            kind = _joined(kind, marks.shown - int(marks.shown.min()))
    short = persons_per_code(kind, persons, release.counts)[kind] < claim.crowd
    for marks in sums:
        short |= marks.kept & (_fitting(kind, marks, persons, release.counts) < claim.crowd)
    return kind, np.asarray(short)


def _fitting(kind: I8, marks: Dependency, persons: I8 | None, counts: I8 | None) -> I8:
    """For each row, the people of its kind who show what is expected of it, or of whom is expected what it shows.

    The smaller number counts: rows are looked for by whoever knows a person, and persons by whoever has a row.
    """
    more = marks.width - 1
    showing = _covering(kind, marks.shown - more, marks.shown, marks.low, marks.shows, persons, counts)
    expected = _covering(kind, marks.low, marks.low + more, marks.shown, marks.known, persons, counts)
    return np.minimum(showing, expected)


def _covering(
    kind: I8, first: I8, last: I8, asked: I8, there: B1, persons: I8 | None, counts: I8 | None
) -> I8:
    """For each row, the people of its kind with a row that is `there` and whose interval holds the number asked for.

    All intervals, each from `first` to `last`, are of one length; those of a person that overlap are one.
    """
    rows = np.flatnonzero(there)
    values = np.unique(np.concatenate([first[rows], last[rows], asked]))
    width = len(values) + 1
    starts, ends, wanted = (
        of * width + np.searchsorted(values, numbers)
        for of, numbers in ((kind[rows], first[rows]), (kind[rows], last[rows]), (kind, asked))
    )
    if persons is not None:
        order = np.lexsort((starts, persons[rows]))
        starts, ends, whose = starts[order], ends[order], persons[rows][order]
        apart = is_group_start(whose) | np.r_[True, starts[1:] > ends[:-1]][: len(starts)]
        starts, ends = starts[apart], ends[np.r_[apart[1:], True][: len(apart)]]
        counts = None
    many = None if counts is None else counts[rows]
    return _below(starts, many, wanted, "right") - _below(ends, many, wanted, "left")


def _below(numbers: I8, counts: I8 | None, asked: I8, side: Literal["left", "right"]) -> I8:
    """How many numbers, each so many times, stand before each one asked for."""
    order = np.argsort(numbers, kind="stable")
    many = np.ones(len(numbers), dtype=np.int64) if counts is None else counts
    return np.asarray(prefix_sums(many[order])[np.searchsorted(numbers[order], asked, side=side)])


def _told_sentence(rules: Sequence[Link | ItemRule], worst: int, records: int, k: int) -> str:
    """Which column follows from what, how many records it leaves with too few look-alikes, and what to do."""
    shown = [_shown_by(rule) for rule in rules]
    others = tuple(dict.fromkeys(name for one in shown for name in one if name not in shown[worst]))
    link, beside = rules[worst], f" and {_named('column', others)}" if others else ""
    known = _named("quasi-identifier", link.known) if isinstance(link, Link) else "an item"
    released = "the quasi-identifiers" if isinstance(link, Link) else "the items"
    if len(shown[worst]) == 1:
        what, leaves, instead = (
            f"{_named('column', shown[worst])}: it follows from {known}",
            "it leaves",
            _INSTEAD,
        )
    else:
        what = f"{_named('column', shown[worst])}: together they reveal {known}"
        leaves, instead = "they leave", _INSTEAD_OF_ONE
    if not isinstance(link, Link):
        instead = _BESIDE_ITEMS
    return (
        f"{what}, and together with what is released of {released}{beside} {leaves} {records} records with fewer "
        f"than {k} "
        f"look-alikes; {instead}"
    )


def _shown_by(rule: Link | ItemRule) -> tuple[str, ...]:
    return rule.shown if isinstance(rule, Link) else (rule.column.name,)


def _named(kind: str, names: Sequence[str]) -> str:
    """Columns by their names, such as "quasi-identifiers 'age' and 'zip'"."""
    quoted = names_in_words([f"'{name}'" for name in names], len(names))
    return f"{kind}s {quoted}" if len(names) > 1 else f"{kind} {quoted}"


def _published(table: Table, allow: AbstractSet[str]) -> list[Column]:
    """The columns that go out as they are, unless their owner lets them."""
    return [
        column
        for column in table.columns
        if column.role in ("plain", "sensitive") and column.name not in allow
    ]


def guard_telling(column: Column, table: Table, leaves: I4) -> None:
    """Refuse a column that would undo the generalization of a quasi-identifier."""
    shared = persons_per_code(column.codes, table.persons, table.counts)[column.codes] > 1
    counts = None if table.counts is None else table.counts[shared]
    for j, quasi in enumerate(table.quasi):
        if lambda_of(leaves[shared, j], column.codes[shared], counts) >= SURE:
            raise InputError(
                f"column '{column.name}': its value reveals the value of quasi-identifier '{quasi.name}'; {_INSTEAD}"
            )


def _tells_items(codes: I4, owner: I8, items: I4, width: int) -> bool:
    """Whether some item's presence is guessed right from a column far more often than without it."""
    people = np.bincount(codes)
    shared = people[codes] > 1
    held = shared[owner]
    pairs, many = np.unique(codes[owner[held]].astype(np.int64) * width + items[held], return_counts=True)
    item = pairs % width
    wrong = np.bincount(item, np.minimum(many, people[pairs // width] - many), width)
    times = np.bincount(item, many, width)
    blind = np.minimum(times, shared.sum() - times)
    return bool(((blind > 1) & (blind - wrong >= SURE * blind)).any())


def _alone(codes: I4, persons: I8 | None, counts: I8 | None) -> tuple[int, int]:
    """How many people hold a value that nobody else holds, and how many people there are."""
    people = persons_per_code(codes, persons, counts)
    lonely = people[codes] == 1
    if persons is None:
        return sum_counts(lonely, counts), int(people.sum())
    return len(np.unique(persons[lonely])), len(np.unique(persons))


def _joined(kind: I8, codes: I8) -> I8:
    """Number pairs of codes."""
    pairs: I8 = np.unique(kind * (int(codes.max()) + 1) + codes, return_inverse=True)[1]
    return pairs


def are_sentences(values: Collection[str]) -> bool:
    """Whether a good part of some different values are sentences, such as people write about people.

    >>> are_sentences(["HIV, do not tell the family", "late"]), are_sentences(["Mr Koch's divorce"])
    (True, True)
    >>> are_sentences(["Strongly agree", "Neither agree nor disagree", "Less than 9th grade", "Tech-support"])
    False
    """
    sentences = sum(map(_is_sentence, values))
    return sentences > 0 and sentences >= _SPOKEN * len(values)


def _is_sentence(value: str) -> bool:
    signs = len(_HAN.findall(value))
    if signs:
        return signs >= _HAN_SIGNS and _HAN_SAID.search(value) is not None
    return len(value.split()) >= _SENTENCE_WORDS and _SAID.search(value) is not None


def _is_prose(column: Column) -> bool:
    """Whether the cells are sentences: long, with several words."""
    texts = [value for value in column.values if value is not None]
    if not texts:
        return False
    words = sum(len(value.split()) for value in texts)
    return sum(map(len, texts)) >= _LONG * len(texts) and words >= _WORDS * len(texts)
