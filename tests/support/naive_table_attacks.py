"""Attackers of tables, and of tables with baskets, played person by person from their definitions; nothing of shoal."""

from fractions import Fraction
from itertools import combinations
from math import exp, log


def fitting(values, rows):
    """The rows whose published sets hold all values of a record."""
    return [
        r for r, row in enumerate(rows) if all(value in form for value, form in zip(values, row, strict=True))
    ]


def by_person(persons, chances):
    """The highest chance of each person, in the order of their numbers."""
    people = sorted(set(persons))
    return [max(c for c, p in zip(chances, persons, strict=True) if p == person) for person in people]


def all_quasi_identifiers(records, rows, own, persons):
    """1 / how many persons have rows that fit, where the own row is among them."""
    whose = _whose(rows, own, persons)
    found = []
    for i, values in enumerate(records):
        fit = fitting(values, rows)
        there = {whose[r] for r in fit} - {None}
        found.append(Fraction(1, len(there)) if own[i] in fit else Fraction(0))
    return by_person(persons, found)


def own_class(rows, own, persons):
    """1 / how many persons have rows equal to the own one."""
    whose = _whose(rows, own, persons)
    found = []
    for row in own:
        there = [] if row is None else [whose[r] for r in range(len(rows)) if rows[r] == rows[row]]
        found.append(Fraction(1, len(set(there))) if there else Fraction(0))
    return by_person(persons, found)


def several_rows(records, rows, own, persons):
    """The share of the rows that fit which belong to the person."""
    whose = _whose(rows, own, persons)
    found = []
    for i, values in enumerate(records):
        fit = fitting(values, rows)
        mine = sum(whose[r] == persons[i] for r in fit)
        found.append(Fraction(mine, len(fit)) if own[i] in fit else Fraction(0))
    return by_person(persons, found)


def one_more_column(records, rows, own, persons, columns):
    """The same among rows that also have the record's value of one column; an unknown value tells nothing."""
    whose = _whose(rows, own, persons)
    found = []
    for i, values in enumerate(records):
        best = Fraction(0)
        for original, released in columns:
            fit = fitting(values, rows)
            known = [r for r in fit if original[i] is None or released[r] == original[i]]
            mine = sum(whose[r] == persons[i] for r in known)
            if own[i] in fit and known:
                best = max(best, Fraction(mine, len(known)))
        found.append(best)
    return by_person(persons, found)


def columns_that_follow(rows, own, persons, rules):
    """1 / how many persons have rows equal to the own one that show what one rule, or all of them, expect."""
    found = []
    for i, row in enumerate(own):
        best = Fraction(0)
        for some in ([rule] for rule in rules) if row is not None else ():
            best = max(best, _showing(i, rows, own, persons, some))
        if row is not None:
            best = max(best, _showing(i, rows, own, persons, rules))
        found.append(best)
    return by_person(persons, found)


def _expects(i, record, rules):
    """Whether a record shows all that rules expect of the record i."""
    return all(
        shown[record] is not None and low[i] is not None and 0 <= shown[record] - low[i] < width
        for shown, low, width in rules
    )


def _showing(i, rows, own, persons, rules):
    there = [
        j
        for j, row in enumerate(own)
        if row is not None and rows[row] == rows[own[i]] and _expects(i, j, rules)
    ]
    return Fraction(1, len({persons[j] for j in there})) if i in there else Fraction(0)


def inferred(rows, own, persons, columns):
    """By record and column: the share of persons with its value among those with rows equal to its own, and of all."""
    whose = _whose(rows, own, persons)

    def having(some, released, value):
        return Fraction(len({whose[r] for r in some if released[r] == value}), len({whose[r] for r in some}))

    for original, released in columns:
        for i, row in enumerate(own):
            if row is not None and original[i] is not None:
                alike = [r for r in range(len(rows)) if rows[r] == rows[row]]
                yield (
                    i,
                    having(alike, released, original[i]),
                    having(range(len(rows)), released, original[i]),
                )


def told(rows, own, persons, columns, chance):
    """The highest of chance(share, prior) of each person."""
    found = [Fraction(0)] * len(own)
    for i, share, prior in inferred(rows, own, persons, columns):
        found[i] = max(found[i], chance(share, prior))
    return by_person(persons, found)


def in_class(rows, own, released, record, value):
    """Of the class of a record's own row: the count of a value, all rows, the different values, the entropy."""
    alike = [r for r, row in enumerate(rows) if row == rows[own[record]]]
    held = [released[r] for r in alike]
    shares = [Fraction(held.count(v), len(held)) for v in set(held)]
    entropy = -sum(float(s) * log(s) for s in shares)
    return held.count(value), len(held), len(set(held) - {None}), exp(-entropy)


