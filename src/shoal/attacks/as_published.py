"""Whoever knows in which form a few items or values of a person were published: the most that a claim covers.

An original value fits every row whose form stands for it. Somebody who knows the data of many others may also find out
which of these forms is a person's own. Claims count forms, so they cover this attacker too.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from shoal.attacks import baskets, trees
from shoal.attacks.item_seat import ItemSeat
from shoal.attacks.played import Played
from shoal.attacks.tree_seat import TreeSeat
from shoal.attacks.words import leaves_under
from shoal.data import Baskets
from shoal.data.lists import take
from shoal.release import Claim

__all__ = ["published_items", "published_values"]


def published_items(
    seat: ItemSeat, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Played]:
    """Play whoever knows any m items of a person as they were published."""
    if "m" not in claim.as_dict():
        return
    meant = [frozenset(leaves_under(entry, seat.hierarchy)) for entry in seat.entries]
    number = {leaves: code for code, leaves in enumerate(dict.fromkeys(meant))}
    codes = np.array([number[leaves] for leaves in meant], dtype=np.int32)
    names = tuple(str(code) for code in range(len(number)))
    secret = {frozenset([seat.original.values[code]]) for code in seat.original.sensitive}
    start, items = take(seat.start, codes[seat.items], np.maximum(seat.own, 0))
    own = Baskets("items", names, start, items, frozenset(number[one] for one in secret if one in number))
    shown = replace(seat, original=own, items=codes[seat.items], entries=names, hierarchy=None, follows=None)
    found = next(baskets.players(shown, claim, most=most, rng=rng))
    many = f"any {claim.as_dict()['m']} items{' that are not sensitive' if seat.exempt else ''}"
    sentence = f"whoever knows {many} of a person in the form that was published {_GUESSES}"
    yield replace(found, name="m-published-items", sentence=sentence)


def published_values(
    seat: TreeSeat, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Played]:
    """Play whoever knows any m values of a person as they were published, and n relations among them."""
    shown = replace(seat, original=seat.released.take(np.maximum(seat.own, 0)), hierarchies={}, negations=())
    found = next(trees.players(shown, claim, most=most, rng=rng))
    m, n = (int(claim.as_dict()[key]) for key in ("m", "n"))
    relations = f" and {n} relation{'s' if n > 1 else ''} among them" if n else ""
    sentence = (
        f"whoever knows any {m} values of a person in the form that was published{relations} {_GUESSES}"
    )
    yield replace(found, name="m-published-values", sentence=sentence)


_GUESSES = "guesses which row is that person's"
