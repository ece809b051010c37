"""Claims beside a population: from the guarantee to the verdict on the folder."""

import json
from collections import Counter

import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.jobs.configured import run_config
from shoal.privacy import KMap, make_claim

pytestmark = pytest.mark.usefixtures("bare")

PEOPLE = pl.DataFrame(
    {"age": [str(20 + i % 37) for i in range(600)], "zip": [f"{10 + i % 7}{i % 3}" for i in range(600)]}
)
SAMPLE = PEOPLE[::9].with_columns(pl.Series("ill", [f"d{i % 4}" for i in range(67)]))
ROLES = {"age": "quasi", "zip": "quasi", "ill": "plain"}
RULES = {"age": {"ranges": [5, 10, 20]}, "zip": {"mask": "right"}}
TOML = """[data]
path = "sample.csv"
[population]
path = "people.csv"
[columns]
age = { role = "quasi", hierarchy = { ranges = [5, 10, 20] } }
zip = { role = "quasi", hierarchy = { mask = "right" } }
ill = "plain"
[guarantee]
ASKED
"""


def sample(**options):
    return shoal.read(SAMPLE, roles=ROLES, hierarchies=RULES, population=PEOPLE, **options)


def made(folder, asked, data=SAMPLE, people=PEOPLE):
    data.write_csv(folder / "sample.csv")
    people.write_csv(folder / "people.csv")
    (folder / "shoal.toml").write_text(TOML.replace("ASKED", asked))
    run_config(folder / "shoal.toml", folder / "release")
    return folder / "release", folder / "shoal.toml"


def people_of(release):
    """Of each class of a release how many people of the population it fits, by its levels."""
    levels, trees = release.result.release.rule["levels"], release.dataset.hierarchies

    def form(row):
        labels = [trees[name].labels[levels[name]] for name in levels]
        codes = [trees[name].up[trees[name].leaves.index(row[name]), levels[name]] for name in levels]
        return tuple(names[code] for names, code in zip(labels, codes, strict=True))

    everybody = Counter(map(form, PEOPLE.iter_rows(named=True)))
    return {form: everybody[form] for form in release.frame.select("age", "zip").iter_rows()}


def test_every_class_fits_k_people_of_the_population_and_loses_less_than_k():
    release = shoal.anonymize(sample(), k_map=5)
    assert min(people_of(release).values()) >= 5
    assert release.manifest["method"]["name"] == "optimal"
    assert min(Counter(release.frame.select("age", "zip").iter_rows()).values()) < 5  # weaker than k
    assert release.loss["ncp"] < shoal.anonymize(sample(), method="optimal", k=5).loss["ncp"]
    assert release.verdict.reached["k_map"] == min(people_of(release).values())
    assert KMap(5) in shoal.anonymize(sample(), k_map=5, k=2).claim.parts


@pytest.mark.parametrize("asked", ["k_map = 5", "presence = [0, 0.2]"])
def test_a_folder_alone_cannot_tell_and_the_configuration_can(tmp_path, asked):
    folder, config = made(tmp_path, asked)
    alone = shoal.verify(folder)
    assert (alone.holds, alone.judged) == (False, False)
    assert "[population]" in alone.sentence
    assert shoal.verify(folder, config=config).holds
    assert shoal.verify(folder, config=config, against=tmp_path / "sample.csv").holds
    manifest = json.loads((folder / "manifest.json").read_text())
    assert "not who of them is in the data" in manifest["claim"]["attacker"]
    assert "reached" not in manifest or not manifest["reached"]
    fewer = PEOPLE[::30]  # another register: those of the data are hardly in it
    fewer.write_csv(tmp_path / "people.csv")
    other = shoal.verify(folder, config=config)
    assert (other.holds, other.judged) == (False, True)


def test_the_share_of_every_class_that_is_in_the_data_lies_in_the_range():
    release = shoal.anonymize(sample(), presence=[0.05, 0.25], suppress=0.1)
    inside, people = Counter(release.frame.select("age", "zip").iter_rows()), people_of(release)
    shares = [inside[form] / many for form, many in people.items()]
    assert sum(people.values()) == PEOPLE.height  # no class of the population is without anybody in the data
    assert (
        sum(inside.values()) == SAMPLE.height
    )  # and whoever were left out would be in the data all the same
    reached = release.verdict.reached
    assert (reached["presence_least"], reached["presence_most"]) == (min(shares), max(shares))
    assert min(shares) >= 0.05
    assert max(shares) <= 0.25


