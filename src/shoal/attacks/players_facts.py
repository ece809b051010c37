"""Attackers who know a few facts of a person: items of a basket, or values of a record tree and their relations."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from shoal.attacks.attribute_disclosure import AttributeDisclosure
from shoal.attacks.background import how_many, leaves_under
from shoal.attacks.engine import ABSENCES, FactGame
from shoal.attacks.result import Outcome
from shoal.attacks.view_items import ItemView
from shoal.attacks.view_trees import TreeView
from shoal.data import Baskets
from shoal.data.lists import take
from shoal.data.types import I8
from shoal.release import Claim

__all__ = [
    "ITEM_PLAYERS",
    "TREE_PLAYERS",
    "play_items",
    "play_published_items",
    "play_published_values",
    "play_trees",
]

# Attackers who know some items of a person, against baskets whose items were generalized.


def play_items(
    seat: ItemView, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Outcome]:
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
    game = _ItemGame(seat, FactGame(seat, stated, int(stated.get("m", listed)), 0, most, rng))
    for name, play in ITEM_PLAYERS.items():
        found = play(game, name)
        if found is not None:
            yield found


@dataclass(frozen=True)
class _ItemGame:
    """A release of baskets, what is claimed of it, and what its rows tell of sensitive items."""

    seat: ItemView
    board: FactGame

    @cached_property
    def telling(self) -> AttributeDisclosure | None:
        return AttributeDisclosure.on(self.board)

    @property
    def any_items(self) -> str:
        """The items that the attackers of the claim know."""
        m = self.board.m
        kind = " that are not sensitive" if self.seat.exempt else ""
        return f"whoever knows any {m} item{'s' if m > 1 else ''}{kind} of a person"


def _m_items(game: _ItemGame, name: str) -> Outcome | None:
    claim = game.board.claim
    if "m" not in claim:
        return None
    k = int(claim.get("k", 1))
    return game.board.inside(
        name, f"{game.any_items} guesses which row is that person's", 1 / k if k > 1 else None
    )


def _listed_items(game: _ItemGame, name: str) -> Outcome | None:
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
    return Outcome(name, True, 1 / int(claim["k"]), _even(seat, people, rows), game.board.everybody, sentence)


def _even(seat: ItemView, people: I8, rows: I8) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    return np.where(seat.own[people] >= 0, 1 / np.maximum(rows, 1), 0.0)


def _sensitive_items_within_l(game: _ItemGame, name: str) -> Outcome | None:
    if "l" not in game.board.claim or game.telling is None:
        return None
    sentence = f"{game.any_items} gives each sensitive item of that person the share of rows that hold it"
    return game.telling.shared(name, sentence, 1 / int(game.board.claim["l"]))


def _one_more_item(game: _ItemGame, name: str) -> Outcome | None:
    more = game.board.m + 1
    kind = " that are not sensitive" if game.seat.exempt else ""
    sentence = f"whoever knows any {more} items{kind} of a person guesses which row is that person's"
    return game.board.knowing(name, sentence, more)


def _whole_basket(game: _ItemGame, name: str) -> Outcome | None:
    kind = " that is not sensitive" if game.seat.exempt else ""
    sentence = f"whoever knows every item{kind} of a person guesses which row is that person's"
    return game.board.knowing_all(name, sentence)


def _record_size(game: _ItemGame, name: str) -> Outcome | None:
    sentence = f"{game.any_items}, and how many items there are, guesses which row is that person's"
    return game.board.knowing_beside(name, sentence, game.seat.sizes)


def _columns_that_follow(game: _ItemGame, name: str) -> Outcome | None:
    told, m = game.seat.told_by_rules, game.board.m
    sentence = (
        f"{game.any_items}, and what follows from them in other published columns, guesses which row it is"
    )
    return None if told is None else game.board.knowing(name, sentence, m, told=told)


def _absent_items(game: _ItemGame, name: str, many: int) -> Outcome | None:
    what = "an item" if many == 1 else f"{many} items"
    sentence = (
        f"{game.any_items}, and {what} that the person does not have, guesses which row is that person's"
    )
    return game.board.absences(name, sentence, many, generalized=False)


def _absent_groups(game: _ItemGame, name: str, many: int) -> Outcome | None:
    what = "a group of items of which" if many == 1 else f"{many} groups of items of which"
    sentence = f"{game.any_items}, and {what} the person has none, guesses which row is that person's"
    return game.board.absences(name, sentence, many, generalized=True)


def _known_neighbour(game: _ItemGame, name: str) -> Outcome | None:
    sentence = (
        f"{game.any_items}, and that one of the rows that fit is somebody else's, guesses which row it is"
    )
    return game.board.one_identity(name, sentence)


def _homogeneity(game: _ItemGame, name: str) -> Outcome | None:
    sentence = f"{game.any_items} is told a sensitive item for certain, because all rows that fit hold it"
    return None if game.telling is None else game.telling.certain(name, sentence)


def _skewness(game: _ItemGame, name: str) -> Outcome | None:
    sentence = f"{game.any_items} gives a sensitive item so much more chance than the whole release gives it"
    return None if game.telling is None else game.telling.gained(name, sentence)


def _inference(game: _ItemGame, name: str) -> Outcome | None:
    sentence = f"{game.any_items} gives a sensitive item the share of rows that hold it, of those that fit"
    return None if game.telling is None else game.telling.shared(name, sentence)


def _prediction(game: _ItemGame, name: str) -> Outcome | None:
    sentence = "whoever knows all other items of a person learns from the release which items go with a sensitive one"
    return None if game.telling is None else game.telling.predicted(name, sentence)


ItemPlayer = Callable[[_ItemGame, str], Outcome | None]

ITEM_PLAYERS: dict[str, ItemPlayer] = {
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

# Attackers who know some values of a person, and which stand above which, against record trees.


def play_trees(
    seat: TreeView, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Outcome]:
    """Play every attacker of record trees that these data and this claim have a place for.

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
    game = _TreeGame(seat, FactGame(seat, stated, int(stated["m"]), int(stated["n"]), most, rng))
    for name, play in TREE_PLAYERS.items():
        found = play(game, name)
        if found is not None:
            yield found


