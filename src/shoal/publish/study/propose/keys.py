"""How several tables hang together where nobody says it: keys by name and content, and the table of persons."""

import re
from collections.abc import Mapping, Sequence

import polars as pl

from shoal.errors import InputError

__all__ = ["guess_keys", "person_table", "spanning"]

Link = tuple[str, str, str, str]
"""A table and its column, and the table and column that it refers to."""

_PERSONS = re.compile(
    "patient|person|people|customer|client|member|user|employee|student|subject|participant|resident|citizen|donor|"
    "kunde|mitarbeiter|versicherte|schueler|schüler|teilnehmer|bewohner|usager|salari|adhérent|adherent|élève|eleve|"
    "paciente|empleado|alumno|socio|paziente|dipendente|studente|hasta|müşteri|musteri|kişi|kisi|öğrenci|ogrenci|"
    "患者|病人|客户|员工|学生|用户|人员"
)
_ENDS = re.compile(r"(id|nr|no|num|number|key|code|编号|号)$")


def guess_keys(tables: Mapping[str, pl.DataFrame]) -> list[Link]:
    """Columns of which every cell is a cell of another table's key, and whose names say so.

    >>> people = pl.DataFrame({"id": [1, 2], "age": [40, 50]})
    >>> guess_keys({"people": people, "visits": pl.DataFrame({"people_id": [2, 2], "ward": ["a", "b"]})})
    [('visits', 'people_id', 'people', 'id')]
    """
    found: list[Link] = []
    unique = {
        table: [name for name in frame.columns if _is_key(frame[name])] for table, frame in tables.items()
    }
    for table, frame in tables.items():
        for column in frame.columns:
            links = [
                (table, column, other, key)
                for other in tables
                if other != table
                for key in unique[other]
                if _named_alike(column, other, key) and _inside(frame[column], tables[other][key])
                if not (column in unique[table] and _first(table, column, other, key))
            ]
            links.sort(key=lambda link: (not _PERSONS.search(link[2].lower()), link[1] != link[3], link[2]))
            found += links[:1]
    return found


def person_table(tables: Mapping[str, Sequence[str]], keys: Sequence[Link]) -> str:
    """The table with one row per person: named so, or the one that most others lead to.

    Raises
    ------
    InputError
        No table is named so, and no keys tell.
    """
    named = [table for table in tables if _PERSONS.search(table.lower())]
    referring = {table: len({key[0] for key in keys if key[2] == table}) for table in tables}
    choice = named or [table for table in tables if referring[table]]
    if not choice:
        raise InputError(
            f"the {len(tables)} tables: none is named like persons and no column refers to another table; write "
            "[tree] with person and keys yourself, as docs/config.md shows"
        )
    return max(choice, key=lambda table: (referring[table], -len(table)))


def spanning(person: str, keys: Sequence[Link]) -> list[Link]:
    """The keys that lead from the persons to each table in one way, the nearest first.

    From a row one goes to the rows that refer to it, and to the row it refers to; from there no longer to others.

    >>> spanning("p", [("v", "p", "p", "id"), ("p", "town", "t", "id"), ("w", "town", "t", "id")])
    [('v', 'p', 'p', 'id'), ('p', 'town', 't', 'id')]
    """
    used: list[Link] = []
    reached, many = {person}, [(person, True)]
    for table, down in many:  # grows as it is read
        for key in keys:
            if down and key[2] == table and key[0] not in reached:
                used.append(key)
                reached.add(key[0])
                many.append((key[0], True))
            elif key[0] == table and key[2] not in reached:
                used.append(key)
                reached.add(key[2])
                many.append((key[2], False))
    return used


def _is_key(cells: pl.Series) -> bool:
    if cells.dtype.is_nested() or cells.dtype.is_float() or not len(cells):
        return False
    return (
        not cells.null_count() and cells.n_unique() == len(cells) and bool(_ENDS.search(cells.name.lower()))
    )


def _named_alike(column: str, table: str, key: str) -> bool:
    """Whether a column is named as another table's key, or as that table with `id` behind it."""
    low, high = _bare(column), _bare(key)
    if low == high and low not in ("id", "nr", "no", "key"):
        return True
    stem = _ENDS.sub("", low)
    whole = _bare(table)
    return bool(stem) and (
        whole == stem
        or whole in (f"{stem}s", f"{stem}es", f"{stem}en", f"{stem}n")
        or (whole.startswith(stem) and len(stem) > 3)
    )


def _bare(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.lower())


def _inside(cells: pl.Series, keys: pl.Series) -> bool:
    low, high = cells.cast(pl.String).drop_nulls(), keys.cast(pl.String)
    return len(low) > 0 and bool(low.unique().is_in(high.implode()).all())


def _first(table: str, column: str, other: str, key: str) -> bool:
    """Of two tables that share a key one to one, whether this one is the one referred to."""
    mine, theirs = bool(_PERSONS.search(table.lower())), bool(_PERSONS.search(other.lower()))
    if mine != theirs:
        return mine
    return _bare(column) == _bare(key) and table < other
