"""Attackers who know some values of a person, and which stand above which, against record trees."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from shoal.attacks.board import ABSENCES, Board
from shoal.attacks.played import Played
from shoal.attacks.telling import Telling
from shoal.attacks.tree_seat import TreeSeat
from shoal.release import Claim

__all__ = ["PLAYERS", "players"]


def players(
    seat: TreeSeat, claim: Claim, *, most: int | None = None, rng: np.random.Generator | None = None
) -> Iterator[Played]:
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
    game = _Game(seat, Board(seat, stated, int(stated["m"]), int(stated["n"]), most, rng))
    for name, play in PLAYERS.items():
        found = play(game, name)
        if found is not None:
            yield found


@dataclass(frozen=True)
class _Game:
    """A release of record trees, what is claimed of it, and what its rows tell of sensitive values."""

    seat: TreeSeat
    board: Board

    @cached_property
    def telling(self) -> Telling | None:
        return Telling.on(self.board)

    @property
    def any_values(self) -> str:
        """What the attackers of the claim know."""
        return _knows(self.board.m, self.board.n) + (
            f", or lacks of {', '.join(self.seat.negations)}," if self.seat.negations else ""
        )


def _knows(m: int, n: int) -> str:
    values = f"any {m} value{'s' if m > 1 else ''} of a person"
    return f"whoever knows {values}" + (f" and {n} relation{'s' if n > 1 else ''} among them" if n else "")


def _m_values_n_relations(game: _Game, name: str) -> Played | None:
    sentence = f"{game.any_values} guesses which row is that person's"
    return game.board.inside(name, sentence, 1 / int(game.board.claim["k"]))


def _sensitive_values_within_l(game: _Game, name: str) -> Played | None:
    if "l" not in game.board.claim or game.telling is None:
        return None
    sentence = f"{game.any_values} gives each sensitive value of that person the share of rows that hold it"
    return game.telling.shared(name, sentence, 1 / int(game.board.claim["l"]))


def _one_more_value(game: _Game, name: str) -> Played | None:
    m, n = game.board.m + 1, game.board.n
    return game.board.knowing(name, f"{_knows(m, n)} guesses which row is that person's", m, n)


def _one_more_relation(game: _Game, name: str) -> Played | None:
    m, n = game.board.m, game.board.n + 1
    if n > m * (m - 1) // 2:
        return None
    return game.board.knowing(name, f"{_knows(m, n)} guesses which row is that person's", m, n)


def _whole_record(game: _Game, name: str) -> Played | None:
    sentence = "whoever knows every value of a person, and all relations, guesses which row is that person's"
    return game.board.knowing_all(name, sentence)


def _record_size(game: _Game, name: str) -> Played | None:
    sentence = (
        f"{game.any_values}, and how many nodes the published tree has, guesses which row is that person's"
    )
    return game.board.knowing_beside(name, sentence, game.seat.counted(game.seat.nodes))


def _fan_out(game: _Game, name: str) -> Played | None:
    sentence = (
        f"{game.any_values}, and how many nodes at most stand under one node of the published tree, guesses which row "
        "is that person's"
    )
    return game.board.knowing_beside(name, sentence, game.seat.counted(game.seat.fan_out))


def _visits(game: _Game, name: str) -> Played | None:
    counts = [game.seat.counted(of_row) for of_row in game.seat.visits]
    if not counts:
        return None
    sentence = (
        f"{game.any_values}, and how many nodes of one field the published tree has, such as visits, guesses which row "
        "is that person's"
    )
    return game.board.knowing_beside(name, sentence, *counts)


def _absent_values(game: _Game, name: str, many: int) -> Played | None:
    what = "a value" if many == 1 else f"{many} values"
    sentence = (
        f"{game.any_values}, and {what} that the person does not have, guesses which row is that person's"
    )
    return game.board.absences(name, sentence, many, generalized=False)


def _absent_groups(game: _Game, name: str, many: int) -> Played | None:
    what = "a group of values of which" if many == 1 else f"{many} groups of values of which"
    sentence = f"{game.any_values}, and {what} the person has none, guesses which row is that person's"
    return game.board.absences(name, sentence, many, generalized=True)


def _known_neighbours(game: _Game, name: str) -> Played | None:
    sentence = (
        f"{game.any_values}, and that one of the rows that fit is somebody else's, guesses which row it is"
    )
    return game.board.one_identity(name, sentence)


def _homogeneity(game: _Game, name: str) -> Played | None:
    sentence = f"{game.any_values} is told a sensitive value for certain, because all rows that fit hold it"
    return None if game.telling is None else game.telling.certain(name, sentence)


def _skewness(game: _Game, name: str) -> Played | None:
    sentence = (
        f"{game.any_values} gives a sensitive value so much more chance than the whole release gives it"
    )
    return None if game.telling is None else game.telling.gained(name, sentence)


def _inference(game: _Game, name: str) -> Played | None:
    sentence = f"{game.any_values} gives a sensitive value the share of rows that hold it, of those that fit"
    return None if game.telling is None else game.telling.shared(name, sentence)


def _prediction(game: _Game, name: str) -> Played | None:
    sentence = "whoever knows all other values of a person learns from the release which values go with a sensitive one"
    return None if game.telling is None else game.telling.predicted(name, sentence)


PLAYERS: dict[str, Callable[[_Game, str], Played | None]] = {
    "m-values-n-relations": _m_values_n_relations,
    "sensitive-values-within-l": _sensitive_values_within_l,
    "one-more-value": _one_more_value,
    "one-more-relation": _one_more_relation,
    "whole-record": _whole_record,
    "record-size": _record_size,
    "fan-out": _fan_out,
    "visits": _visits,
    **{f"absent-values-{many}": partial(_absent_values, many=many) for many in range(1, ABSENCES + 1)},
    **{f"absent-groups-{many}": partial(_absent_groups, many=many) for many in range(1, ABSENCES + 1)},
    "known-neighbours": _known_neighbours,
    "homogeneity": _homogeneity,
    "skewness": _skewness,
    "inference": _inference,
    "prediction": _prediction,
}
"""The attackers of record trees, by name: those inside a claim first. None: there is nothing to play."""
