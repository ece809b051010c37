"""Claims beside a population: from the guarantee to the verdict on the folder."""

import json
from collections import Counter

import polars as pl
import pytest

import shoal
from shoal.errors import InputError
from shoal.privacy import KMap, claim_of
from shoal.publish.jobs import run_config

pytestmark = pytest.mark.usefixtures("bare")

PEOPLE = pl.DataFrame(
    {
        "age": [str(20 + i % 37) for i in range(600)],
        "zip": [f"{10 + i % 7}{i % 3}" for i in range(600)],
    }
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


def made(folder, asked):
    SAMPLE.write_csv(folder / "sample.csv")
    PEOPLE.write_csv(folder / "people.csv")
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


def test_a_folder_alone_cannot_tell_and_the_configuration_can(tmp_path):
    folder, config = made(tmp_path, "k_map = 5")
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


@pytest.mark.parametrize(
    ("options", "asked", "words"),
    [
        ({}, {"k_map": 1}, "without a look-alike"),
        (
            {},
            {"k_map": 5, "method": "mondrian"},
            "mondrian cannot make a release that keeps k-map; use optimal",
        ),
    ],
)
def test_what_cannot_be_promised_is_told(options, asked, words):
    with pytest.raises(InputError, match=words):
        shoal.anonymize(sample(**options), **asked)


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
    assert [part.named for part in claim_of("table", k=2, k_map=9).parts] == ["k-anonymity", "k-map"]
