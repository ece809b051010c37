"""Tables in parts whose rows belong to persons: none is torn, and claims count persons, as in memory."""

import json
from collections import defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.base.errors import InputError, RefusedError
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.parts.persons import add_persons, hash_persons, persons_of
from shoal.publish.large import fragment_making, fragment_release, opening, table_fragments
from shoal.publish.large.table_fragments import FragmentedTable
from shoal.publish.verify import verify
from shoal.release import Verdict
from shoal.shapes.table.verification import published_table

CONFIG = """
[data]
path = "visits.csv"
person = "name"
[columns]
name = "identifier"
age = {{ role = "quasi", hierarchy = {{ ranges = [10, 20] }} }}
zip = {{ role = "quasi", hierarchy = {{ mask = "right" }} }}
ill = "sensitive"
tag = {{ role = "plain", allow = true }}
{more}
[guarantee]
k = 4
{guarantee}
[method]
name = "{method}"
fragment = 60
{options}
[release]
format = "{format}"
[engine]
part = 70
"""


def visits(folder, people=110, seed=5):
    """Up to five visits of each person; the tag says in the release whose they are."""
    draw = np.random.default_rng(seed)
    rows = []
    for person in range(people):
        age = int(draw.integers(20, 90))
        for _ in range(int(draw.integers(1, 6))):
            old = str(age + int(draw.integers(0, 4)))
            name = f"P {person}" if draw.random() < 0.5 else f"P{person} "
            zips = f"{draw.integers(10, 20)}{draw.integers(0, 5)}"
            rows.append((name, old, zips, str(draw.choice(["flu", "gout", "cold", "mumps"])), f"t{person}"))
    frame = pl.DataFrame(rows, schema=["name", "age", "zip", "ill", "tag"], orient="row")
    frame.sample(fraction=1, shuffle=True, seed=seed).write_csv(folder / "visits.csv")


def configured(folder, method="mondrian", guarantee="", options="", format="csv", more="", **drawn):
    visits(folder, **drawn)
    text = CONFIG.format(method=method, guarantee=guarantee, options=options, format=format, more=more)
    (folder / "shoal.toml").write_text(text)
    return folder / "shoal.toml"


def released(folder, format="csv"):
    path = folder / f"data.{format}"
    return pl.read_csv(path, infer_schema=False) if format == "csv" else pl.read_parquet(path)


ROLES = {"age": "quasi", "zip": "quasi", "ill": "sensitive"}


def judged(frame, claim):
    """What the judge of tables in memory says of a file whose tags tell the persons."""
    persons = np.array([int(tag[1:]) for tag in frame["tag"]])
    return claim.check(published_table(frame, ROLES, persons))


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("method", "guarantee", "options", "format"),
    [
        ("mondrian", "", "", "csv"),
        ("mstk", "l = 2", "", "parquet"),
        ("boxes", "alpha = 0.8", "suppress = 0.05", "csv"),
        ("kmember", "", "", "csv"),
    ],
)
def test_the_claim_counts_persons_as_the_judge_in_memory_does(tmp_path, method, guarantee, options, format):
    config = configured(tmp_path, method, guarantee, options, format)
    release = run_config(config, tmp_path / "out", seed=1)
    assert isinstance(release.dataset, FragmentedTable)
    assert len(release.result.release.staged) > 1
    frame = released(tmp_path / "out", format)
    verdict = judged(frame, release.claim)
    assert verdict.as_dict() == release.verdict.as_dict()
    assert verdict
    classes = defaultdict(set)
    for age, zips, tag in frame.select("age", "zip", "tag").rows():
        classes[age, zips].add(tag)
    assert min(map(len, classes.values())) >= 4
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["claim"]["counts"] == "persons"
    assert not verify(tmp_path / "out")[1].judged  # nobody can tell from the folder alone
    left = manifest["suppressed"]
    assert frame.height == pl.read_csv(tmp_path / "visits.csv").height - left


@pytest.mark.usefixtures("quick")
def test_no_person_is_in_two_fragments_and_the_same_seed_makes_the_same_records(tmp_path):
    config = configured(tmp_path, "mstk")
    release = run_config(config, tmp_path / "one", seed=1)
    people = [set(persons_of(part.codes()).tolist()) for part in release.result.release.staged]
    assert len(people) > 1
    assert sum(map(len, people)) == len(set().union(*people)) == 110
    config.write_text(config.read_text().replace("part = 70", "part = 31"))
    run_config(config, tmp_path / "other", seed=1)
    one, other = (sorted(released(tmp_path / name).rows()) for name in ("one", "other"))
    assert one == other


@pytest.mark.usefixtures("quick")
def test_the_audit_is_that_of_memory(tmp_path):
    config = configured(tmp_path)
    run_config(config, tmp_path / "large", seed=1)
    config.write_text(config.read_text().replace("[engine]\npart = 70\n", ""))
    run_config(config, tmp_path / "small", seed=1)
    large, small = (
        json.loads((tmp_path / f"{name}.private" / "audit.json").read_text()) for name in ("large", "small")
    )
    assert large["risk_before"] == small["risk_before"]
    assert large["learned"][0]["before"] == pytest.approx(small["learned"][0]["before"])


