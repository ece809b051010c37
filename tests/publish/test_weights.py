"""A sampling weight: it is left out unless it is allowed, and never tells who is who."""

import json
from hashlib import sha256

import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.jobs.configured import run_config

pytestmark = pytest.mark.usefixtures("bare")

N = 60
PEOPLE = pl.DataFrame({"age": [20 + i % 4 for i in range(N)], "perwt": [100 + i % 2 / 8 for i in range(N)]})
TOML = """[data]
path = "people.csv"
[columns]
age = "quasi"
perwt = {}
[guarantee]
k = 5
"""


def run(folder, weight):
    PEOPLE.write_csv(folder / "people.csv")
    (folder / "shoal.toml").write_text(TOML.format(weight))
    run_config(folder / "shoal.toml", folder / "release")
    shown = json.loads((folder / "release/manifest.json").read_text())
    return pl.read_csv(folder / "release/data.csv").columns, shown


def test_a_weight_is_left_out(tmp_path):
    columns, manifest = run(tmp_path, '"weight"')
    assert columns == ["age"]
    assert manifest["columns"] == {"age": "quasi"}
    assert shoal.verify(tmp_path / "release", config=tmp_path / "shoal.toml").holds


def test_a_weight_that_is_allowed_is_published_as_it_is(tmp_path):
    columns, manifest = run(tmp_path, '{ role = "weight", allow = true }')
    assert columns == ["age", "perwt"]
    assert manifest["columns"]["perwt"] == "plain"
    assert [note["column"] for note in manifest["notes"] if note["kind"] == "allowed"] == ["perwt"]
    assert shoal.verify(tmp_path / "release", config=tmp_path / "shoal.toml").holds


def test_a_weight_that_tells_a_stratum_is_refused():
    """Of fifteen people of an age one has a weight of their own."""
    odd = PEOPLE.with_columns(perwt=pl.when(pl.int_range(N) == 7).then(90.0).otherwise("perwt"))
    data = shoal.read(odd, roles={"age": "quasi", "perwt": "weight"}, allow=("perwt",))
    with pytest.raises(
        InputError, match="leave 1 records with fewer than 5 look-alikes, so the weight would reveal"
    ):
        shoal.anonymize(data, k=5)


@pytest.mark.parametrize("allow", [(), ("perwt",)])
def test_a_weight_makes_nobody_less_alike(allow):
    data = shoal.read(PEOPLE, roles={"age": "quasi", "perwt": "weight"}, allow=allow)
    assert shoal.anonymize(data, k=7).frame["age"].n_unique() == 4


@pytest.mark.parametrize(
    ("role", "cells", "said"),
    [
        ("weight", [1, 2, 3], "give a person one weight, or drop"),
        ("household", ["a", "b", "c"], "one household"),
    ],
)
def test_a_person_has_one_weight_and_lives_in_one_household(role, cells, said):
    frame = pl.DataFrame({"who": ["x", "x", "y"], "age": [1, 2, 3], "of": cells})
    with pytest.raises(shoal.InputError, match=rf"column 'of', record 2: another {role} than .*{said}"):
        shoal.read(frame, roles={"age": "quasi", "of": role}, person="who")


# --- weights that were made fit to be published

SURVEY = pl.DataFrame(
    {
        "region": [f"r{i % 3}" for i in range(90)],
        "age": [20 + i % 7 for i in range(90)],
        "wt": [100.0 + (i * 37) % 41 for i in range(90)],
    }
)
WAYS = {
    "rounded": '{ role = "weight", release = "rounded", base = 10 }',
    "classes": '{ role = "weight", release = "classes", classes = 3 }',
    "calibrated": '{ role = "weight", release = "calibrated", margins = ["region", "age"] }',
}
KINDS = {
    "rounded": "rounded weights",
    "classes": "weights in classes",
    "calibrated": "calibrated weights",
}


def run_survey(folder, way, frame=SURVEY, method="suppress = 0.05", rows=True):
    frame.write_csv(folder / "people.csv")
    (folder / "shoal.toml").write_text(
        f'[data]\npath = "people.csv"\n[columns]\nregion = "quasi"\n'
        f'age = {{ role = "quasi", hierarchy = {{ ranges = [5, 10] }} }}\nwt = {WAYS[way]}\n'
        f"[guarantee]\nk = 5\n[method]\n{method}\n[release]\nrows = {str(rows).lower()}\n"
    )
    run_config(folder / "shoal.toml", folder / "release")
    return json.loads((folder / "release/manifest.json").read_text())