@dataclass(frozen=True)
class _TreeGame:
    """A release of record trees, what is claimed of it, and what its rows tell of sensitive values."""

    seat: TreeView
    board: FactGame

    @cached_property
    def telling(self) -> AttributeDisclosure | None:
        return AttributeDisclosure.on(self.board)

    @property
    def any_values(self) -> str:
        """What the attackers of the claim know."""
        return _knows(self.board.m, self.board.n) + (
            f", or lacks of {', '.join(self.seat.negations)}," if self.seat.negations else ""
        )


def _knows(m: int, n: int) -> str:
    values = f"any {m} value{'s' if m > 1 else ''} of a person"
    return f"whoever knows {values}" + (f" and {n} relation{'s' if n > 1 else ''} among them" if n else "")


def _m_values_n_relations(game: _TreeGame, name: str) -> Outcome | None:
    sentence = f"{game.any_values} guesses which row is that person's"
    return game.board.inside(name, sentence, 1 / int(game.board.claim["k"]))


def _sensitive_values_within_l(game: _TreeGame, name: str) -> Outcome | None:
    if "l" not in game.board.claim or game.telling is None:
        return None
    sentence = f"{game.any_values} gives each sensitive value of that person the share of rows that hold it"
    return game.telling.shared(name, sentence, 1 / int(game.board.claim["l"]))


def _one_more_value(game: _TreeGame, name: str) -> Outcome | None:
    m, n = game.board.m + 1, game.board.n
    return game.board.knowing(name, f"{_knows(m, n)} guesses which row is that person's", m, n)


def _one_more_relation(game: _TreeGame, name: str) -> Outcome | None:
    m, n = game.board.m, game.board.n + 1
    if n > m * (m - 1) // 2:
        return None
    return game.board.knowing(name, f"{_knows(m, n)} guesses which row is that person's", m, n)


def _whole_record(game: _TreeGame, name: str) -> Outcome | None:
    sentence = "whoever knows every value of a person, and all relations, guesses which row is that person's"
    return game.board.knowing_all(name, sentence)


def _tree_size(game: _TreeGame, name: str) -> Outcome | None:
    sentence = (
        f"{game.any_values}, and how many nodes the published tree has, guesses which row is that person's"
    )
    return game.board.knowing_beside(name, sentence, game.seat.counted(game.seat.nodes))


def _fan_out(game: _TreeGame, name: str) -> Outcome | None:
    sentence = (
        f"{game.any_values}, and how many nodes at most stand under one node of the published tree, guesses which row "
        "is that person's"
    )
    return game.board.knowing_beside(name, sentence, game.seat.counted(game.seat.fan_out))