@pytest.mark.usefixtures("quick")
def test_the_file_is_judged_by_persons(tmp_path, monkeypatch):
    """A method that takes rows for persons is found out, first in what is staged and then in the file."""

    def blind(dictionary, origin, codes):
        return fragment_release.Table(fragment_release.columns_of_codes(dictionary, origin, codes))

    config = configured(tmp_path, "mondrian")
    monkeypatch.setattr(fragment_making, "table_of_codes", blind)
    with pytest.raises(RefusedError, match="persons"):
        run_config(config, tmp_path / "out", seed=1)
    monkeypatch.setattr(FragmentedTable, "judge", lambda *given: Verdict(True, "yes"))
    with pytest.raises(RefusedError, match="persons"):
        run_config(config, tmp_path / "out", seed=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick")
def test_rows_in_another_order_than_their_persons_are_refused(tmp_path, monkeypatch):
    kept = table_fragments.shuffled_buckets
    monkeypatch.setattr(
        table_fragments,
        "shuffled_buckets",
        lambda folder, columns: (
            bucket.reverse() if columns == [table_fragments._PERSON] else bucket
            for bucket in kept(folder, columns)
        ),
    )
    with pytest.raises(RefusedError):
        run_config(configured(tmp_path), tmp_path / "out", seed=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("quick")
def test_a_record_that_names_nobody_is_a_sentence(tmp_path):
    config = configured(tmp_path)
    frame = pl.read_csv(tmp_path / "visits.csv", infer_schema=False)
    frame.with_columns(name=pl.when(pl.int_range(pl.len()) != 390 % pl.len()).then("name")).write_csv(
        tmp_path / "visits.csv"
    )
    with pytest.raises(InputError, match=r"visits\.csv, column 'name': .* name no person"):
        run_config(config, tmp_path / "out")


@pytest.mark.usefixtures("quick")
def test_a_column_that_only_one_person_holds_in_many_rows_is_refused(tmp_path):
    """Its values stand in several rows each, so rows alone would tell nothing."""
    config = configured(tmp_path)
    config.write_text(config.read_text().replace(", allow = true }", " }"))
    with pytest.raises(
        InputError, match=r"column 'tag': 110 of 110 people have a value that nobody else has"
    ):
        run_config(config, tmp_path / "out")


@pytest.mark.usefixtures("quick")
def test_households_are_counted_where_the_claim_counts_them(tmp_path):
    """The same rows, the column of names being that of households; a sampling weight is left out."""
    config = configured(tmp_path, "mstk", 'of = "households"', more='weight = "weight"')
    frame = pl.read_csv(tmp_path / "visits.csv", infer_schema=False)
    frame.with_columns(weight=pl.lit("2.5")).write_csv(tmp_path / "visits.csv")
    text = (
        config.read_text().replace('person = "name"', "").replace('name = "identifier"', 'name = "household"')
    )
    config.write_text(text)
    release = run_config(config, tmp_path / "out", seed=1)
    assert isinstance(release.dataset, FragmentedTable)
    shown = released(tmp_path / "out")
    assert set(shown.columns) == {"age", "zip", "ill", "tag"}
    assert judged(shown, release.claim).as_dict() == release.verdict.as_dict()
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert manifest["claim"]["counts"] == "households"
    frame.with_columns(name=pl.lit(""), weight=pl.lit("1")).write_csv(tmp_path / "visits.csv")
    with pytest.raises(
        InputError, match=r"column 'name': .* name no household; give whoever lives alone one"
    ):
        run_config(config, tmp_path / "other")


@pytest.mark.parametrize(
    ("guarantee", "more"),
    [("t = 0.4", ""), ('of = "households"', 'house = "household"'), ('of = "households"', "")],
)
def test_what_parts_would_not_count_rightly_is_read_at_once(tmp_path, guarantee, more):
    """Shares of persons among all of them, and households of persons."""
    config = load(configured(tmp_path, guarantee=guarantee, more=more))
    assert opening.open_large(config, config.guarantee) is None


@given(st.lists(st.sampled_from(["a 1", "a1", "7", "7.0", "Ä", "b"]), min_size=1))
def test_persons_are_those_of_memory(names):
    persons = hash_persons(pl.Series(names), ("",), "x")
    plain = [{"a 1": "a1", "7.0": "7"}.get(name, name) for name in names]
    codes = add_persons(np.zeros((len(names), 3), dtype=np.int32), persons)
    assert (persons_of(codes) == persons).all()
    pairs = set(zip(plain, persons.tolist(), strict=True))
    assert len(pairs) == len(set(plain)) == len(set(persons.tolist()))
