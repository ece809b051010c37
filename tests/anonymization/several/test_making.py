"""Releases beside earlier ones: every method of a table, every claim, several rows per person, who comes and goes."""

import numpy as np
import polars as pl
import pytest

import release_cases as cases
from shoal.anonymization.several.judging import verify_several
from shoal.anonymization.several.making import _unite_claims
from shoal.base.errors import InfeasibleError, InputError
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.privacy import AllOf, KAnonymity, LDiversity, TCloseness

pytestmark = pytest.mark.usefixtures("bare")

ROWS = "[release]\nrows = true\n"


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    room = tmp_path_factory.mktemp("room")
    cases.write_originals(room)
    return room


def config(room, kind, name, *, method="", guarantee=None, **replaced):
    """A configuration of a kind of data, under a name of its own."""
    text = cases.CONFIGS[kind]
    if guarantee is not None:
        text = text.partition("[guarantee]")[0] + f"[guarantee]\n{guarantee}\n"
    for old, new in replaced.items():
        text = text.replace(old, new)
    (room / f"{name}.toml").write_text(f"{text}\n[method]\n{method}\n{ROWS}")
    return room / f"{name}.toml"


def together(room, kind, *names, by="first"):
    settings = load(room / f"{by}.toml")
    folders = [room / name for name in names]
    return verify_several(folders, configs=[settings], against=[room / cases.ORIGINALS[kind]])


@pytest.fixture(scope="module", params=["table", "persons"])
def earlier(request, room):
    """A kind of table, and the folder of its first release."""
    run_config(config(room, request.param, "first", method='name = "mondrian"'), room / request.param)
    return request.param, room / request.param


@pytest.mark.parametrize(
    "name", ["mstk", "mondrian", "kmember", "boxes", "column-cut", "optimal", "incognito"]
)
def test_every_maker_of_tables(room, earlier, name, tmp_path):
    kind, first = earlier
    second, third = tmp_path / "two", tmp_path / "three"
    asked = config(room, kind, f"{kind}-{name}", method=f'name = "{name}"')
    run_config(asked, second, earlier=[first])
    found = together(room, kind, first, second, by=asked.stem)
    assert found.verdict, found.verdict
    assert found.figures["few"] == 0
    run_config(asked, third, earlier=[first, second])
    assert together(room, kind, first, second, third, by=asked.stem).verdict


def test_what_is_refused_alone_is_refused_beside_others(room, tmp_path):
    run_config(config(room, "table", "alone"), tmp_path / "one")
    asked = config(
        room, "table", "argus", method='name = "blank"\ncount = "argus"', guarantee="k = 3\nsubsets = 2"
    )
    with pytest.raises(InputError, match="count = argus is a rehearsal"):
        run_config(asked, tmp_path / "two", earlier=[tmp_path / "one"])


