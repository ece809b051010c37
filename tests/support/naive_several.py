"""Several releases of the same people, slowly and from the definitions; imports nothing of shoal.

A release of a table is a dict from people to their class; of baskets, one from records to the published sets of items.
"""

from itertools import combinations


def shared(releases, person):
    """The people who are in the same class in every release; missing together counts as the same."""
    everybody = {p for release in releases for p in release}
    return {p for p in everybody if all(r.get(p, "missing") == r.get(person, "missing") for r in releases)}


def few(releases, ks):
    """Whoever shares all classes with fewer people than a release promises."""
    return {
        p for release, k in zip(releases, ks, strict=True) for p in release if len(shared(releases, p)) < k
    }


def alone(releases):
    """Whoever shares all classes with nobody."""
    return {p for release in releases for p in release if len(shared(releases, p)) == 1}


def keeps_k(releases, place, k):
    """Whether a release keeps k for whoever holds all of them."""
    return all(len(shared(releases, p)) >= k for p in releases[place])


def keeps_l(releases, place, values, l):
    """Whether a release keeps l different values for whoever holds all of them; None is no value."""
    return all(len({values[p] for p in shared(releases, p)} - {None}) >= l for p in releases[place])


def missing(releases):
    """Whoever is in some of the releases and not in all."""
    return {p for release in releases for p in release if not all(p in other for other in releases)}


def left_values(releases, values, person):
    """For each release with a person, the values that his class leaves: nobody need know whose row is whose."""
    return [
        {values[p] for p in release if release[p] == release[person]}
        for release in releases
        if person in release
    ]


def told(releases, values):
    """Whose value is the only one that all his classes hold, though no class holds one value alone."""
    found = set()
    for p in {p for release in releases for p in release}:
        sets = left_values(releases, values, p)
        if len(sets) > 1 and len(set.intersection(*sets)) == 1 and all(len(left) > 1 for left in sets):
            found.add(p)
    return found


def changed(releases, values):
    """Whoever is in several releases, in classes that do not hold the same values."""
    found = set()
    for p in {p for release in releases for p in release}:
        sets = left_values(releases, values, p)
        if any(left != sets[0] for left in sets):
            found.add(p)
    return found


def vector(releases, record, item):
    """What stands for an item of a record in each release: published sets, or that the record is missing."""
    return tuple(
        frozenset(form for form in release[record] if item in form) if record in release else "missing"
        for release in releases
    )


def vectors(releases, baskets, record):
    """What each release shows of a record's items, side by side; an item that none shows is left out."""
    found = {vector(releases, record, item) for item in baskets[record]}
    return {labels for labels in found if any(part and part != "missing" for part in labels)}


def keeps_km(releases, place, baskets, k, m):
    """Whether k records have any up to m of a record's items in the same labels."""
    held = {record: vectors(releases, baskets, record) for record in range(len(baskets))}
    for record in releases[place]:
        for size in range(1, m + 1):
            for known in combinations(sorted(held[record], key=repr), size):
                if sum(set(known) <= other for other in held.values()) < k:
                    return False
    return True


def candidates(releases, baskets, record, known):
    """Records that fit some known items of a record in every release that has it: the attacker's own count."""
    return [
        other
        for other in range(len(baskets))
        if all(
            other in release
            and all(
                any(item in form for form in release[other])
                for item in known
                if any(item in form for form in release[record])
            )
            for release in releases
            if record in release
        )
    ]
