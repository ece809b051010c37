"""Slow twins of the claims about shares of sensitive values, from the definitions; nothing here may import shoal.

cells   : the sensitive value of each row, None where the cell is empty
persons : who each row belongs to
members : the row places of a class
whole   : the row places of all that is released
"""

from fractions import Fraction
from itertools import product
from math import log

from naive import classes


def share(value, places, cells, persons):
    """The share of persons in some rows who have a value in any of them."""
    having = {persons[place] for place in places if cells[place] == value}
    return Fraction(len(having), len({persons[place] for place in places}))


def unlike(members, whole, cells, persons, beta, likeness):
    """Whether a class breaks beta-likeness: some value is likelier in it than it may become."""
    for value in {cells[place] for place in whole}:
        p, q = share(value, whole, cells, persons), share(value, members, cells, persons)
        if q > p:
            gain = (q - p) / p
            if gain > beta or (likeness == "enhanced" and gain > -log(p)):
                return True
    return False


def gain(members, whole, cells, persons):
    """The largest gain of any value in a class; 0 where none becomes likelier."""
    found = [Fraction(0)]
    for value in {cells[place] for place in whole}:
        p, q = share(value, whole, cells, persons), share(value, members, cells, persons)
        found.append((q - p) / p)
    return max(found)


def telling(members, whole, cells, persons, factor):
    """Whether a class breaks delta-disclosure privacy with delta = ln(factor).

    |ln(q / p)| < ln(factor) means 1 / factor < q / p < factor, which fractions decide without rounding.
    """
    for value in {cells[place] for place in whole}:
        p, q = share(value, whole, cells, persons), share(value, members, cells, persons)
        if not (1 / Fraction(factor) < q / p < Fraction(factor)):
            return True
    return False


def frequent(members, cells, persons, alpha):
    """Whether a class breaks alpha: every way to fill its empty cells in is tried, with any value or a new one."""
    return top_share(members, cells, persons) > alpha


def top_share(members, cells, persons):
    """The largest share that a value can have, whatever the empty cells of the class hide."""
    gaps = [place for place in members if cells[place] is None]
    known = {cells[place] for place in members} - {None}
    most = Fraction(0)
    for filling in product([*sorted(known), "new"], repeat=len(gaps)):
        filled = {place: cells[place] for place in members} | dict(zip(gaps, filling, strict=True))
        for value in set(filled.values()):
            most = max(most, share(value, members, filled, persons))
    return most


def hidden_share(members, cells, persons, hidden):
    """The share of the persons of a class of whom any row has a hidden value, or nothing."""
    exposed = {(persons[place],) for place in members if cells[place] is None or cells[place] in hidden}
    return Fraction(len(exposed), len({(persons[place],) for place in members}))


def average_risk(found, persons):
    """The mean over all persons of 1 / (persons of the smallest of the classes that they are in)."""
    sizes = {}
    for members in found:
        inside = {persons[place] for place in members}
        for person in inside:
            sizes[person] = min(sizes.get(person, len(inside)), len(inside))
    return sum(Fraction(1, size) for size in sizes.values()) / len(sizes)


def people_like(row, people, stands):
    """How many people have, in every column, a value that the row's label stands for."""
    return sum(
        all(
            value in stands[j].get(label, ())
            for j, (label, value) in enumerate(zip(row, person, strict=True))
        )
        for person in people
    )


def rows_of(rows, broken):
    """The row numbers, from 1, of the classes that are broken; `broken` takes the members of one."""
    return sorted(place + 1 for members in classes(rows) if broken(members) for place in members)


def remaining(found, wrong, unfit):
    """The rows left of some classes: those that are wrong on their own go, then, until none is left, the unfit ones.

    `wrong` takes the members of a class, `unfit` also all rows that are still there.
    """
    found = [members for members in found if not wrong(members)]
    while True:
        whole = [place for members in found for place in members]
        fit = [members for members in found if not unfit(members, whole)]
        if len(fit) == len(found):
            return sorted(whole)
        found = fit