def _whose(rows, own, persons):
    """The person behind each row, None where there is none."""
    whose = [None] * len(rows)
    for record, row in enumerate(own):
        if row is not None:
            whose[row] = persons[record]
    return whose


def some_items(records, rows, own, baskets, shown, many, unknown=frozenset()):
    """The highest chance over every choice of up to `many` known items that the own row publishes."""
    found = []
    for i, values in enumerate(records):
        fit = fitting(values, rows)
        if own[i] not in fit:
            found.append(Fraction(0))
            continue
        best = Fraction(0)
        for size in range(many + 1):
            for known in combinations(sorted(baskets[i] - unknown), size):
                those = [r for r in fit if all(any(item in form for form in shown[r]) for item in known)]
                if own[i] in those:
                    best = max(best, Fraction(1, len(those)))
        found.append(best)
    return found


def own_class_items(rows, own, shown, many, unknown=frozenset()):
    """The highest chance among rows of the own class that publish the same up to `many` forms."""
    found = []
    for row in own:
        if row is None:
            found.append(Fraction(0))
            continue
        alike = [r for r in range(len(rows)) if rows[r] == rows[row]]
        forms = [form for form in shown[row] if not form & unknown]
        fewest = min(
            sum(all(form in shown[r] for form in known) for r in alike)
            for size in range(many + 1)
            for known in combinations(forms, size)
        )
        found.append(Fraction(1, fewest))
    return found


def items_that_follow(
    records, rows, own, baskets, shown, many, rules=(), column=(), tells=(), unknown=frozenset()
):
    """The highest chance among rows of the own class: of whoever knows up to `many` forms of the own row.

    Each form is known for itself, or because an item is known that tells which values of the column to expect. One of
    the rules of quasi-identifiers, none or all of them tell more.
    """
    record_of = {row: record for record, row in enumerate(own) if row is not None}
    found = []
    for i, row in enumerate(own):
        if row is None or row not in fitting(records[i], rows):
            found.append(Fraction(0))
            continue
        facts = [(form, None) for form in shown[row] if not form & unknown]
        facts += [
            (form, tells[item])
            for form, _ in list(facts)
            for item in (form & baskets[i]) - unknown
            if item in tells and column[i] in tells[item]
        ]
        kept = [rule for rule in rules if _expects(i, i, [rule])]
        fewest = min(
            sum(
                rows[r] == rows[row]
                and all(form in shown[r] for form, _ in known)
                and all(told is None or column[record_of[r]] in told for _, told in known)
                and _expects(i, record_of[r], some)
                for r in range(len(rows))
            )
            for some in ([], *([rule] for rule in kept), kept)
            for size in range(many + 1)
            for known in combinations(facts, size)
        )
        found.append(Fraction(1, fewest))
    return found


def basket_size(records, rows, own, baskets, shown, left_out, many):
    """`some_items` among rows of which the basket may have as many items: each form stands for at least one."""
    found = []
    for i, values in enumerate(records):
        size = len(baskets[i])
        right = [
            r
            for r in range(len(rows))
            if len(shown[r]) <= size and (left_out or size <= sum(map(len, shown[r])))
        ]
        if own[i] not in right:
            found.append(Fraction(0))
            continue
        part = [rows[r] for r in right], [right.index(own[i])], [baskets[i]], [shown[r] for r in right]
        found += some_items([values], *part, many)
    return found


def whole_basket_but(records, rows, own, baskets, shown, things):
    """The highest chance of whoever knows the whole basket, and one of `things` of which the person has nothing."""
    found = []
    for i, values in enumerate(records):
        fit = fitting(values, rows)
        known = {item for item in baskets[i] if own[i] in fit and any(item in form for form in shown[own[i]])}
        those = [r for r in fit if all(any(item in form for form in shown[r]) for item in known)]
        lacking = [thing for thing in things if not thing & baskets[i]]
        left = [sum(not any(form <= thing for form in shown[r]) for r in those) for thing in lacking]
        found.append(Fraction(1, min([len(those), *left])) if own[i] in fit else Fraction(0))
    return found


def sensitive_items(rows, own, shown, baskets, sensitive, many):
    """The highest share of a sensitive item of the record among rows of its class with up to `many` of its forms."""
    found = []
    for i, row in enumerate(own):
        best = Fraction(0)
        if row is not None:
            alike = [r for r in range(len(rows)) if rows[r] == rows[row]]
            open_forms = [form for form in shown[row] if not form & sensitive]
            for size in range(many + 1):
                for known in combinations(open_forms, size):
                    those = [r for r in alike if all(form in shown[r] for form in known)]
                    for item in baskets[i] & sensitive:
                        if any(item in form for form in shown[row]):
                            holders = [r for r in those if any(item in form for form in shown[r])]
                            best = max(best, Fraction(len(holders), len(those)))
        found.append(best)
    return found
