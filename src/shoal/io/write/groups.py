"""Groups of items: in rows by a short name, and what each stands for once, in a file beside the data.

A name says nothing: groups are numbered in the order of their lists of items, which anybody who has the release can do
as well. Every word of the form "(group 17)" is looked up in the file. An item that is spelled so stands there for
itself, and no group has its name; so a word that the file does not hold is always a fault.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import polars as pl

from shoal.base.errors import InputError
from shoal.data.arrays import I4, I8
from shoal.io.formats import GROUPS
from shoal.io.write.form import FORM, ComparingFile, is_ascending
from shoal.io.write.json_text import Entry, TwiceError, dump_json, parse_json, read_lists
from shoal.io.write.table import open_durable

__all__ = [
    "NO_GROUPS",
    "Groups",
    "check_groups",
    "has_groups",
    "name_groups",
    "noncanonical_groups",
    "read_groups",
    "read_items",
    "spell_out",
    "write_groups",
]

Groups = Mapping[str, tuple[str, ...]]
"""By name the items of a group, ascending; an item that is spelled like a name has itself alone."""

NO_GROUPS: Groups = MappingProxyType({})
"""Of rows that spell out what they publish."""

_NAME = re.compile(r"\(group [1-9][0-9]*\)")
_LARGEST = 1 << 30  # bytes of a file, which is read line by line
_LARGEST_ODD = 1 << 24  # of one that does not stand in lines as shoal writes them, and is read at once


def name_groups(sets: Iterable[tuple[str, ...]], words: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Give names to sets of several items; `words` are the items and labels that are published beside them.

    >>> name_groups([("rice", "salt"), ("bread", "rolls")], ["milk"])
    {'(group 1)': ('bread', 'rolls'), '(group 2)': ('rice', 'salt')}
    >>> name_groups([("bread", "rolls")], ["(group 1)"])
    {'(group 2)': ('bread', 'rolls'), '(group 1)': ('(group 1)',)}
    """
    distinct_sets = sorted(set(sets))
    used_names = {item for item in words if _NAME.fullmatch(item)}
    used_names.update(item for members in distinct_sets for item in members if _NAME.fullmatch(item))
    free_names = (name for number in count(1) if (name := f"(group {number})") not in used_names)
    members_of_name = {next(free_names): members for members in distinct_sets}
    return members_of_name | {item: (item,) for item in sorted(used_names)}


def spell_out(entries: Iterable[Entry], groups: Groups) -> tuple[Entry, ...]:
    """The same entries, names of groups as the sets that they stand for.

    >>> spell_out(["milk", "(group 1)"], {"(group 1)": ("bread", "rolls")})
    ('milk', ('bread', 'rolls'))
    """
    sets = {name: members for name, members in groups.items() if members != (name,)}
    return tuple(sets.get(entry, entry) if isinstance(entry, str) else entry for entry in entries)


def read_items(cells: pl.Series, groups: Groups) -> tuple[I8, I4, tuple[Entry, ...]]:
    """Lists of items as `read_lists` reads them, names of groups as the sets that they stand for."""
    start, items, entries = read_lists(cells)
    return start, items, spell_out(entries, groups)


def has_groups(columns: Mapping[str, str]) -> bool:
    """Whether a release with such columns and roles may have groups: baskets by vote publish items as they are."""
    return "items" in columns.values() and "uncertain" not in columns


# --- the file


def write_groups(folder: Path, groups: Groups) -> None:
    """Write the groups into a release folder, a line each; none leave no file."""
    if groups:
        with open_durable(folder / GROUPS) as file:
            _write_lines(groups, file)


def _write_lines(groups: Groups, file: BinaryIO) -> None:
    file.write(b"{\n")
    for number, (name, members) in enumerate(groups.items(), start=1):
        end = "," if number < len(groups) else ""
        file.write(f"{dump_json(name)}: {dump_json(members)}{end}\n".encode())
    file.write(b"}\n")


def read_groups(folder: Path) -> dict[str, tuple[str, ...]]:
    """Read the groups of a release folder; none where there is no such file. It may be anyone's, so nothing is trusted.

    Raises
    ------
    InputError
        It is no JSON object that gives each name, once, a list of texts.
    """
    path = folder / GROUPS
    if not path.exists() and not path.is_symlink():
        return {}
    if path.is_symlink() or not path.is_file():
        raise InputError(f"{GROUPS} is not a file, as it would be in a release; it was changed")
    size = path.stat().st_size
    if size > _LARGEST:
        raise InputError(f"{GROUPS} has {size} bytes, and no more than {_LARGEST} are read")
    try:
        pairs = list(_parse_lines(path))
    except (ValueError, RecursionError):
        pairs = _parse_object(path, size)
    text_of_item: dict[str, str] = {}  # groups share items: each text is kept once
    members_of_group: dict[str, tuple[str, ...]] = {}
    for name, members in pairs:
        if not isinstance(members, list) or not members or not all(isinstance(item, str) for item in members):
            raise InputError(f"{GROUPS}: the value of a group is not a list of texts; it was changed")
        if name in members_of_group:
            raise InputError(_TWICE)
        members_of_group[name] = tuple(text_of_item.setdefault(item, item) for item in members)
    if not members_of_group:
        raise InputError(f"{GROUPS} holds no group, and no release has such a file; it was changed")
    return members_of_group


