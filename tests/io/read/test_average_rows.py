"""Rows that hold the means or totals of those around them: wherever they stand they are no records."""

from pathlib import Path
from random import Random

import pytest

from shoal.io.read.layout import Layout, LayoutError
from shoal.io.read.table import read
from shoal.proposal.source_detection import detect_source

HEAD = ["Schüler", "Klasse", "Mathe", "Deutsch", "Alter"]
CLASSES = ("5a", "5b", "5c")
SEEDS = range(6)


def pupils(rng, group, many):
    return [
        [f"{group}-{place}", group, rng.randint(1, 6), rng.randint(1, 6), rng.randint(6, 12)]
        for place in range(many)
    ]


def summed(label, records, decimals=2, second="", sign=","):
    """A row of means, or where there are no decimals of sums."""
    cells = []
    for column in (2, 3, 4):
        total = sum(row[column] for row in records)
        cells.append(
            str(total) if decimals is None else f"{total / len(records):.{decimals}f}".replace(".", sign)
        )
    return [label, second, *cells]


def write(path: Path, rows) -> Path:
    path.write_text("\n".join(";".join(map(str, row)) for row in [HEAD, *rows]) + "\n", encoding="utf-8")
    return path


def grouped(rng, row_of, *, above=False):
    """Pupils of three classes, beside each class a row about it, and the numbers of these rows in the file."""
    rows, places = [], []
    for group in CLASSES:
        records = pupils(rng, group, rng.randint(8, 30))
        own = row_of(group, records)
        part = [own, *records] if above else [*records, own]
        places.append(len(rows) + 2 + part.index(own))
        rows += part
    return rows, places


WAYS = {
    "a word": (lambda group, records: summed("Durchschnitt", records), False),
    "a word behind the class": (
        lambda group, records: summed(f"Klasse {group} - Durchschnitt", records),
        False,
    ),
    "no word": (lambda group, records: summed(f"Klasse {group} -", records), False),
    "the class beside it": (lambda group, records: summed("Mittelwert", records, second=group), False),
    "above the class": (lambda group, records: summed(f"Ø {group}", records), True),
    "one decimal": (lambda group, records: summed("Average", records, 1), False),
    "a point": (lambda group, records: summed("Moyenne", records, sign="."), False),
    "sums": (lambda group, records: summed(f"Zwischensumme {group}", records, None), False),
    "Spanish": (lambda group, records: summed("Promedio", records), False),
    "Italian": (lambda group, records: summed(f"{group} media", records), False),
    "Turkish": (lambda group, records: summed("Ortalama", records), False),
    "Chinese": (lambda group, records: summed("平均", records), False),
}


@pytest.mark.parametrize(("row_of", "above"), WAYS.values(), ids=WAYS)
def test_rows_about_groups_are_left_out_wherever_they_stand(row_of, above, tmp_path):
    for seed in SEEDS:
        rows, places = grouped(Random(seed), row_of, above=above)
        path = write(tmp_path / f"{seed}.csv", rows)
        found = detect_source(path)
        layout = found.data.layout
        left = {*(layout.skip or ())} | {*range((layout.last or len(rows) + 1) + 1, len(rows) + 2)}
        assert left == {*places}
        assert found.source.frame.height == len(rows) - len(CLASSES)
        with pytest.raises(LayoutError):
            read(path, layout=Layout())


@pytest.mark.parametrize("second", ["", "alle"])
def test_a_mean_of_all_is_the_end(second, tmp_path):
    for seed in SEEDS:
        records = pupils(Random(seed), "5a", 25)
        path = write(tmp_path / f"{seed}.csv", [*records, summed("Durchschnitt", records, second=second)])
        assert detect_source(path).data.layout.given() == {"last": 26}


def test_records_alone_are_all_records(tmp_path):
    for seed in range(20):
        rows = [row for group in CLASSES for row in pupils(Random(seed), group, 40)]
        assert detect_source(write(tmp_path / f"{seed}.csv", rows)).data.layout.given() == {}


def test_a_word_alone_is_a_question_about_the_file(tmp_path):
    records = pupils(Random(0), "5a", 20)
    wrong = ["Durchschnitt", "", "3,1", "2,2", "99,9"]
    found = detect_source(write(tmp_path / "a.csv", [*records, wrong, *pupils(Random(1), "5b", 20)]))
    assert found.doubt.startswith("row 22 may be subtotals, by a word alone")
    last = detect_source(write(tmp_path / "b.csv", [*records, ["Total", "5a", "3", "", "99"]]))
    assert last.doubt.startswith("row 22 may be a total or a note")