def _visits(game: _TreeGame, name: str) -> Outcome | None:
    counts = [game.seat.counted(of_row) for of_row in game.seat.visits]
    if not counts:
        return None
    sentence = (
        f"{game.any_values}, and how many nodes of one field the published tree has, such as visits, guesses which row "
        "is that person's"
    )
    return game.board.knowing_beside(name, sentence, *counts)


def _absent_values(game: _TreeGame, name: str, many: int) -> Outcome | None:
    what = "a value" if many == 1 else f"{many} values"
    sentence = (
        f"{game.any_values}, and {what} that the person does not have, guesses which row is that person's"
    )
    return game.board.absences(name, sentence, many, generalized=False)


def _absent_tree_groups(game: _TreeGame, name: str, many: int) -> Outcome | None:
    what = "a group of values of which" if many == 1 else f"{many} groups of values of which"
    sentence = f"{game.any_values}, and {what} the person has none, guesses which row is that person's"
    return game.board.absences(name, sentence, many, generalized=True)


def _known_neighbours(game: _TreeGame, name: str) -> Outcome | None:
    sentence = (
        f"{game.any_values}, and that one of the rows that fit is somebody else's, guesses which row it is"
    )
    return game.board.one_identity(name, sentence)


def _tree_homogeneity(game: _TreeGame, name: str) -> Outcome | None:
    sentence = f"{game.any_values} is told a sensitive value for certain, because all rows that fit hold it"
    return None if game.telling is None else game.telling.certain(name, sentence)


def _tree_skewness(game: _TreeGame, name: str) -> Outcome | None:
    sentence = (
        f"{game.any_values} gives a sensitive value so much more chance than the whole release gives it"
    )
    return None if game.telling is None else game.telling.gained(name, sentence)


def _tree_inference(game: _TreeGame, name: str) -> Outcome | None:
    sentence = f"{game.any_values} gives a sensitive value the share of rows that hold it, of those that fit"
    return None if game.telling is None else game.telling.shared(name, sentence)


def _tree_prediction(game: _TreeGame, name: str) -> Outcome | None:
    sentence = "whoever knows all other values of a person learns from the release which values go with a sensitive one"
    return None if game.telling is None else game.telling.predicted(name, sentence)


TREE_PLAYERS: dict[str, Callable[[_TreeGame, str], Outcome | None]] = {
    "m-values-n-relations": _m_values_n_relations,
    "sensitive-values-within-l": _sensitive_values_within_l,
    "one-more-value": _one_more_value,
    "one-more-relation": _one_more_relation,
    "whole-record": _whole_record,
    "record-size": _tree_size,
    "fan-out": _fan_out,
    "visits": _visits,
    **{f"absent-values-{many}": partial(_absent_values, many=many) for many in range(1, ABSENCES + 1)},
    **{f"absent-groups-{many}": partial(_absent_tree_groups, many=many) for many in range(1, ABSENCES + 1)},
    "known-neighbours": _known_neighbours,
    "homogeneity": _tree_homogeneity,
    "skewness": _tree_skewness,
    "inference": _tree_inference,
    "prediction": _tree_prediction,
}
"""The attackers of record trees, by name: those inside a claim first. None: there is nothing to play."""

# Whoever knows in which form a few items or values of a person were published: the most that a claim covers.
#
# An original value fits every row whose form stands for it. Somebody who knows the data of many others may also find
# out which of these forms is a person's own. Claims count forms, so they cover this attacker too.


def play_published_items(
    seat: ItemView, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Outcome]:
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
    found = next(play_items(shown, claim, most=most, rng=rng))
    many = f"any {claim.as_dict()['m']} items{' that are not sensitive' if seat.exempt else ''}"
    sentence = f"whoever knows {many} of a person in the form that was published {_GUESSES}"
    yield replace(found, name="m-published-items", sentence=sentence)


def play_published_values(
    seat: TreeView, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Outcome]:
    """Play whoever knows any m values of a person as they were published, and n relations among them."""
    shown = replace(seat, original=seat.released.take(np.maximum(seat.own, 0)), hierarchies={}, negations=())
    found = next(play_trees(shown, claim, most=most, rng=rng))
    m, n = (int(claim.as_dict()[key]) for key in ("m", "n"))
    relations = f" and {n} relation{'s' if n > 1 else ''} among them" if n else ""
    sentence = (
        f"whoever knows any {m} values of a person in the form that was published{relations} {_GUESSES}"
    )
    yield replace(found, name="m-published-values", sentence=sentence)


_GUESSES = "guesses which row is that person's"
