"""Dates: one list of writings, by which they are read and by which they are told from other values."""

from datetime import datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from shoal.hierarchy.column_values import FORMATS, date_formats, read_date
from shoal.hierarchy.suggest import kind_of
from shoal.proposal.detectors import detect_form
from shoal.risks.dependencies import _list_value_parts, rank_values

days = st.datetimes(datetime(1900, 1, 1), datetime(2050, 1, 1)).map(lambda day: day.replace(microsecond=0))


@given(st.lists(days, min_size=1, max_size=30), st.sampled_from([None, *FORMATS]))
def test_dates_of_every_format_are_told_read_and_looked_at_in_the_same_way(moments, format):
    values = [day.isoformat() if format is None else day.strftime(format) for day in moments]
    assert format in date_formats(values)
    assert all(read_date(value, format) is not None for value in values)
    assert kind_of(values).name == "date"
    if format is None or "%Y" in format:
        assert detect_form(values).what == "date"
    first = date_formats(values)[0]
    read = [read_date(value, first) for value in values]
    assert [str(day.year) for day in read] in _list_value_parts(values)
    places = {day: place for place, day in enumerate(sorted(set(read)))}
    assert rank_values(values).tolist() == [places[day] for day in read]


@given(st.lists(days, min_size=20, max_size=60, unique=True), st.data())
def test_a_share_of_dates_is_enough_where_it_is_asked_for(moments, data):
    values = [day.strftime("%d.%m.%Y %H:%M:%S") for day in moments]
    wrong = data.draw(st.integers(0, len(values)))
    mixed = [*["unknown"] * wrong, *values[wrong:]]
    dated = sum(value != "unknown" for value in mixed)
    probe = mixed[:: max(len(mixed) // 20, 1)]
    seen = sum(value != "unknown" for value in probe) >= 0.9 * len(probe)
    assert ("%d.%m.%Y %H:%M:%S" in date_formats(mixed, 0.9)) == (seen and dated >= 0.9 * len(mixed))
    assert bool(date_formats(mixed)) == (wrong == 0)


def test_years_beyond_those_asked_for_are_no_dates():
    assert date_formats(["9999-12-31"]) == [None]
    assert date_formats(["9999-12-31"], years=range(1850, 2101)) == []
    assert date_formats([]) == []


def test_a_time_falls_on_the_day_it_is_written_with():
    assert read_date("2020-03-05T23:30:00-05:00") == datetime(2020, 3, 5, 23, 30)
    assert read_date("2020-03-05") + timedelta(1) == datetime(2020, 3, 6)


def test_quarters_and_weeks_are_dates_of_their_first_day():
    assert [read_date(text) for text in ("2020-Q3", "2020-W01", "2020-Q5")] == [
        datetime(2020, 7, 1),
        datetime(2019, 12, 30),
        None,
    ]
    assert kind_of(["2020-Q3", "2019-Q1", "2018-Q4"]).name == "date"
