"""Roles that somebody stated: they stand, whatever shoal would have taken a column for."""

from collections.abc import Collection, Mapping
from typing import get_args

from shoal.data import Role
from shoal.errors import InputError
from shoal.naming import offered
from shoal.publish.study.propose.proposal import Proposed

__all__ = ["check_stated", "impose"]

WHY = "you say so"
_OF_FIELDS = ("identifier", "quasi", "sensitive", "drop")
_OF_LISTS = ("items", "identifier", "drop")


def check_stated(roles: Mapping[str, Role], names: Collection[str], *, trees: bool = False) -> None:
    """Refuse a role that is none, or of a column that is not there.

    Raises
    ------
    InputError
        The sentence names the column and what it may be.
    """
    there = _OF_FIELDS if trees else get_args(Role)
    for name, role in roles.items():
        if name not in names:
            raise InputError(
                f"roles: there is no {'field' if trees else 'column'} {name!r}; {offered(name, names)}"
            )
        if role not in there:
            raise InputError(f"roles, {name}: {role!r} is no role that it can have; {offered(role, there)}")


def impose(columns: Mapping[str, Proposed], roles: Mapping[str, Role]) -> None:
    """Give columns the roles that were stated; what was made for another role goes. It may be done again.

    Raises
    ------
    InputError
        Cells that are lists can be no single values, and single values no baskets.
    """
    for name, role in roles.items():
        one = columns[name]
        if one.type == "list" and role not in _OF_LISTS:
            raise InputError(f"roles, {name}: its cells are lists, so give it one of {', '.join(_OF_LISTS)}")
        if one.type != "list" and role == "items":
            raise InputError(
                f"roles, {name}: no sign separates items in its cells; write them as lists, or with | between them"
            )
        if not one.why.startswith(WHY):
            one.look = _look(role, one)
        if one.role != role or not one.why.startswith(WHY):  # what was found out about a stated role stays
            one.role, one.why = role, WHY
        if role not in ("quasi", "sensitive", "items"):
            one.hierarchy, one.levels, one.separator = None, "", None
        if role != "sensitive":
            one.level = None
        if role != "identifier":
            one.shared = False


def _look(role: Role, one: Proposed) -> str:
    """Why a stated role should be looked at again: it publishes what would not have been."""
    publishes = role in ("plain", "sensitive") and one.role in ("identifier", "quasi", "drop")
    return f"you publish it, though {one.why}" if publishes else ""