def verify(folder, **more):
    return shoal.verify(folder / "release", config=folder / "shoal.toml", **more)


@pytest.mark.parametrize("way", WAYS)
def test_a_weight_made_fit_is_published_noted_and_verified(tmp_path, way):
    manifest = run_survey(tmp_path, way)
    assert manifest["columns"] == {"region": "quasi", "age": "quasi", "wt": "plain"}
    assert [note for note in manifest["notes"] if note["column"] == "wt"] == [
        {"kind": KINDS[way], "column": "wt", "count": 5}
    ]
    assert verify(tmp_path).holds
    assert shoal.verify(tmp_path / "release").holds
    against = verify(tmp_path, against=tmp_path / "people.csv")
    assert against.holds
    assert "every released row is true" in against.sentence


@pytest.mark.parametrize("way", WAYS)
def test_without_rows_nobody_can_tell_whose_weights_they_are(tmp_path, way):
    run_survey(tmp_path, way, rows=False)
    against = verify(tmp_path, against=tmp_path / "people.csv")
    assert not against.judged
    assert "only rows.parquet" in against.sentence


def resign(folder):
    """Let the manifest state the sha256 of the data as they are now."""
    path = folder / "release/manifest.json"
    manifest = json.loads(path.read_text())
    manifest["sha256"]["data.csv"] = sha256((folder / "release/data.csv").read_bytes()).hexdigest()
    path.write_text(json.dumps(manifest))


def test_a_weight_that_was_put_in_for_one_person_is_a_no(tmp_path):
    run_survey(tmp_path, "rounded")
    path = tmp_path / "release/data.csv"
    lines = path.read_text().splitlines()
    lines[1] = f"{lines[1].rpartition(',')[0]},990"
    path.write_text("\n".join([*lines, ""]))
    resign(tmp_path)
    verdict = shoal.verify(tmp_path / "release")
    assert verdict.judged
    assert not verdict.holds
    assert "column 'wt' tells records apart" in verdict.sentence


@pytest.mark.parametrize("way", WAYS)
def test_weights_of_others_than_the_originals_are_a_no(tmp_path, way):
    """All weights doubled: look-alikes stay alike, but the totals are not those of the originals."""
    run_survey(tmp_path, way)
    path = tmp_path / "release/data.csv"
    frame = pl.read_csv(path)
    frame.with_columns(pl.col("wt") * 2).write_csv(path)
    resign(tmp_path)
    assert shoal.verify(tmp_path / "release").holds
    assert not verify(tmp_path, against=tmp_path / "people.csv").holds


def test_a_note_of_another_way_than_the_configuration_is_a_no(tmp_path):
    run_survey(tmp_path, "rounded")
    path = tmp_path / "shoal.toml"
    path.write_text(path.read_text().replace(WAYS["rounded"], WAYS["calibrated"]))
    verdict = verify(tmp_path)
    assert not verdict.holds
    assert "not published in the way that the configuration says" in verdict.sentence


@pytest.mark.parametrize("how", [{"release": "rounded", "base": 10}, "classes", "calibrated"])
def test_weights_of_people_who_are_left_out_steer_nothing(how):
    rare = pl.DataFrame({"region": ["rare"] * 2, "age": [21, 22], "wt": [1.0, 9.0]})
    frames = []
    for factor in (1.0, 1000.0):
        data = shoal.read(
            pl.concat([SURVEY, rare.with_columns(pl.col("wt") * factor)]),
            roles={"region": "quasi", "age": "quasi", "wt": "weight"},
            hierarchies={"age": {"ranges": [5, 10]}},
            weight_release=how,
        )
        release = shoal.anonymize(data, method="optimal", k=5, suppress=0.1, seed=1)
        assert set(release.result.release.rows.tolist()) == {*range(90)}
        frames.append(release.frame)
    assert frames[0].equals(frames[1])


