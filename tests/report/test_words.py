from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.report.words import label, number, percent, shorten_label, value


@settings(max_examples=200)
@given(st.text(st.characters(), max_size=12) | st.none())
def test_a_label_is_one_visible_line(text):
    seen = label(text)
    assert seen.strip()
    assert len(seen.splitlines()) == 1
    seen.encode("utf-8")
    assert not set(seen) & set("\u202a\u202b\u202d\u202e\u2066\u2067\u2068")


@given(st.floats(0, 1))
def test_only_nothing_is_0_and_only_all_is_100_percent(share):
    assert (percent(share) == "0%") == (share == 0)
    assert (percent(share) == "100%") == (share == 1)


def test_numbers_of_every_size():
    assert [number(x) for x in (0, 999, 1234567, 0.5, 1e-9, 1e9, True, "x")] == [
        "0", "999", "1,234,567", "0.5", "1.0e-09", "1,000,000,000", "1", "x",
    ]  # fmt: skip
    assert {number(None), number(float("nan")), number(float("inf")), percent(None)} == {"–"}
    assert value([True, None, {"a": 1.5}, "", {}]) == "yes, –, a 1.5, (empty), –"


def test_long_labels_are_cut():
    assert shorten_label("x" * 26) == "x" * 26
    assert shorten_label("x" * 27) == "x" * 25 + "…"
