"""The slow twin of whoever has a register: every way to give rows to people; nothing here may import shoal.

A hierarchy is a list of paths, one per leaf, leaf first. A class is its labels, one per column, and its number of rows.
"""

from itertools import combinations


def label_over(leaves, paths):
    """The lowest label over some leaves."""
    return next(
        labels.pop()
        for level in range(len(paths[0]))
        if len(labels := {paths[leaf][level] for leaf in leaves}) == 1
    )


def fits(person, labels, paths):
    """Whether a person can stand in a row with these labels."""
    return all(label in paths[leaf] for leaf, label in zip(person, labels, strict=True))


def certain(register, classes, paths, narrow):
    """The places of those who have a row in every world; labels are the lowest over each class where `narrow`."""
    found = None
    for world in _worlds([*range(len(register))], register, classes, paths, narrow):
        found = world if found is None else found & world
    return found


def _worlds(left, register, classes, paths, narrow):
    """Everybody who has a row, for each way to fill all classes with different people."""
    if not classes:
        yield frozenset()
        return
    (labels, rows), *others = classes
    for some in combinations([i for i in left if fits(register[i], labels, paths)], rows):
        people = [register[i] for i in some]
        sides = zip(*people, strict=True)
        if narrow and any(
            label_over(side, paths) != label for side, label in zip(sides, labels, strict=True)
        ):
            continue
        for world in _worlds([i for i in left if i not in some], register, others, paths, narrow):
            yield world | frozenset(some)
