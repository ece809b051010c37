"""The audit as tables: who finds people, what look-alikes give away, how long each step took."""

from collections.abc import Mapping, Sequence

from shoal.report.facts import Exposed, Learned
from shoal.report.parts import Table
from shoal.report.words import NONE, label, number, percent

__all__ = ["exposed", "learned", "times"]

_LEARNED = {
    "l": ("fewest different values among look-alikes (distinct l)", number),
    "entropy": ("fewest values, counted by how evenly they are spread (entropy l)", number),
    "t": ("how far look-alikes are from all records at most: 0 is alike, 1 is not at all (t)", number),
    "share": ("largest share of look-alikes that has one value", percent),
    "given_away": ("records whose look-alikes all have the same value, so that it is given away", percent),
}


def exposed(found: Sequence[Exposed]) -> Table:
    """The chances of a prosecutor, a journalist and a marketer, for each thing that may be known."""
    rows = [row for one in found for row in _attackers(one)]
    head = ("What is known", "Attacker", "Before", "After")
    return Table("The chance of finding a person, by what is known and by whom", head, rows, (2, 3))


def _attackers(one: Exposed) -> list[tuple[str, str, str, str]]:
    """What each of the three achieves."""

    def both(key: str, words: str = "") -> tuple[str, str]:
        sides = [percent(side.get(key)) for side in (one.before, one.after)]
        return (_at(words, sides[0]), _at(words, sides[1]))

    limit = percent(one.threshold)
    outside = both("outside") if "outside" in one.before else both("highest", "at most")
    return [
        (one.known, "prosecutor, for whoever is found most easily", *both("highest")),
        (one.known, f"prosecutor, share of people with a chance above {limit}", *both("above")),
        (one.known, "journalist, for whoever is found most easily", *outside),
        (one.known, "marketer, share of people matched rightly", *both("average")),
    ]


def _at(words: str, share: str) -> str:
    return share if share == NONE else f"{words} {share}".strip()


def learned(found: Sequence[Learned]) -> Table:
    """The l and t that are reached in each sensitive column, and whom one value gives away."""
    rows = [
        (_named(one), words, write(one.before[key]), write(one.after[key]))
        for one in found
        for key, (words, write) in _LEARNED.items()
        if key in one.before
    ]
    return Table(
        "What is reached, whatever the claim asks for", ("Column", "Figure", "Before", "After"), rows, (2, 3)
    )


def _named(one: Learned) -> str:
    """The column, with what is known of whoever looks alike."""
    return f"{label(one.column)} (known: {one.known})" if one.known else label(one.column)


def times(seconds: Mapping[str, float]) -> Table:
    """How long each step took."""
    rows = [(label(what), f"{spent:.1f} s" if spent >= 0.05 else "<0.1 s") for what, spent in seconds.items()]
    return Table("Time of each step until this page was written", ("Step", "Time"), rows, (1,))