@pytest.mark.parametrize("asked", [{"k_map": 5}, {"k": 2, "k_map": 4}, {"presence": [0, 0.2]}], ids=str)
def test_whoever_has_the_population_is_right_as_often_as_it_says(asked):
    release = shoal.anonymize(sample(), **asked)
    people, played = people_of(release), shoal.attack(release)
    rows = list(release.frame.select("age", "zip").iter_rows())
    found = played.outcome_of("from-outside")
    assert sorted(found.chances) == pytest.approx(sorted(1 / people[row] for row in rows))
    assert found.inside
    assert found.highest <= found.bound == (1 / asked["k_map"] if "k_map" in asked else 0.2)
    if "presence" in asked:
        found = played.outcome_of("in-population")
        assert sorted(found.chances) == pytest.approx(sorted(rows.count(row) / people[row] for row in rows))
        assert found.inside
        assert found.highest <= found.bound == 0.2
    assert played.outcome_of("own-class").inside == (
        "k" in asked
    )  # who knows of somebody in the data is k's affair


def test_k_alone_promises_nothing_of_a_population():
    assert not shoal.attack(shoal.anonymize(sample(), k=5)).outcome_of("from-outside").inside


def test_a_missing_cell_is_a_class_of_its_own(tmp_path):
    """Its label is the root, which beside finer ones stands for missing cells: 2 of 12, and not of all."""
    people = PEOPLE.with_columns(age=pl.when(pl.int_range(600) % 50 > 0).then("age"))
    data = people[::9].with_columns(SAMPLE["ill"])
    folder, config = made(tmp_path, "presence = [0.02, 0.25]", data, people)
    cells = pl.read_csv(folder / "data.csv", infer_schema=False)["age"].to_list()
    assert "*" in cells
    assert len(set(cells)) > 2
    told = shoal.verify(folder, config=config)
    assert told.holds
    assert told.reached["presence_most"] == pytest.approx(cells.count("*") / 12)
    assert shoal.verify(folder, config=config, against=tmp_path / "sample.csv").holds
    played = shoal.attack(folder, tmp_path / "sample.csv", config=config).outcome_of("in-population")
    assert played.highest == pytest.approx(told.reached["presence_most"])
    hidden = data.with_columns(age=pl.col("age").fill_null("33"))  # whose age is known is not in that class
    hidden.write_csv(tmp_path / "sample.csv")
    other = shoal.verify(folder, config=config, against=tmp_path / "sample.csv")
    assert (other.holds, other.broken) == (False, 2)


def test_whoever_was_left_out_is_missed_in_the_shares(tmp_path):
    folder, config = made(tmp_path, "presence = [0.02, 0.25]")
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps(manifest | {"records_in": 70, "suppressed": 3}))
    told = shoal.verify(folder, config=config)
    assert (told.holds, told.judged) == (False, True)
    assert "3 records of the data were left out" in told.sentence


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"k_map": 1}, "without a look-alike"),
        ({"presence": [0.5, 1]}, "without a look-alike"),
        ({"presence": 0.5}, "presence: give the least and the largest share"),
        ({"presence": [0.5, 0.1]}, "the first share must not be above the second"),
        ({"presence": [0, 0]}, "and that not 0"),
        ({"presence": [0, 1.5]}, "presence must be two numbers from 0 to 1"),
        ({"presence": [0, 0.2], "minimal": False}, "it sees k alone, and no population; leave it out"),
        *(
            (
                asked | {"method": "mondrian"},
                f"mondrian cannot make a release that keeps {model}; use optimal",
            )
            for asked, model in [({"k_map": 5}, "k-map"), ({"presence": [0, 0.5]}, "delta-presence")]
        ),
    ],
    ids=str,
)
def test_what_cannot_be_promised_is_told(asked, words):
    with pytest.raises(InputError, match=words):
        shoal.anonymize(sample(), **asked)


def test_a_population_must_be_given_and_known_to_hierarchies(tmp_path):
    bare = shoal.read(SAMPLE, roles=ROLES, hierarchies=RULES)
    with pytest.raises(InputError, match="about the people of a population, and none is given"):
        shoal.anonymize(bare, k_map=5)
    paths = [f"{value};*" for value in sorted(set(SAMPLE["zip"]))][:-1]
    strange = PEOPLE.with_columns(pl.lit("99").alias("zip"))
    (tmp_path / "zip.csv").write_text("\n".join([*paths, f"{max(SAMPLE['zip'])};*"]))
    rules = {**RULES, "zip": tmp_path / "zip.csv"}
    with pytest.raises(
        InputError, match="600 people of the population have values that its hierarchy does not"
    ):
        shoal.anonymize(shoal.read(SAMPLE, roles=ROLES, hierarchies=rules, population=strange), k_map=5)


def test_several_claims_go_together():
    assert [part.named for part in make_claim("table", k=2, k_map=9).parts] == ["k-anonymity", "k-map"]
