"""Attackers who know a few facts of a person: items of a basket, or values of a record tree and their relations."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from shoal.attacks.background import count_rows_with_facts
from shoal.attacks.engine import (
    Chances,
    FactGame,
    Player,
    Weigh,
    absence_players,
    inference_players,
    play_all,
    weigh_by_share,
)
from shoal.attacks.players_singling_out import list_children, play_lowest_cut
from shoal.attacks.result import Outcome
from shoal.attacks.view_items import ItemView
from shoal.attacks.view_trees import TreeView
from shoal.data import Baskets, Trees
from shoal.data.arrays import I4, I8
from shoal.release import Claim

__all__ = ["ITEM_PLAYERS", "TREE_PLAYERS", "play_items", "play_trees"]


@dataclass(frozen=True)
class _ItemGame(FactGame):
    view: ItemView


@dataclass(frozen=True)
class _TreeGame(FactGame):
    view: TreeView

    @property
    def attacker_text(self) -> str:
        """The same, or what the claim allows to be known that a person lacks."""
        lacks = f", or lacks of {', '.join(self.view.negations)}," if self.view.negations else ""
        return f"anyone who knows {self.view.knowledge(self.m, self.n)}{lacks}"

    @cached_property
    def of_nodes(self) -> "_TreeGame | None":
        """The game of whoever counts nodes, where the claim speaks of them; one relation of them is known at most.

        Of more relations it would matter which of equal nodes have them, and facts do not tell.
        """
        if self.claim.get("repeats") != "keep":
            return None
        return replace(self, view=replace(self.view, often=self.m + 1), n=min(self.n, 1))


def play_items(
    view: ItemView,
    claim: Claim,
    *,
    crowd: I8 | None = None,
    most: int | None = None,
    rng: np.random.Generator | None = None,
) -> Iterator[Outcome]:
    """Play every attacker of generalized baskets that these data and this claim have a place for; see `play_table`.

    `crowd` is int64[rows], how few rows share some m forms with each row, where somebody counted that for all rows.
    """
    claim_facts = claim.as_dict()
    listed = max(map(len, claim_facts.get("itemsets", [[]])))
    return play_all(
        ITEM_PLAYERS, _ItemGame(view, claim_facts, most, rng, crowd, int(claim_facts.get("m", listed)))
    )


def play_trees(
    view: TreeView,
    claim: Claim,
    *,
    crowd: I8 | None = None,
    most: int | None = None,
    rng: np.random.Generator | None = None,
) -> Iterator[Outcome]:
    """Play every attacker of record trees that these data and this claim have a place for; see `play_items`."""
    claim_facts = claim.as_dict()
    numbers = int(claim_facts["m"]), int(claim_facts["n"])
    return play_all(TREE_PLAYERS, _TreeGame(view, claim_facts, most, rng, crowd, *numbers))


_GUESSES = "guesses which row belongs to that person"


def _guess_sentence(more: str = "", end: str = _GUESSES) -> Callable[[FactGame], str]:
    """The sentence of whoever knows as much as the claim allows, something more, and guesses a row."""
    return lambda game: f"{game.attacker_text}{more} {end}"


def _highest_allowed(game: FactGame) -> float | None:
    """The chance that the claim allows; None where it allows every one."""
    k = int(game.claim.get("k", 1))
    return 1 / k if k > 1 else None


def _absence_sentence(what: str, game: FactGame) -> str:
    return f"{game.attacker_text}, and {what}, {_GUESSES}"


def _play_published_form(game: FactGame) -> Chances | None:
    """Whoever knows forms: counted for everybody, or for the people who are played."""
    if "m" not in game.claim or not game.view.n:  # claims about m values count forms, so they cover it
        return None
    return game.by_crowd or game.form_game.inside()


def _play_listed_items(game: _ItemGame) -> Chances | None:
    view = game.view
    if "itemsets" not in game.claim:
        return None
    people = game.some(game.everybody)
    rows = np.full(len(people), view.n, dtype=np.int64)
    for itemset in game.claim["itemsets"]:
        rows = np.minimum(
            rows, count_rows_with_facts(view.claim_background.bits, view.itemset_keys(itemset)[people])
        )
    return game.even(people, np.maximum(rows, 1))


def _play_disclosure(weigh: Weigh, game: FactGame) -> Chances | None:
    return None if game.disclosure is None else game.disclosure.play_by_share(weigh)


def _play_within_l(game: FactGame) -> Chances | None:
    return _play_disclosure(weigh_by_share, game) if "l" in game.claim else None


def _play_lowest_items(game: _ItemGame) -> Chances | None:
    view = game.view
    code_of_value = {value: code for code, value in enumerate(view.original.values)}
    labels = {
        e: [[code_of_value.get(leaf, -1) for leaf in part] for part in list_children(entry, view.hierarchy)]
        for e, entry in enumerate(view.entries)
    }
    return _play_lowest_parts(view.own, labels, (view.start, view.items), view.original)


def _play_lowest_values(game: _TreeGame) -> Chances | None:
    original, released, trees = game.view.original, game.view.released, game.view.hierarchies
    names = [original.classes[kind] for kind in original.kinds.tolist()]
    code_of_pair = {pair: code for code, pair in enumerate(zip(names, original.values, strict=True))}
    labels = {}
    for e, (kind, value) in enumerate(zip(released.kinds.tolist(), released.values, strict=True)):
        name = released.classes[kind]
        parts = list_children(value, trees.get(name))
        labels[e] = [[code_of_pair.get((name, leaf), -1) for leaf in part] for part in parts]
    return _play_lowest_parts(game.view.own, labels, (released.start, released.items), original)


def _play_lowest_parts(
    own: I8, labels: dict[int, list[list[int]]], rows: tuple[I8, I4], original: Baskets | Trees
) -> Chances | None:
    published = ([] if row < 0 else rows[1][rows[0][row] : rows[0][row + 1]].tolist() for row in own.tolist())
    original_values = (original.items[a:b].tolist() for a, b in pairwise(original.start.tolist()))
    return play_lowest_cut(labels, zip(published, original_values, strict=True))


_LOWEST = (
    "anyone who knows that labels are no wider than necessary concludes that at least two parts of each label "
    "are in use, and describes anyone who alone has something outside one part"
)


def _play_columns_that_follow(game: _ItemGame) -> Chances | None:
    background = game.view.rule_background
    return None if background is None else game.knowing(game.m, told=background)


def _play_on_nodes(play: Callable[[_TreeGame], Chances | None]) -> Callable[[_TreeGame], Chances | None]:
    """An attacker who counts nodes, where the claim speaks of them."""
    return lambda game: None if game.of_nodes is None else play(game.of_nodes)


def _node_sentence(end: str = _GUESSES, more: int = 0) -> Callable[[_TreeGame], str]:
    def words(game: _TreeGame) -> str:
        nodes = game.of_nodes or game
        return f"anyone who knows {nodes.view.knowledge(nodes.m + more, nodes.n)} {end}"

    return words


def _describe_relations(game: _TreeGame) -> str:
    return f" and {game.n} relation{'s' if game.n > 1 else ''} among them" if game.n else ""


def _play_one_more_relation(game: _TreeGame) -> Chances | None:
    n = game.n + 1
    return None if n > game.m * (game.m - 1) // 2 else game.knowing(game.m, n)


def _play_visits(game: _TreeGame) -> Chances | None:
    counts = [game.view.lines_by_number(of_row) for of_row in game.view.visits]
    return game.knowing_beside(*counts) if counts else None


def _make_one_more_player(thing: str) -> Player[FactGame]:
    return Player(
        f"one-more-{thing}",
        lambda game: f"anyone who knows {game.view.knowledge(game.m + 1, game.n)} {_GUESSES}",
        lambda game: game.knowing(game.m + 1, game.n),
    )


def _make_disclosure_players(thing: str) -> Iterator[Player[FactGame]]:
    """Whoever knows whose some other row is, and whoever finds nobody, but is told something sensitive."""
    yield Player(
        "known-neighbours",
        _guess_sentence(
            ", and that one of the rows that fit belongs to somebody else,", "guesses which row it is"
        ),
        lambda game: game.one_identity(),
    )
    yield from inference_players(
        _play_disclosure,
        _guess_sentence(end=f"learns a sensitive {thing} for certain, because all rows that fit hold it"),
        _guess_sentence(
            end=f"thinks a sensitive {thing} that much more likely than the whole release suggests"
        ),
        _guess_sentence(
            end=f"takes as the chance of a sensitive {thing} the share of the fitting rows that hold it"
        ),
    )
    yield Player(
        "prediction",
        f"anyone who knows all other {thing}s of a person learns from the release which {thing}s go with a "
        f"sensitive one",
        lambda game: None if game.disclosure is None else game.disclosure.play_predictor(),
    )


def _make_sensitive_player(thing: str) -> Player[FactGame]:
    return Player(
        f"sensitive-{thing}s-within-l",
        _guess_sentence(
            end=f"takes as the chance of each sensitive {thing} of that person the share of rows that hold it"
        ),
        _play_within_l,
        lambda game: 1 / game.number("l"),
    )


ITEM_PLAYERS: tuple[Player[_ItemGame], ...] = (
    Player(
        "m-items",
        _guess_sentence(),
        lambda game: game.inside() if "m" in game.claim else None,
        _highest_allowed,
    ),
    Player(
        "listed-items",
        "anyone who knows those items of a person that stand in one of the listed sets guesses which row it is",
        _play_listed_items,
        lambda game: 1 / game.number("k"),
    ),
    _make_sensitive_player("item"),
    _make_one_more_player("item"),
    Player(
        "whole-basket",
        lambda game: (
            f"anyone who knows every item{' that is not sensitive' if game.view.exempt else ''} of a person {_GUESSES}"
        ),
        lambda game: game.knowing_all(),
    ),
    Player(
        "record-size",
        _guess_sentence(", and how many items there are,"),
        lambda game: game.knowing_beside(game.view.sizes),
    ),
    Player(
        "columns-that-follow",
        _guess_sentence(
            ", and what follows from them in other published columns,", "guesses which row it is"
        ),
        _play_columns_that_follow,
    ),
    Player("lowest-labels", _LOWEST, _play_lowest_items),
    *absence_players("item", _absence_sentence),
    *_make_disclosure_players("item"),
    Player(
        "m-published-items",
        lambda game: (
            f"anyone who knows any {game.m} items{game.view.open_kind} of a person in the form that was published "
            f"{_GUESSES}"
        ),
        _play_published_form,
        _highest_allowed,
    ),
)
"""The attackers of generalized baskets: those inside a claim first."""

TREE_PLAYERS: tuple[Player[_TreeGame], ...] = (
    Player(
        "m-values-n-relations",
        _guess_sentence(),
        lambda game: game.inside(),
        lambda game: 1 / game.number("k"),
    ),
    Player(
        "m-nodes-n-relations",
        _node_sentence(),
        _play_on_nodes(lambda game: game.inside()),
        lambda game: 1 / game.number("k"),
    ),
    _make_sensitive_player("value"),
    Player(
        "sensitive-values-by-nodes-within-l",
        _node_sentence(
            "takes as the chance of each sensitive value of that person the share of rows that hold it"
        ),
        _play_on_nodes(_play_within_l),
        lambda game: 1 / game.number("l"),
    ),
    _make_one_more_player("value"),
    Player(
        "one-more-node",
        _node_sentence(more=1),
        _play_on_nodes(lambda game: game.knowing(game.m + 1, game.n)),
    ),
    Player(
        "one-more-relation",
        lambda game: f"anyone who knows {game.view.knowledge(game.m, game.n + 1)} {_GUESSES}",
        _play_one_more_relation,
    ),
    Player(
        "whole-record",
        f"anyone who knows every value of a person, and all relations, {_GUESSES}",
        lambda game: game.knowing_all(),
    ),
    Player(
        "record-size",
        _guess_sentence(", and how many nodes the published tree has,"),
        lambda game: game.knowing_beside(game.view.lines_by_number(game.view.nodes)),
    ),
    Player(
        "fan-out",
        _guess_sentence(", and how many nodes at most stand under one node of the published tree,"),
        lambda game: game.knowing_beside(game.view.lines_by_number(game.view.fan_out)),
    ),
    Player(
        "visits",
        _guess_sentence(", and how many nodes of one field the published tree has, such as visits,"),
        _play_visits,
    ),
    Player("lowest-labels", _LOWEST, _play_lowest_values),
    *absence_players("value", _absence_sentence),
    *_make_disclosure_players("value"),
    Player(
        "m-published-values",
        lambda game: (
            f"anyone who knows any {game.m} values of a person in the form that was "
            f"published{_describe_relations(game)} {_GUESSES}"
        ),
        _play_published_form,
        lambda game: 1 / game.number("k"),
    ),
    Player(
        "m-published-nodes",
        _node_sentence(f"in the form that was published {_GUESSES}"),
        _play_on_nodes(lambda game: game.form_game.inside() if game.view.n else None),
        lambda game: 1 / game.number("k"),
    ),
)
"""The attackers of record trees: those inside a claim first."""
