"""Ugly files as offices have them, each made up: people with an id, an age, a town and an income."""

import sqlite3
from pathlib import Path

PEOPLE = 60
TOWNS = ("Bonn", "Ulm", "Kiel")
NAMES = ["id", "age", "town", "income"]


def people(count: int = PEOPLE) -> list[tuple[int, int, str, int]]:
    """One row per person."""
    return [(1000 + i, 20 + 7 * i % 50, TOWNS[i % 3], 1000 + 37 * i) for i in range(count)]


def total(count: int = PEOPLE) -> int:
    """The sum of all incomes."""
    return sum(row[3] for row in people(count))


def body(sep: str = ";", count: int = PEOPLE) -> str:
    """The records as text."""
    return "".join(sep.join(map(str, row)) + "\n" for row in people(count))


def _broken_by(line: str) -> str:
    """The table with a line behind thirty people."""
    lines = (HEAD + body()).splitlines(keepends=True)
    return "".join([*lines[:31], line, *lines[31:]])


HEAD = ";".join(NAMES) + "\n"
TWO = ["Person id", "Person age", "Place town", "Pay amount"]


def text_cases() -> dict[str, tuple[str, list[str], dict[str, object]]]:
    """By name: the text of a csv file, its columns, and the layout that is found."""
    last = PEOPLE + 1
    ends: dict[str, object] = {"last": last}
    return {
        "plain": (HEAD + body(), NAMES, {}),
        "title": ("Staff report 2024\n" + HEAD + body(), NAMES, {"header": 2}),
        "title and blank": ("Staff report 2024\n\n" + HEAD + body(), NAMES, {"header": 3}),
        "padded title": ("Staff report 2024;;;\n;;;\n" + HEAD + body(), NAMES, {"header": 3}),
        "title in the middle": (";;Staff;\n\n" + HEAD + body(), NAMES, {"header": 3}),
        "title with commas": ("Staff, all of it, 2024\n\n" + HEAD + body(), NAMES, {"header": 3}),
        "author and date": ("Author: Smith;;;\nDate:;2024-01-02;;\n\n" + HEAD + body(), NAMES, {"header": 4}),
        "blank above": ("\n\n" + HEAD + body(), NAMES, {}),
        "merged header": ("Person;;Place;Pay\nid;age;town;amount\n" + body(), TWO, {"header": [1, 2]}),
        "repeated header": ("Person;Person;Place;Pay\nid;age;town;amount\n" + body(), TWO, {"header": [1, 2]}),
        "high cells": ("id;Person;;Pay\n;age;town;\n" + body(), ["id", "Person age", "Person town", "Pay"],
                       {"header": [1, 2]}),
        "title and merged": ("Staff report\n\nPerson;;Place;Pay\nid;age;town;amount\n" + body(), TWO,
                             {"header": [3, 4]}),
        "Total": (HEAD + body() + f"Total;;;{total()}\n", NAMES, ends),
        "Summe": (HEAD + body() + f"\nSumme:;;;{total()}\n", NAMES, ends),
        "Total général": (HEAD + body() + f"Total général;;;{total()}\n", NAMES, ends),
        "Totaal": (HEAD + body() + f";;Totaal;{total()}\n", NAMES, ends),
        "Totale, rounded": (HEAD + body() + "Totale;;;99999\n", NAMES, ends),
        "Gesamt of another kind": (HEAD + body() + f"Gesamt {PEOPLE};;;{total()}\n", NAMES, ends),
        "sums without a word": (HEAD + body() + f";;;{total()}\n", NAMES, ends),
        "total and notes": (HEAD + body() + f"\nSuma;;;{total()}\n\nFuente: RRHH\n", NAMES, ends),
        "notes": (HEAD + body() + "* as of 31 December\n(1) without trainees\n", NAMES, ends),
        "padded notes": (HEAD + body() + ";;;\nSource: office of staff;;;\n", NAMES, ends),
        "everything": (
            "Staff report\nprinted on paper\n\nPerson;;Place;Pay\nid;age;town;amount\n"
            f"{body()}\nTotal;;;{total()}\n\nNote: x\n",
            TWO, {"header": [4, 5], "last": PEOPLE + 5},
        ),
        "sep line": ("sep=;\n" + HEAD + body(), NAMES, {}),
        "sep line and title": ("sep=;\nStaff report 2024;;;\n" + HEAD + body(), NAMES, {"header": 2}),
        "delimiter at the end": (HEAD.replace("\n", ";\n") + body().replace("\n", ";\n"), NAMES, {}),
        "blank rows between": (HEAD + body().replace("\n", "\n\n", 5), NAMES, {}),
        "empty rows between": (HEAD + body().replace("\n", "\n;;;\n", 5), NAMES, {}),
        "line breaks in cells": (
            HEAD + body().replace("Bonn", '"Bonn\nam Rhein"') + f"Total;;;{total()}\n", NAMES, ends
        ),
        "header again": (_broken_by(HEAD), NAMES, {"skip": [32]}),
        "subtotals": (
            _broken_by(f"Subtotal;;;{total(30)}\n") + f"Subtotal;;;{total() - total(30)}\nGrand total;;;{total()}\n",
            NAMES, {"skip": [32], "last": PEOPLE + 2},
        ),
        "subtotals of towns": (
            _broken_by(f"Subtotal Bonn;;;{total(30)}\n")
            + f"Subtotal Kiel;;;{total() - total(30)}\nGrand total;;;{total()}\n",
            NAMES, {"skip": [32, PEOPLE + 3], "last": PEOPLE + 2},
        ),
        "subtotals that count": (_broken_by("Subtotal Bonn;;;30\n"), NAMES, {"skip": [32]}),
        "a count in words": (HEAD + body() + f"Totaal;{PEOPLE} people;;\n", NAMES, ends),
        "a sum below other writings": (
            HEAD + body().replace("\n", " EUR/y\n") + f"Total;;;{total()}\n", NAMES, ends
        ),
        "a line above notes": (HEAD + body() + "_____\nSource: office of staff\n", NAMES, ends),
        "units below the names": (HEAD + ";years;;EUR\n" + body(), NAMES, {"skip": [2]}),
        "three rows of names": (
            "id;Person;;Pay\n;who;;2024\n;age;town;income\n" + body(),
            ["id", "Person who age", "Person who town", "Pay 2024 income"], {"header": [1, 2, 3]},
        ),
        "commas in numbers": (HEAD + body() + f"Total;;;{total():,}\n", NAMES, ends),
    }  # fmt: skip


def write_workbook(path: Path, sheets: dict[str, list[list[object]]]) -> None:
    """A workbook with these rows."""
    import xlsxwriter

    book = xlsxwriter.Workbook(str(path))
    for name, rows in sheets.items():
        sheet = book.add_worksheet(name)
        for place, row in enumerate(rows):
            sheet.write_row(place, 0, row)
    book.close()


def write_sqlite(path: Path) -> None:
    """A database with one table."""
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE staff (id INTEGER, age INTEGER, town TEXT, income INTEGER)")
    connection.executemany("INSERT INTO staff VALUES (?, ?, ?, ?)", people())
    connection.commit()
    connection.close()