@pytest.mark.parametrize(
    "guarantee",
    [
        "k = 4\nl = 2",
        "k = 4\nt = 0.45",
        'l = 2\ndiversity = "entropy"',
        "k = 3\nalpha = 0.7",
        "k = 3\nbeta = 4",
    ],
)
@pytest.mark.parametrize("name", ["mstk", "optimal"])
def test_claims_about_sensitive_values(room, guarantee, name, tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    run_config(config(room, "table", "first", method='name = "mondrian"', guarantee=guarantee), first)
    run_config(
        config(room, "table", "next", method=f'name = "{name}"', guarantee=guarantee), second, earlier=[first]
    )
    found = together(room, "table", first, second)
    assert found.verdict, found.verdict


def test_ranges_of_small_classes_lie_on_the_grid_of_all(room, tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    run_config(config(room, "table", "first", method='name = "mondrian"'), first)
    asked = config(room, "table", "second", method='recode = "span"\ngrid = 5')
    run_config(asked, second, earlier=[first])
    assert together(room, "table", first, second).verdict
    ages = pl.read_csv(second / "data.csv", infer_schema=False)["age"].unique().to_list()
    ends = [int(end) for age in ages for end in age.strip("[])").split(",") if "[" in age]
    assert ends
    assert all(end % 5 == 0 for end in ends)


def test_persons_of_other_files_are_matched_by_name(room, tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    visits = pl.read_csv(room / "visits.csv", infer_schema=False)
    run_config(config(room, "persons", "first"), first)
    grown = pl.concat([visits, visits.head(16).with_columns(name=pl.col("name") + "+")])
    grown.sample(fraction=1, shuffle=True, seed=3).write_csv(room / "more-visits.csv")
    asked = config(room, "persons", "second", method="suppress = 0.5", **{"visits.csv": "more-visits.csv"})
    both = [room / "visits.csv", room / "more-visits.csv"]
    with pytest.raises(
        InfeasibleError, match="60 of 76 records cannot be published"
    ):  # all classes of a person count
        run_config(asked, second, earlier=[first])
    run_config(asked, second)
    found = verify_several([first, second], configs=[load(room / "first.toml")], against=both)
    assert found.verdict.judged
    assert not found.verdict
    assert found.figures["people"] == 38


def test_a_stronger_earlier_claim_is_kept(room, tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    run_config(config(room, "table", "first", guarantee="k = 6"), first)
    made = run_config(config(room, "table", "second", guarantee="k = 2"), second, earlier=[first])
    assert made.manifest["claim"]["k"] == 2
    assert together(room, "table", first, second, by="second").figures["smallest"] >= 6


def test_the_makers_own_result_is_taken_where_it_suffices(room, tmp_path):
    """Beside itself a release loses nothing more."""
    asked = config(room, "table", "first", method='name = "optimal"')
    first = run_config(asked, tmp_path / "one")
    second = run_config(asked, tmp_path / "two", earlier=[tmp_path / "one"])
    assert second.loss == first.loss


def test_other_columns_and_roles(room, tmp_path):
    """The later release publishes one column less, and another one that the earlier one did not have."""
    first, second = tmp_path / "one", tmp_path / "two"
    run_config(config(room, "table", "first", **{'ward = "plain"': 'ward = "drop"'}), first)
    fewer = {
        'zip = { role = "quasi", hierarchy = "zip.csv" }': 'zip = "drop"',
        'ward = "plain"': 'ward = "quasi"',
    }
    run_config(config(room, "table", "second", **fewer), second, earlier=[first])
    settings = [load(room / "first.toml"), load(room / "second.toml")]
    found = verify_several([first, second], configs=settings, against=[room / "people.csv"])
    assert found.verdict, found.verdict


def test_the_ward_is_known_where_it_is_once_a_quasi_identifier(room, tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    run_config(config(room, "table", "first"), first)
    asked = config(room, "table", "second", **{'ward = "plain"': 'ward = "quasi"'})
    run_config(asked, second)
    settings = [load(room / "first.toml"), load(asked)]
    found = verify_several([first, second], configs=settings, against=[room / "people.csv"])
    assert not found.verdict
    assert "release 1 (one) beside the others" in found.verdict.sentence
    with pytest.raises(InfeasibleError, match="too few look-alikes in the earlier releases already"):
        run_config(asked, tmp_path / "three", earlier=[first])


def later(room, name, frame):
    frame.write_csv(room / name)
    return {"people.csv": name}


def test_new_people_alone_are_released_among_themselves(room, tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    people = pl.read_csv(room / "people.csv", infer_schema=False)
    run_config(config(room, "table", "first"), first)
    new = people.head(9).with_columns(name=pl.col("name") + "+")
    grown = later(room, "grown.csv", pl.concat([new, people.reverse()]))
    made = run_config(config(room, "table", "second", **grown), second, earlier=[first])
    assert made.manifest["suppressed"] == 0
    settings = load(room / "first.toml")
    both = [room / "people.csv", room / "grown.csv"]
    found = verify_several([first, second], configs=[settings], against=both)
    assert found.verdict, found.verdict
    assert (found.figures["people"], found.figures["missing"]) == (69, 9)


def test_who_is_left_behind_is_left_out(room, tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    people = pl.read_csv(room / "people.csv", infer_schema=False)
    run_config(config(room, "table", "first"), first)
    shrunk = later(room, "shrunk.csv", people.head(59))
    with pytest.raises(
        InfeasibleError, match=r"allow them to be left out with suppress = 0\.\d+ in \[method\]"
    ):
        run_config(config(room, "table", "second", **shrunk), second, earlier=[first])
    made = run_config(
        config(room, "table", "second", method="suppress = 0.2", **shrunk), second, earlier=[first]
    )
    assert 3 <= made.manifest["suppressed"] <= 6
    both = [room / "people.csv", room / "shrunk.csv"]
    assert verify_several([first, second], configs=[load(room / "first.toml")], against=both).verdict


def test_other_records_without_names_are_nobody_we_know(room, tmp_path):
    nameless = {'name = "identifier"': 'name = "drop"'}
    people = pl.read_csv(room / "people.csv", infer_schema=False)
    run_config(config(room, "table", "first", **nameless), tmp_path / "one")
    asked = config(room, "table", "second", **nameless, **later(room, "mixed-up.csv", people.reverse()))
    with pytest.raises(InputError, match="no column says who is who"):
        run_config(asked, tmp_path / "two", earlier=[tmp_path / "one"])
    both = [room / "people.csv", room / "mixed-up.csv"]
    run_config(asked, tmp_path / "two")
    found = verify_several([tmp_path / "one", tmp_path / "two"], configs=[load(asked)], against=both)
    assert not found.verdict.judged
    assert "no column says who is who" in found.verdict.sentence


def test_a_front_is_refused_with_the_columns(room, tmp_path):
    run_config(config(room, "table", "first", guarantee="k = 2"), tmp_path / "one")
    asked = config(room, "table", "second", method='name = "pareto"', guarantee="k = 2")
    with pytest.raises(InfeasibleError, match="coarsen '"):
        run_config(asked, tmp_path / "two", earlier=[tmp_path / "one"])
    assert not (tmp_path / "two").exists()


def test_claims_are_united_by_what_they_promise():
    assert _unite_claims([KAnonymity(5), KAnonymity(3)]) == KAnonymity(5)
    both = _unite_claims(
        [AllOf((KAnonymity(2), LDiversity(3))), AllOf((KAnonymity(4), LDiversity(2), TCloseness(0.3)))]
    )
    assert both.parts == (LDiversity(3), KAnonymity(4), TCloseness(0.3))


@pytest.mark.parametrize("kind", ["baskets", "secret", "mixed"])
def test_baskets_beside_baskets(room, kind, tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    run_config(config(room, kind, "first"), first)
    run_config(config(room, kind, "first"), second, earlier=[first])
    found = together(room, kind, first, second)
    assert found.verdict, found.verdict


@pytest.mark.parametrize(
    ("kind", "first", "second"),
    [
        ("baskets", "k = 25\nm = 1", "k = 2\nm = 1"),
        ("mixed", "k = 4\nm = 1", "k = 2\nm = 1"),
    ],
)
def test_baskets_are_not_made_again(room, kind, first, second, tmp_path):
    """A finer release shows more; the rule of the earlier one does not."""
    one, two, three = (tmp_path / part for part in ("one", "two", "three"))
    run_config(config(room, kind, "first", guarantee=first), one)
    asked = config(room, kind, "second", guarantee=second)
    run_config(asked, two)
    assert not together(room, kind, one, two, by="second").verdict
    with pytest.raises(
        InfeasibleError, match=r"only tables are made again .* with --recoding .* nothing was written"
    ):
        run_config(asked, three, earlier=[one])
    assert not three.exists()
    if kind == "baskets":
        rule = tmp_path / "one.private" / "recoding.json"
        run_config(asked, three, earlier=[one], recoding=rule)
        assert together(room, kind, one, three, by="second").verdict


def test_a_refusal_names_the_items(room, tmp_path):
    one = tmp_path / "one"
    run_config(config(room, "baskets", "first", guarantee="k = 3\nm = 1"), one)
    asked = config(room, "baskets", "second", guarantee="k = 25\nm = 2")
    with pytest.raises(InfeasibleError, match="; coarsen 'items'; only tables are made again"):
        run_config(asked, tmp_path / "two", earlier=[one])


def test_groups_of_items_that_cross(room, tmp_path):
    """Each release hides an item among two; both together show it."""
    first, second = tmp_path / "one", tmp_path / "two"
    lines = [f"who{row},x,{'abcd'[row % 4]}\n" for row in range(16)]
    (room / "crossed.csv").write_text("who,faith,bought\n" + "".join(lines))
    settings = []
    for name, groups in (("first", ("ab", "cd")), ("second", ("ac", "bd"))):
        paths = [f"{item};{group};*\n" for group in groups for item in group]
        (room / f"{name}-items.csv").write_text("".join(paths))
        change = {"baskets.csv": "crossed.csv", "items.csv": f"{name}-items.csv"}
        settings.append(config(room, "baskets", name, guarantee="k = 8\nm = 1", **change))
        run_config(settings[-1], tmp_path / ("one" if name == "first" else "two"))
    found = verify_several(
        [first, second], configs=[load(path) for path in settings], against=[room / "crossed.csv"]
    )
    assert not found.verdict
    assert found.figures["few"] == 16
    with pytest.raises(
        InfeasibleError, match="of the same file"
    ):  # labels of the other hierarchy cannot be read
        run_config(settings[1], tmp_path / "three", earlier=[first])


@pytest.mark.parametrize("kind", ["trees", "vote"])
def test_what_is_not_judged_is_refused(room, kind, tmp_path):
    method = 'name = "gcs"' if kind == "trees" else ""
    first, second = tmp_path / "one", tmp_path / "two"
    run_config(config(room, kind, "first", method=method), first)
    other = config(
        room,
        kind,
        "second",
        method='name = "miracle"' if kind == "trees" else "",
        guarantee="k = 3" if kind == "trees" else None,
    )
    with pytest.raises(
        InfeasibleError, match=r"publish the same of everybody, .* make the later one with --recoding"
    ):
        run_config(other, second, earlier=[first])
    run_config(other, second)
    found = verify_several(
        [first, second],
        configs=[load(room / "first.toml"), load(other)],
        against=[room / cases.ORIGINALS[kind]],
    )
    assert not found.verdict.judged
    assert "publish the same of everybody" in found.verdict.sentence


def test_trees_by_the_same_rule_tell_nothing_new(room, tmp_path):
    first, second = tmp_path / "one", tmp_path / "two"
    run_config(config(room, "trees", "first"), first)
    run_config(config(room, "trees", "first"), second, earlier=[first])
    assert together(room, "trees", first, second).verdict


def test_rows_name_people(room, tmp_path):
    run_config(config(room, "table", "first"), tmp_path / "one")
    kept = pl.read_parquet(tmp_path / "one.private" / "rows.parquet")
    names = pl.read_csv(room / "people.csv")["name"]
    assert kept["person"].to_list() == names.gather(kept["record"] - 1).to_list()
    assert np.array_equal(np.sort(kept["record"]), np.arange(1, 61))