def _parse_lines(path: Path) -> Iterator[tuple[str, Any]]:
    """The names and values of a file of lines as they are written; another file is a ValueError."""
    with path.open("rb") as file:
        if file.readline() != b"{\n":
            raise ValueError("not in lines")
        for line in file:
            if line == b"}\n" and not file.read(1):
                return
            yield from parse_json(b"{" + line.removesuffix(b"\n").removesuffix(b",") + b"}").items()
    raise ValueError("no end")


def _parse_object(path: Path, size: int) -> list[tuple[str, Any]]:
    """The same of a file that somebody else wrote."""
    if size > _LARGEST_ODD:
        raise InputError(f"{GROUPS} holds {FORM}; it was changed")
    try:
        content = parse_json(path.read_bytes())
    except TwiceError:
        raise InputError(_TWICE) from None
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InputError(f"{GROUPS} is not a JSON object of names and lists of items; it was changed")
    return list(content.items())


_TWICE = f"{GROUPS} lists a group twice; it was changed"


# --- what no release has


def noncanonical_groups(folder: Path, groups: Groups, entries: Collection[Entry]) -> str | None:
    """A sentence where groups that were read of a folder are not as shoal names and writes them; else None.

    `entries` are the different entries of the rows.
    """
    fault = next(_find_faults(groups, entries), None)
    if fault is None and groups:
        with (folder / GROUPS).open("rb") as file:
            comparing_file = ComparingFile(file)
            _write_lines(groups, comparing_file)
            fault = None if comparing_file.same else f"{GROUPS} holds {FORM}"
    return None if fault is None else f"{fault}; it was changed"


def _find_faults(groups: Groups, entries: Collection[Entry]) -> Iterator[str]:
    rows = {entry for entry in entries if isinstance(entry, str)}
    sets = {name: members for name, members in groups.items() if members != (name,)}
    spelled = [entry for entry in entries if not isinstance(entry, str)]
    items = {item for members in (*sets.values(), *spelled) for item in members}
    unknown = {word for word in rows | items if _NAME.fullmatch(word)} - groups.keys()
    if unknown:
        yield f"the data names {len(unknown)} groups that {GROUPS} does not define"
    unused = (sets.keys() - rows) | (groups.keys() - sets.keys() - rows - items)
    if unused:
        yield f"{GROUPS} defines {len(unused)} groups that no row names"
    small = sum(len(members) < 2 for members in sets.values())
    if small:
        yield f"{GROUPS} holds {small} groups of fewer than two items"
    ambiguous_names = [
        name for name in groups if name in sets and (name in items or not _NAME.fullmatch(name))
    ]
    if ambiguous_names:
        yield f"{GROUPS} names {len(ambiguous_names)} groups like an item"
    repeated_count = len(sets) - len(set(sets.values()))
    if repeated_count:
        yield f"{GROUPS} lists {repeated_count} groups twice, under two names"
    if not all(map(is_ascending, sets.values())):
        yield f"{GROUPS} holds groups whose items are out of order, or twice in one"
    if sets and spelled:
        yield f"the data spells out {len(spelled)} sets of items, which stand in {GROUPS} in such a release"
    if list(groups.items()) != list(name_groups(sets.values(), (rows - sets.keys()) | items).items()):
        yield f"{GROUPS} does not number its groups in the order of their items"


def check_groups(given: object) -> dict[str, tuple[str, ...]]:
    """Groups that somebody hands over in Python, by name their items.

    Raises
    ------
    InputError
        They are something else, or a group has no items, or holds another.
    """
    if not isinstance(given, Mapping) or not all(isinstance(name, str) for name in given):
        raise InputError("groups: not a mapping of names to lists of items; give `groups` of the release")
    members_of_group: dict[str, tuple[str, ...]] = {}
    for name, members in given.items():
        is_list = isinstance(members, list | tuple)
        if not is_list or not members or not all(isinstance(item, str) for item in members):
            raise InputError(
                "groups: a group is not a list of at least one text; give `groups` of the release"
            )
        members_of_group[name] = tuple(members)
    nested = {
        item for name, members in members_of_group.items() if members != (name,) for item in members
    } & {name for name, members in members_of_group.items() if members != (name,)}
    if nested:
        raise InputError(
            f"groups: {len(nested)} groups are named like an item of a group; give them other names"
        )
    return members_of_group
