"""Attackers who know some items of a person, against baskets whose items were generalized."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from shoal.attacks.board import ABSENCES, Board
from shoal.attacks.item_seat import ItemSeat
from shoal.attacks.played import Played
from shoal.attacks.row_bits import how_many
from shoal.attacks.telling import Telling
from shoal.data.types import I8
from shoal.release import Claim

__all__ = ["PLAYERS", "players"]


def players(
    seat: ItemSeat, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Played]:
    """Play every attacker of generalized baskets that these data and this claim have a place for.

    Parameters
    ----------
    seat
        The release beside its originals.
    claim
        What the release claims; attackers inside it get their bounds from it.
    most
        How many people are played at most, drawn evenly; None means as many as a few seconds allow.
    rng
        Who is drawn; None means randomness of the operating system.
    """
    stated = claim.as_dict()
    listed = max(map(len, stated.get("itemsets", [[]])))
    game = _Game(seat, Board(seat, stated, int(stated.get("m", listed)), 0, most, rng))
    for name, play in PLAYERS.items():
        found = play(game, name)
        if found is not None:
            yield found


@dataclass(frozen=True)
class _Game:
    """A release of baskets, what is claimed of it, and what its rows tell of sensitive items."""

    seat: ItemSeat
    board: Board

    @cached_property
    def telling(self) -> Telling | None:
        return Telling.on(self.board)

    @property
    def any_items(self) -> str:
        """The items that the attackers of the claim know."""
        m = self.board.m
        kind = " that are not sensitive" if self.seat.exempt else ""
        return f"whoever knows any {m} item{'s' if m > 1 else ''}{kind} of a person"


def _m_items(game: _Game, name: str) -> Played | None:
    claim = game.board.claim
    if "m" not in claim:
        return None
    k = int(claim.get("k", 1))
    return game.board.inside(
        name, f"{game.any_items} guesses which row is that person's", 1 / k if k > 1 else None
    )


def _listed_items(game: _Game, name: str) -> Played | None:
    claim, seat = game.board.claim, game.seat
    if "itemsets" not in claim:
        return None
    people = game.board.some(game.board.everybody)
    rows = np.full(len(people), seat.n, dtype=np.int64)
    for itemset in claim["itemsets"]:
        rows = np.minimum(rows, how_many(seat.told.bits, seat.listed(itemset)[people]))
    sentence = (
        "whoever knows those items of a person that stand in one of the listed sets guesses which row it is"
    )
    return Played(name, True, 1 / int(claim["k"]), _even(seat, people, rows), game.board.everybody, sentence)


def _even(seat: ItemSeat, people: I8, rows: I8) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.where(seat.own[people] >= 0, 1 / np.maximum(rows, 1), 0.0)


def _sensitive_items_within_l(game: _Game, name: str) -> Played | None:
    if "l" not in game.board.claim or game.telling is None:
        return None
    sentence = f"{game.any_items} gives each sensitive item of that person the share of rows that hold it"
    return game.telling.shared(name, sentence, 1 / int(game.board.claim["l"]))


def _one_more_item(game: _Game, name: str) -> Played | None:
    more = game.board.m + 1
    kind = " that are not sensitive" if game.seat.exempt else ""
    sentence = f"whoever knows any {more} items{kind} of a person guesses which row is that person's"
    return game.board.knowing(name, sentence, more)


def _whole_basket(game: _Game, name: str) -> Played | None:
    kind = " that is not sensitive" if game.seat.exempt else ""
    sentence = f"whoever knows every item{kind} of a person guesses which row is that person's"
    return game.board.knowing_all(name, sentence)


def _record_size(game: _Game, name: str) -> Played | None:
    sentence = f"{game.any_items}, and how many items there are, guesses which row is that person's"
    return game.board.knowing_beside(name, sentence, game.seat.sizes)


def _columns_that_follow(game: _Game, name: str) -> Played | None:
    told, m = game.seat.told_by_rules, game.board.m
    sentence = (
        f"{game.any_items}, and what follows from them in other published columns, guesses which row it is"
    )
    return None if told is None else game.board.knowing(name, sentence, m, told=told)


def _absent_items(game: _Game, name: str, many: int) -> Played | None:
    what = "an item" if many == 1 else f"{many} items"
    sentence = (
        f"{game.any_items}, and {what} that the person does not have, guesses which row is that person's"
    )
    return game.board.absences(name, sentence, many, generalized=False)


def _absent_groups(game: _Game, name: str, many: int) -> Played | None:
    what = "a group of items of which" if many == 1 else f"{many} groups of items of which"
    sentence = f"{game.any_items}, and {what} the person has none, guesses which row is that person's"
    return game.board.absences(name, sentence, many, generalized=True)


def _known_neighbour(game: _Game, name: str) -> Played | None:
    sentence = (
        f"{game.any_items}, and that one of the rows that fit is somebody else's, guesses which row it is"
    )
    return game.board.one_identity(name, sentence)


def _homogeneity(game: _Game, name: str) -> Played | None:
    sentence = f"{game.any_items} is told a sensitive item for certain, because all rows that fit hold it"
    return None if game.telling is None else game.telling.certain(name, sentence)


def _skewness(game: _Game, name: str) -> Played | None:
    sentence = f"{game.any_items} gives a sensitive item so much more chance than the whole release gives it"
    return None if game.telling is None else game.telling.gained(name, sentence)


def _inference(game: _Game, name: str) -> Played | None:
    sentence = f"{game.any_items} gives a sensitive item the share of rows that hold it, of those that fit"
    return None if game.telling is None else game.telling.shared(name, sentence)


def _prediction(game: _Game, name: str) -> Played | None:
    sentence = "whoever knows all other items of a person learns from the release which items go with a sensitive one"
    return None if game.telling is None else game.telling.predicted(name, sentence)


Player = Callable[[_Game, str], Played | None]

PLAYERS: dict[str, Player] = {
    "m-items": _m_items,
    "listed-items": _listed_items,
    "sensitive-items-within-l": _sensitive_items_within_l,
    "one-more-item": _one_more_item,
    "whole-basket": _whole_basket,
    "record-size": _record_size,
    "columns-that-follow": _columns_that_follow,
    **{f"absent-items-{many}": partial(_absent_items, many=many) for many in range(1, ABSENCES + 1)},
    **{f"absent-groups-{many}": partial(_absent_groups, many=many) for many in range(1, ABSENCES + 1)},
    "known-neighbours": _known_neighbour,
    "homogeneity": _homogeneity,
    "skewness": _skewness,
    "inference": _inference,
    "prediction": _prediction,
}
"""The attackers of generalized baskets, by name: those inside a claim first. None: there is nothing to play."""
