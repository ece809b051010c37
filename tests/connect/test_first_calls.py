"""What somebody writes first who knows pandas and has read only that shoal anonymizes tables: it works, or says how."""

import io

import pandas as pd
import polars as pl
import pytest

import shoal

pytestmark = pytest.mark.filterwarnings(
    "ignore::shoal.ShoalWarning"
)  # what to know of data is told elsewhere

PEOPLE = pd.DataFrame(
    {
        "name": [f"P{i}" for i in range(40)],
        "age": [20 + i % 10 for i in range(40)],
        "sex": ["f", "m"] * 20,
        "disease": [("flu", "gout", "asthma", "cough")[i // 10] for i in range(40)],
    }
)
ROLES = {"name": "identifier", "age": "quasi", "sex": "quasi", "disease": "sensitive"}
BY_ROLE = {"identifier": ["name"], "quasi": ["age", "sex"], "sensitive": ["disease"]}

WORKS = {
    "df.shoal.anonymize(k=5, quasi=['age', 'sex'], sensitive='disease', drop='name')": "release",
    "df.shoal.anonymize(k=5, as_proposed=True)": "release",
    "shoal.anonymize(df, k=5, as_proposed=True)": "release",
    "shoal.anonymize(df, 5, quasi=['age', 'sex'], drop='*')": "release",
    "shoal.anonymize(df, k=5, quasi=df.columns[1:3], sensitive=['disease'], identifier=['name'])": "release",
    "shoal.anonymize(df, k=5, roles=ROLES)": "release",
    "shoal.anonymize(df, k=5, roles=BY_ROLE)": "release",
    "shoal.anonymize('people.csv', k=5, quasi=['age', 'sex'], drop='*')": "release",
    "shoal.anonymize(shoal.propose(df), k=5)": "release",
    "shoal.read(df, quasi=['age', 'sex'], drop=['name', 'disease'])": "data",
    "shoal.read(df, roles=BY_ROLE)": "data",
    "shoal.read(df, as_proposed=True)": "data",
    "shoal.propose(df).read()": "data",
    "shoal.risk(df)": "risk",
    "df.shoal.risk()": "risk",
    "shoal.risk(df, quasi=['age', 'sex'])": "risk",
    "shoal.judge(df, k=5, quasi=['age', 'sex'])": "verdict",
    "df.shoal.judge(k=5, l=2, quasi=['age', 'sex'], sensitive='disease')": "verdict",
    "shoal.pareto(df, quasi=['age', 'sex'], drop='*')": "front",
    "release.to_csv('out.csv', index=False)": "path",
    "release.to_csv()": "text",
    "release.report()": "text",
    "len(release)": 40,
    "release.shape": (40, 3),
    "release.columns": ["age", "sex", "disease"],
    "list(release['disease'].sort_values())[:1]": ["asthma"],
    "release.data.head(2).shape": (2, 3),
    "release.head(2).shape": (2, 3),
    "release[['age', 'sex']].shape": (40, 2),
    "'age' in release": True,
    "pd.DataFrame(release).equals(release.to_pandas())": True,
    "pl.DataFrame(release).equals(release.to_polars())": True,
    "sum(row['sex'] == 'f' for row in release)": 20,
    "release.save('release')": "path",
}
"""What works, with what comes of it."""

SAYS = {
    "df.shoal.anonymize(k=5)": r"anonymize: no roles are given; say what the columns are, such as quasi=\[.*"
    r"shoal\.propose\(data\)\.read\(\), or as_proposed=True",
    "shoal.anonymize(df, k=5)": r"anonymize: no roles are given; .* or as_proposed=True",
    "shoal.read(df)": r"read: no roles are given; .* shoal\.propose\(data\)\.read\(\)",
    "shoal.anonymize(df, k=5, quasi=['age', 'sex'])": r"frame: no role for 'name', 'disease'; .* leave them out by "
    r"drop, .* as_proposed=True",
    "shoal.anonymize(df, k=5, quasi_identifiers=['age'])": r"there is no argument 'quasi_identifiers'; write quasi=",
    "shoal.anonymize(df, k=5, roles={'quasi': 'age'})": r"'age' is no role; .* roles=\{'quasi': \['age'\]\}",
    "shoal.anonymize(df, k=5, quasi=['age', 'gender'], drop='*')": r"no column 'gender'",
    "shoal.anonymize(df, quasi=['age', 'sex'], drop='*')": r"give at least one of k",
    "shoal.compare(df)": r"compare: no roles are given",
    "shoal.judge(df)": r"judge: no claim is given; .* k=5 and quasi=",
    "shoal.judge(df, k=5)": r"judge: quasi is not given; .* quasi=\[\"age\"\]",
    "shoal.check(df, k=5)": r"no attribute 'check'; write shoal\.judge",
    "shoal.read_csv('people.csv')": r"write shoal\.read",
    "release.df": r"write release\.data$",
    "release.describe()": r"write release\.data\.describe$",
    "release.to_csv('people.csv')": r"people\.csv: exists; .* force=True",
    "release.to_csv('out.csv', index=True)": r"leave index out",
    "release['agee']": r"no column 'agee' is released; did you mean 'age'",
    "release[0]": r"write release\.data for the frame",
}
"""What does not work, with what is said."""


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A folder with the people as a file, and what a notebook of these calls knows."""
    folder = tmp_path_factory.mktemp("first")
    PEOPLE.to_csv(folder / "people.csv", index=False)
    release = shoal.anonymize(PEOPLE, k=5, quasi=["age", "sex"], sensitive="disease", drop="name")
    names = {"shoal": shoal, "df": PEOPLE, "pd": pd, "pl": pl, "release": release}
    return folder, names | {"ROLES": ROLES, "BY_ROLE": BY_ROLE}


KINDS = {
    "release": lambda found: bool(found.verdict) and found.claim == shoal.KAnonymity(5),
    "data": lambda found: found.shape == "table",
    "risk": lambda found: found.as_dict()["k"] == 5,
    "verdict": lambda found: found.judged,
    "front": lambda found: len(found.table()) > 0,
    "path": lambda found: found.exists(),
    "text": lambda found: len(found) > 100,
}


@pytest.mark.parametrize("call", WORKS)
def test_a_first_call_works(call, room, monkeypatch):
    folder, names = room
    monkeypatch.chdir(folder)
    found, expected = eval(call, names), WORKS[call]  # the table above
    assert KINDS[expected](found) if isinstance(expected, str) else found == expected


@pytest.mark.parametrize("call", SAYS)
def test_another_first_call_says_what_to_write(call, room, monkeypatch):
    folder, names = room
    monkeypatch.chdir(folder)
    with pytest.raises((shoal.ShoalError, AttributeError), match=SAYS[call]) as caught:
        eval(call, names)
    assert "[" not in str(caught.value).replace("=[", "").replace(": [", ""), "no section of a configuration"


def test_what_is_written_reads_back_as_the_release(room, tmp_path):
    _, names = room
    path = names["release"].to_csv(tmp_path / "data.csv")
    assert pl.read_csv(path, infer_schema=False).equals(names["release"].to_polars())
    assert pd.read_csv(io.StringIO(names["release"].to_csv())).shape == (40, 3)
    names["release"].to_parquet(tmp_path / "data.parquet")
    assert pl.read_parquet(tmp_path / "data.parquet").equals(names["release"].to_polars())
    assert sorted(child.name for child in tmp_path.iterdir()) == ["data.csv", "data.parquet"]


def test_what_nobody_decided_leaves_by_no_file(tmp_path):
    proposal = shoal.propose(PEOPLE)
    proposal["disease"].ask(1, "somebody must look")
    release = shoal.anonymize(proposal, k=5)
    for write in (release.to_csv, release.to_parquet, release.save):
        with pytest.raises(shoal.InputError, match=r"nobody has decided about 'disease'.*as_proposed=True"):
            write(tmp_path / "out")
        assert list(tmp_path.iterdir()) == []
    assert release.to_csv(tmp_path / "out.csv", as_proposed=True).exists()
    said_before = shoal.anonymize(proposal, k=5, as_proposed=True)
    assert said_before.manifest == release.manifest
    said_before.save(tmp_path / "out")
    assert '"as_proposed": [\n    "disease"' in (tmp_path / "out" / "manifest.json").read_text()


def test_a_rehearsal_and_record_trees_are_not_written_as_one_file(tmp_path):
    release = shoal.anonymize(PEOPLE, k=5, quasi=["age", "sex"], drop="*", seed=1)
    with pytest.raises(shoal.InputError, match=r"^to_csv: a seed was given, so this is a rehearsal"):
        release.to_csv(tmp_path / "data.csv")
    people = [{"visits": [{"ward": ward, "ill": ill}]} for ward in "AB" for ill in ("flu", "gout", "gout")]
    flat = {"visits.ward": {"fanout": 2}, "visits.ill": {"fanout": 2}}
    trees = shoal.anonymize(shoal.read_trees(people, hierarchies=flat), k=2, m=1, n=0)
    assert trees.columns == ["nodes"]
    assert len(trees) == 6
    with pytest.raises(shoal.InputError, match=r"^to_csv: .*write release\.save\(folder\)"):
        trees.to_csv(tmp_path / "data.csv")
    assert list(tmp_path.iterdir()) == []


def test_groups_of_items_are_spelled_out_in_one_file(tmp_path):
    items = [["ale", "pie"], ["ale", "rum"], ["pie"], ["rum"], ["ale"], ["pie", "rum"]]
    release = shoal.anonymize(pl.DataFrame({"bought": items}), k=2, m=2, items="bought", method="pcta")
    assert release.groups
    text = release.to_csv()
    assert not any(name in text for name in release.groups)
    assert {word for word in ("ale", "pie", "rum") if word in text}
