from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from shoal.engines import in_threads, in_turn
from shoal.parts.folder import PrivateFolder
from shoal.parts.judging import count_rows, view_rows
from shoal.parts.records import Parts, write_run
from shoal.privacy import AlphaKAnonymity, BetaLikeness, DeltaDisclosure, KAnonymity, LDiversity, TCloseness
from shoal.release import Published, Sensitive

LABELS = ("1", "[1, 2]", "1")  # two forms of one text
ILL = ("flu", "Flu", "gout", None)
RECORDS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)), min_size=1, max_size=60
)
CLAIMS = [
    KAnonymity(2),
    LDiversity(2),
    LDiversity(2, "entropy"),
    TCloseness(0.4),
    TCloseness(0.4, "ordered"),
    BetaLikeness(1.0),
    DeltaDisclosure(1.0),
    AlphaKAnonymity(0.6, 2),
]


def counted(records, cuts, size, mapper=in_turn):
    """Records in parts, counted by class."""
    folder = PrivateFolder()
    codes = np.array(records, dtype=np.int32)
    part = np.searchsorted(np.array(sorted(cuts), dtype=np.int64), np.arange(len(codes)), side="right")
    path = folder.make("runs") / "0"
    sizes = write_run(path, codes, part.astype(np.int64), len(cuts) + 1)
    number = {text: at for at, text in enumerate(dict.fromkeys(LABELS))}
    labels = [np.array([number[text] for text in LABELS]), np.arange(2)]
    return count_rows(Parts((path,), tuple(sizes.tolist())), labels, size, folder.make("classes"), mapper)


@given(RECORDS, st.sets(st.integers(0, 60), max_size=3), st.integers(1, 30), st.booleans())
def test_rows_and_classes_are_those_of_a_slow_count(records, cuts, size, threads):
    rows = counted(records, cuts, size, in_threads(2) if threads else in_turn)
    counts = dict(zip(map(tuple, rows.codes.tolist()), rows.counts.tolist(), strict=True))
    assert counts == Counter(records)
    assert len(counts) == len(rows.codes)
    members = {}
    for row, number in zip(rows.codes.tolist(), rows.classes.tolist(), strict=True):
        members.setdefault(number, set()).add((LABELS[row[0]], row[1]))
    assert all(len(texts) == 1 for texts in members.values())
    assert len(members) == len({(LABELS[a], b) for a, b, _ in records})
    assert sorted(members) == list(range(len(members)))


@given(RECORDS, st.integers(1, 30))
def test_fewer_columns_are_counted_together(records, size):
    rows = counted(records, {5}, size).by_class(2)
    counts = dict(zip(map(tuple, rows.codes.tolist()), rows.counts.tolist(), strict=True))
    assert counts == Counter((a, b) for a, b, _ in records)


@given(RECORDS, st.sets(st.integers(0, 60), max_size=3), st.integers(1, 30), st.sampled_from(CLAIMS))
def test_the_verdict_is_that_of_the_judge_on_all_records(records, cuts, size, claim):
    said = claim.check(view_rows(counted(records, cuts, size), {"ill": (2, ILL)}))
    codes = np.array(records, dtype=np.int64)
    number = {text: at for at, text in enumerate(LABELS)}
    whole = Published(
        {"a": np.array([number[LABELS[code]] for code in codes[:, 0]]), "b": codes[:, 1]},
        {"ill": Sensitive(np.where(codes[:, 2] == 3, -1, codes[:, 2]), ILL[:3])},
    )
    expected = claim.check(whole)
    assert (said.holds, said.broken, said.sentence) == (expected.holds, expected.broken, expected.sentence)
    assert said.reached == expected.reached