@pytest.mark.parametrize(
    ("weight", "words"),
    [
        ('{ role = "weight", release = "rounded" }', "need a base"),
        ('{ role = "weight", release = "classes", base = 5 }', "'base' is for release = \"rounded\""),
        ('{ role = "weight", release = "round" }', "must be one of rounded, classes, calibrated"),
        ('{ role = "weight", base = 5 }', "says how a weight is published; give release"),
        ('{ role = "weight", release = "classes", classes = 1 }', "a whole number of at least 2"),
        ('{ role = "weight", release = "calibrated", margins = [] }', "a list of columns"),
        ('{ role = "weight", release = "calibrated", margins = ["wt"] }', "which is no quasi-identifier"),
        ('{ role = "weight", release = "calibrated", allow = true }', "leave one of them out"),
        (
            '{ role = "plain", release = "calibrated" }',
            "says how a sampling weight is published; leave it out",
        ),
    ],
)
def test_what_means_nothing_is_told_in_one_sentence(tmp_path, weight, words):
    with pytest.raises(InputError, match=words):
        run(tmp_path, weight)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": 3, "subsets": 1}, "about something else; leave release out, or ask for k"),
    ],
)
def test_a_claim_that_is_not_about_classes_is_refused_beside_it(options, words):
    data = shoal.read(
        SURVEY, roles={"region": "quasi", "age": "quasi", "wt": "weight"}, weight_release="calibrated"
    )
    with pytest.raises(InputError, match=words):
        shoal.anonymize(data, **options)


def test_several_rows_a_person_or_no_weight_is_refused():
    with pytest.raises(InputError, match="no column has the role weight"):
        shoal.read(SURVEY, roles={"region": "quasi", "age": "quasi", "wt": "drop"}, weight_release="classes")
    several = SURVEY.with_columns(who=pl.Series([i // 2 for i in range(90)]), wt=pl.lit(5.0))
    with pytest.raises(InputError, match="one row a person"):
        shoal.read(
            several,
            roles={"who": "identifier", "region": "quasi", "age": "quasi", "wt": "weight"},
            person="who",
            weight_release="classes",
        )


def test_a_weight_is_not_made_fit_beside_earlier_releases(tmp_path):
    frame = SURVEY.with_row_index("id")
    roles = {"id": "identifier", "region": "quasi", "age": "quasi", "wt": "weight"}
    hierarchies = {"age": {"ranges": [5, 10]}}
    shoal.anonymize(shoal.read(frame, roles=roles, hierarchies=hierarchies), k=5).save(tmp_path / "first")
    again = shoal.read(frame, roles=roles, hierarchies=hierarchies, weight_release="classes")
    with pytest.raises(InputError, match="not judged together with others; leave release out"):
        shoal.anonymize(again, k=5, earlier=[tmp_path / "first"])


def test_households_count_beside_weights():
    """Where k counts households, a weight is that of k households of a class."""
    frame = SURVEY.with_columns(home=pl.Series([f"h{i // 2}" for i in range(90)]))
    data = shoal.read(
        frame,
        roles={"home": "household", "region": "quasi", "age": "quasi", "wt": "weight"},
        hierarchies={"age": {"ranges": [5, 10]}},
        weight_release={"release": "classes", "classes": 3},
    )
    release = shoal.anonymize(data, k=3, of="households")
    homes = frame["home"].gather(pl.Series(release.result.release.rows))
    groups = release.frame.with_columns(home=homes).group_by("region", "age", "wt")
    assert groups.agg(pl.col("home").n_unique())["home"].min() >= 3


def test_a_public_total_is_what_weights_sum_to_and_the_audit_tells_how_figures_move(tmp_path):
    data = shoal.read(
        SURVEY,
        roles={"region": "quasi", "age": "quasi", "wt": "weight"},
        hierarchies={"age": {"ranges": [5, 10]}},
        weight_release={"release": "calibrated", "total": 1_000_000},
    )
    release = shoal.anonymize(data, k=5)
    assert release.frame["wt"].sum() == pytest.approx(1_000_000, rel=1e-5)
    release.save(tmp_path / "release")
    audit = json.loads((tmp_path / "release.private/audit.json").read_text())
    people = audit["weighted"][0]
    assert people["figure"] == "people in all"
    assert people["of_all"] == SURVEY["wt"].sum()
    assert people["published"] == pytest.approx(release.frame["wt"].sum())
