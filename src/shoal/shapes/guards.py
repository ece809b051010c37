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
from collections.abc import Collection, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from itertools import product
from typing import Literal, NamedTuple

import numpy as np

from shoal.attacks.view_table import Dependency
from shoal.base.errors import InputError
from shoal.base.naming import RECODED
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
from shoal.privacy.core import CoreAnonymity, core_claim
from shoal.release import Claim, ColumnTelling, Recoded, Result, VotedBaskets
from shoal.report.words import names_in_words
from shoal.risks.closures import tells_column
from shoal.risks.dependencies import (
    SURE,
    ItemRule,
    ItemSources,
    Link,
    count_rows_left,
    find_dependencies,
    find_item_rules,
    goodman_kruskal_lambda,
)
from shoal.risks.matching import is_nearly_too_much, is_too_much, measure_telling
from shoal.utility import class_of_rows

__all__ = [
    "Refused",
    "are_sentences",
    "find_refused_columns",
    "find_telling_columns",
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
    "telling_sentence",
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
    for column in _guarded_columns(table, allow):
        guard_column(column, table.persons)
        guard_telling(column, table, leaves)
    places = {column.name: j for j, column in enumerate(table.quasi)}
    for known, core in product(table.role("known"), table.core):
        if tells_column(leaves[:, places[known.name]], leaves[:, places[core.name]]):
            raise InputError(
                f"column '{known.name}': its value reveals the value of quasi-identifier '{core.name}'; make it quasi, "
                "or leave one of them out"
            )


def _only_columns(table: Table, leaves: I4, names: Collection[str]) -> tuple[Table, I4]:
    """The table with some of the columns that others may know, as quasi-identifiers, and their leaf codes."""
    places = [j for j, column in enumerate(table.quasi) if column.name in names]
    columns = tuple(
        replace(column, role="quasi") if column.name in names else column
        for column in table.columns
        if column.role not in RECODED or column.name in names
    )
    return replace(table, columns=columns), leaves[:, places]


def guard_claim(roles: AbstractSet[str], claim: Claim | None) -> None:
    """Refuse a claim that says nothing, because no column has the role that it speaks of."""
    if "quasi" not in roles:
        raise InputError(
            "columns: no quasi-identifier, so a claim would promise nothing; give at least one column the role quasi"
        )
    if claim is not None and "known" in claim.roles and "known" not in roles:
        raise InputError(
            "guarantee: known_at_once is about known columns, and there is none; give columns the role known, or leave "
            "it out"
        )
    if claim is not None and "known" in roles and "known" not in claim.roles:
        raise InputError(
            "guarantee: columns have the role known, and nothing says how many of them somebody may know at once; give "
            "known_at_once, or make them quasi"
        )
    if claim is not None and "sensitive" in claim.roles and "sensitive" not in roles:
        claim_names = ", ".join(part.named for part in claim.parts if "sensitive" in part.roles)
        raise InputError(
            f"guarantee: {claim_names} is about a sensitive column, and there is none; give one column the role "
            "sensitive"
        )


def guard_column(column: Column, persons: I8 | None = None, counts: I8 | None = None) -> None:
    """Refuse a published column that singles people out by itself; `counts` says what each row stands for."""
    n, distinct = int(count_codes(column.codes, counts).sum()), len(np.unique(column.codes))
    if distinct > n / 2 and _is_prose(column):
        raise InputError(
            f"column '{column.name}': it is free text, which can reveal anything about anybody; drop it, or set "
            "allow = true to publish it nevertheless"
        )
    lonely_count, people = _count_lonely_people(column.codes, persons, counts)
    is_identifying = lonely_count > people * _ALONE and lonely_count >= _FEW
    if is_identifying or (column.role == "plain" and n > 1 and distinct > n / 2):
        raise InputError(
            f"column '{column.name}': {lonely_count} of {people} people have a value that nobody else has, which shows "
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
    item_counts = np.bincount(baskets.items, minlength=len(baskets.values))
    spelling_counts = Counter(
        normalize_value(item)
        for item, item_count in zip(baskets.values, item_counts, strict=True)
        if item_count
    )
    for number, code in enumerate(sorted(baskets.sensitive), start=1):
        alikes = spelling_counts[normalize_value(baskets.values[code])]
        location = (
            f"column '{baskets.name}': the sensitive item that is number {number} in alphabetical order"
        )
        if alikes > (item_counts[code] > 0):
            raise InputError(f"{location} occurs in another spelling ({_FORMS}); spell them all alike")
        if not item_counts[code]:
            raise InputError(f"{location} is in no basket; correct it or leave it out")


def guard_spelling(trees: Trees) -> None:
    """Refuse sensitive values of record trees that occur in several spellings."""
    if trees.sensitive is None:
        return
    kind = trees.classes.index(trees.sensitive)
    values = [
        value for value, value_kind in zip(trees.values, trees.kinds, strict=True) if value_kind == kind
    ]
    duplicate_count = len(values) - len(set(unify_spellings(values)))
    if duplicate_count:
        raise InputError(
            f"'{trees.sensitive}': {duplicate_count} sensitive value(s) occur in several spellings ({_FORMS}); "
            "spell them alike"
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
    columns = _guarded_columns(table, allow)
    core = core_claim(claim)
    if core is not None and release is not None:
        refused = _find_columns_bound_to_core(table, leaves, release, columns, core)
        if refused is not None:
            raise InputError(refused.sentence)
        return
    refusal = _find_columns_bound_by_rules(table, leaves, release, columns, claim, bound, held)
    if refusal is None and release is not None and bound is None:
        refusal = find_telling_columns(table, leaves, release, columns, claim)
    if refusal is not None:
        raise InputError(refusal.sentence)


def find_refused_columns(
    table: Table,
    leaves: I4,
    release: Recoded,
    columns: Sequence[Column],
    claim: Claim,
    bound: Sequence[Link],
    sums: Sequence[Link] | None = None,
) -> tuple[str, ...]:
    """The published columns for which a release would be refused, or one of like classes might.

    The parameters are those of `guard_released`, and `sums` those of `measure_telling`; `columns` are asked about. Of
    columns that are refused together it is the last one, and of those that follow by a rule the worst.
    """
    refused = _find_columns_bound_by_rules(table, leaves, release, columns, claim, bound)
    telling = [
        measured.shown[-1]
        for measured in measure_telling(table, leaves, release, claim, columns, sums)
        if is_nearly_too_much(measured)
    ]
    return tuple(dict.fromkeys([*(refused.columns[-1:] if refused is not None else ()), *telling]))


def _find_columns_bound_to_core(
    table: Table, leaves: I4, release: Recoded, columns: Sequence[Column], core: CoreAnonymity
) -> Refused | None:
    """The columns that leave somebody too few look-alikes for whoever knows the core and known columns.

    A rule counts for every set of known columns together with what it needs: each such set is looked at like a table
    of its own. What goes along with quasi-identifiers is measured for whoever knows the core alone.
    """
    names = [column.name for column in table.core]
    bound = find_dependencies(table, leaves, columns)
    known = [column.name for column in table.role("known")]
    for known_set in ((), *(core.list_sets(known) if bound else ())):
        seen = {*names, *known_set}
        links = [link for link in bound if seen.issuperset(link.known)]
        part, part_leaves = _only_columns(table, leaves, seen)
        shown = release.only([*seen])
        refused = _find_columns_bound_by_rules(part, part_leaves, shown, columns, core, links)
        if refused is None and not known_set:
            refused = find_telling_columns(part, part_leaves, shown, columns, core)
        if refused is not None:
            return refused
    return None


def _find_columns_bound_by_rules(
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
    rules = [] if held is None else find_item_rules(held.baskets, columns, secret)
    if not (bound or rules):
        return None
    rows = _released_rows(release, held)
    if not len(rows):
        return None
    if claim.blanks and release is not None:
        return _find_columns_revealing_blanks(bound, release)

    def find_short(links: Sequence[Link], by_items: Sequence[ItemRule]) -> B1:
        """Which rows have too few look-alikes for whoever knows these rules."""
        kinds, is_short = _number_kinds(links, table, leaves, release, rows, claim)
        if held is not None and (by_items or links):
            most_items = getattr(claim, "m", 1)
            is_short = is_short | (count_rows_left(by_items, held, kinds, most_items, secret) < claim.crowd)
        return is_short

    is_short_anyway = _number_kinds([], table, leaves, release, rows, claim)[1]
    is_short_by_rules = find_short(bound, rules) & ~is_short_anyway
    if not is_short_by_rules.any():
        return None
    all_rules: list[Link | ItemRule] = [*bound, *rules]
    short_by_rule = [*(find_short([link], []) for link in bound), *(find_short([], [rule]) for rule in rules)]
    short_counts = [int(is_short.sum()) for is_short in short_by_rule]
    worst = short_counts.index(max(short_counts))
    records = sum_counts(is_short_by_rules, None if release is None else release.counts)
    return Refused(_rule_columns(all_rules[worst]), _rule_sentence(all_rules, worst, records, claim.crowd))


def find_telling_columns(
    table: Table,
    leaves: I4,
    release: Recoded,
    columns: Sequence[Column],
    claim: Claim,
    sums: Sequence[Link] | None = None,
) -> Refused | None:
    """The columns that match too many rows with their persons, as `measure_telling` says."""
    tellings = [
        measured
        for measured in measure_telling(table, leaves, release, claim, columns, sums)
        if is_too_much(measured)
    ]
    worst = max(tellings, key=lambda telling: telling.above, default=None)
    return None if worst is None else Refused(tuple(worst.shown), telling_sentence(worst, claim.crowd))


def telling_sentence(telling: ColumnTelling, k: int) -> str:
    """Which column goes along with what, how many rows are matched with their persons, and what to do."""
    record_count = round(telling.above * telling.people)
    does, instead = "it goes", _INSTEAD
    if len(telling.shown) > 1:
        does, instead = "together they go", _INSTEAD_OF_ONE
    return (
        f"{_quote_names('column', telling.shown)}: {does} along with "
        f"{_quote_names('quasi-identifier', telling.known)} so closely "
        f"that about {record_count} of {telling.people} records can be matched with their person with a chance above "
        f"{2 / k:.0%}, where k = {k} allows {1 / k:.0%}; {instead}"
    )


def guard_weight(table: Table, release: Recoded, name: str, claim: Claim) -> None:
    """Refuse a sampling weight that is published and tells apart who look alike: records of a stratum share it.

    Every weight that occurs among some look-alikes must be that of at least k people of them.
    """
    if not len(release.rows):
        return
    stratum_class = _number_pairs(
        class_of_rows(release), table.column(name).codes[release.rows].astype(np.int64)
    )
    short = (
        persons_per_code(stratum_class, None if table.persons is None else table.persons[release.rows])[
            stratum_class
        ]
        < claim.crowd
    )
    if short.any():
        raise InputError(
            f"column '{name}': together with the released quasi-identifiers, its values leave {int(short.sum())} "
            f"records with fewer than {claim.crowd} look-alikes, so the weight would reveal the stratum; either "
            "replace allow by a release of rounded, classes or calibrated, or make the column plain with allow = true "
            "to publish it anyway"
        )


def _find_columns_revealing_blanks(bound: Sequence[Link], release: Recoded) -> Refused | None:
    """The columns that tell what a blank hides."""
    blank = {
        name: np.array([label is None for label in form.labels])[release.codes[:, j]]
        for j, (name, form) in enumerate(zip(release.names, release.forms, strict=True))
    }
    for link in bound:
        blank_count = int(np.any([blank[name] for name in link.known], axis=0).sum())
        if blank_count:
            quasi_names, bound_by = (
                _quote_names("quasi-identifier", link.known),
                "is" if len(link.shown) == 1 else "are",
            )
            return Refused(
                link.shown,
                f"{_quote_names('column', link.shown)}: {bound_by} bound to {quasi_names} by a rule, and so may "
                "reveal what is "
                f"left blank there in {blank_count} records; {_INSTEAD}",
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
    shown_labels = label.codes[release.rows].astype(np.int64)
    fitting_rows = np.asarray(
        result.proof, dtype=np.int64
    )  # of each original, a row in each of several assignments
    for rule in find_item_rules(baskets, [label]):
        person, item = row_of_entry(baskets.start), baskets.items.astype(np.int64)
        is_expected = rule.expected(item, label.codes[person].astype(np.int64))
        person, item = person[is_expected], item[is_expected]
        lookalike_counts = sum(
            rule.expected(item, shown_labels[rows[person]]).astype(np.int64) for rows in fitting_rows
        )
        short = np.unique(person[lookalike_counts < min(k, len(fitting_rows))])
        if len(short):
            raise InputError(_rule_sentence([rule], 0, len(short), k))


def _released_rows(release: Recoded | None, held: ItemSources | None) -> I8:
    """The original record of each released row."""
    if release is not None:
        return release.rows
    assert held is not None
    return held.release.rows


def _number_kinds(
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
            kind = _number_pairs(kind, marks.shown - int(marks.shown.min()))
    short = persons_per_code(kind, persons, release.counts)[kind] < claim.crowd
    for marks in sums:
        short |= marks.is_kept & (_count_lookalikes(kind, marks, persons, release.counts) < claim.crowd)
    return kind, np.asarray(short)


def _count_lookalikes(kind: I8, marks: Dependency, persons: I8 | None, counts: I8 | None) -> I8:
    """For each row, the people of its kind who show what is expected of it, or of whom is expected what it shows.

    The smaller number counts: rows are looked for by whoever knows a person, and persons by whoever has a row.
    """
    extra_width = marks.width - 1
    showing_count = _count_covering(
        kind, marks.shown - extra_width, marks.shown, marks.low, marks.shows, persons, counts
    )
    expected_count = _count_covering(
        kind, marks.low, marks.low + extra_width, marks.shown, marks.known, persons, counts
    )
    return np.minimum(showing_count, expected_count)


def _count_covering(
    kind: I8, first: I8, last: I8, asked: I8, there: B1, persons: I8 | None, counts: I8 | None
) -> I8:
    """For each row, the people of its kind with a row that is `there` and whose interval holds the number asked for.

    All intervals, each from `first` to `last`, are of one length; those of a person that overlap are one.
    """
    rows = np.flatnonzero(there)
    values = np.unique(np.concatenate([first[rows], last[rows], asked]))
    width = len(values) + 1
    starts, ends, wanted_keys = (
        kind_numbers * width + np.searchsorted(values, numbers)
        for kind_numbers, numbers in ((kind[rows], first[rows]), (kind[rows], last[rows]), (kind, asked))
    )
    if persons is not None:
        order = np.lexsort((starts, persons[rows]))
        starts, ends, owners = starts[order], ends[order], persons[rows][order]
        is_interval_start = is_group_start(owners) | np.r_[True, starts[1:] > ends[:-1]][: len(starts)]
        starts, ends = (
            starts[is_interval_start],
            ends[np.r_[is_interval_start[1:], True][: len(is_interval_start)]],
        )
        counts = None
    row_counts = None if counts is None else counts[rows]
    return _count_numbers_below(starts, row_counts, wanted_keys, "right") - _count_numbers_below(
        ends, row_counts, wanted_keys, "left"
    )


def _count_numbers_below(numbers: I8, counts: I8 | None, asked: I8, side: Literal["left", "right"]) -> I8:
    """How many numbers, each so many times, stand before each one asked for."""
    order = np.argsort(numbers, kind="stable")
    weights = np.ones(len(numbers), dtype=np.int64) if counts is None else counts
    return np.asarray(prefix_sums(weights[order])[np.searchsorted(numbers[order], asked, side=side)])


def _rule_sentence(rules: Sequence[Link | ItemRule], worst: int, records: int, k: int) -> str:
    """Which column follows from what, how many records it leaves with too few look-alikes, and what to do."""
    columns_by_rule = [_rule_columns(rule) for rule in rules]
    other_columns = tuple(
        dict.fromkeys(
            name
            for rule_columns in columns_by_rule
            for name in rule_columns
            if name not in columns_by_rule[worst]
        )
    )
    link, other_part = rules[worst], f" and {_quote_names('column', other_columns)}" if other_columns else ""
    source_words = _quote_names("quasi-identifier", link.known) if isinstance(link, Link) else "an item"
    released_part = "the quasi-identifiers" if isinstance(link, Link) else "the items"
    if len(columns_by_rule[worst]) == 1:
        subject, leaves, instead = (
            f"{_quote_names('column', columns_by_rule[worst])}: it follows from {source_words}",
            "it leaves",
            _INSTEAD,
        )
    else:
        subject = f"{_quote_names('column', columns_by_rule[worst])}: together they reveal {source_words}"
        leaves, instead = "they leave", _INSTEAD_OF_ONE
    if not isinstance(link, Link):
        instead = _BESIDE_ITEMS
    return (
        f"{subject}, and together with what is released of {released_part}{other_part} {leaves} {records} "
        "records with fewer "
        f"than {k} "
        f"look-alikes; {instead}"
    )


def _rule_columns(rule: Link | ItemRule) -> tuple[str, ...]:
    return rule.shown if isinstance(rule, Link) else (rule.column.name,)


def _quote_names(kind: str, names: Sequence[str]) -> str:
    """Columns by their names, such as "quasi-identifiers 'age' and 'zip'"."""
    quoted_names = names_in_words([f"'{name}'" for name in names], len(names))
    return f"{kind}s {quoted_names}" if len(names) > 1 else f"{kind} {quoted_names}"


def _guarded_columns(table: Table, allow: AbstractSet[str]) -> list[Column]:
    """The columns that go out as they are, unless their owner lets them."""
    return [
        column
        for column in table.columns
        if column.role in ("plain", "sensitive") and column.name not in allow
    ]


def guard_telling(column: Column, table: Table, leaves: I4) -> None:
    """Refuse a column that would undo the generalization of a quasi-identifier."""
    is_shared = persons_per_code(column.codes, table.persons, table.counts)[column.codes] > 1
    counts = None if table.counts is None else table.counts[is_shared]
    for j, quasi in enumerate(table.quasi):
        if goodman_kruskal_lambda(leaves[is_shared, j], column.codes[is_shared], counts) >= SURE:
            raise InputError(
                f"column '{column.name}': its value reveals the value of quasi-identifier '{quasi.name}'; {_INSTEAD}"
            )


def _tells_items(codes: I4, owner: I8, items: I4, width: int) -> bool:
    """Whether some item's presence is guessed right from a column far more often than without it."""
    people = np.bincount(codes)
    is_shared = people[codes] > 1
    is_shared_entry = is_shared[owner]
    pairs, pair_counts = np.unique(
        codes[owner[is_shared_entry]].astype(np.int64) * width + items[is_shared_entry], return_counts=True
    )
    item = pairs % width
    wrong_guesses = np.bincount(item, np.minimum(pair_counts, people[pairs // width] - pair_counts), width)
    times = np.bincount(item, pair_counts, width)
    blind = np.minimum(times, is_shared.sum() - times)
    return bool(((blind > 1) & (blind - wrong_guesses >= SURE * blind)).any())


def _count_lonely_people(codes: I4, persons: I8 | None, counts: I8 | None) -> tuple[int, int]:
    """How many people hold a value that nobody else holds, and how many people there are."""
    people = persons_per_code(codes, persons, counts)
    lonely = people[codes] == 1
    if persons is None:
        return sum_counts(lonely, counts), int(people.sum())
    return len(np.unique(persons[lonely])), len(np.unique(persons))


def _number_pairs(kind: I8, codes: I8) -> I8:
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
