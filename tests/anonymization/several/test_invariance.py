"""m-invariant releases that follow each other while people come and go: law, refusals, and the words of commands."""

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner

import release_cases as cases
import shoal as python
from shoal.anonymization.several.joint_judges import invariance_of
from shoal.anonymization.several.judging import open_earlier, verify_several
from shoal.base.errors import InfeasibleError, InputError
from shoal.cli import shoal
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.shapes.registry import open_dataset

pytestmark = pytest.mark.usefixtures("bare")

SOAK = pytest.mark.soak
TOML = """[data]
path = "{name}.csv"
[columns]
name = "identifier"
age = {{ role = "quasi", hierarchy = {{ ranges = [5, 10, 20, 40] }} }}
town = {{ role = "quasi", hierarchy = {{ fanout = 3 }} }}
sex = "quasi"
ill = "sensitive"
[guarantee]
k = {k}
l = {l}
[method]
suppress = {suppress}
"""


def write(room, name, ids, seed=0, k=3, l=2, suppress=0.5):
    """The records of some of a thousand people, and a configuration of them."""
    random, n = np.random.default_rng(seed), 1_000
    everybody = pl.DataFrame(
        {
            "name": [f"p{i}" for i in range(n)],
            "age": random.integers(18, 80, n),
            "town": [f"town {i}" for i in random.integers(0, 9, n)],
            "sex": random.choice(["f", "m"], n),
            "ill": random.choice(["flu", "gout", "HIV", "asthma"], n, p=[0.35, 0.3, 0.15, 0.2]),
        }
    )
    everybody[ids].write_csv(room / f"{name}.csv")
    (room / f"{name}.toml").write_text(TOML.format(name=name, k=k, l=l, suppress=suppress))
    return room / f"{name}.toml"


def follow(room, names):
    """Releases of these data, each beside all before it."""
    for at, name in enumerate(names):
        before = names[:at]
        run_config(
            room / f"{name}.toml",
            room / f"out-{name}",
            earlier=[room / f"out-{other}" for other in before],
            earlier_configs=[room / f"{other}.toml" for other in before],
            invariant=True,
        )


def judge(room, names):
    configs = [load(room / f"{name}.toml") for name in names]
    against = [room / f"{name}.csv" for name in names]
    return verify_several(
        [room / f"out-{n}" for n in names], configs=configs, against=against, together=invariance_of
    )


def read(room, name):
    """What is published of each person, by the definition: the labels, and the values of the class."""
    data = pl.read_csv(room / f"out-{name}/data.csv", infer_schema=False)
    rows = pl.read_parquet(room / f"out-{name}.private/rows.parquet")
    names = rows["person"]
    quasi = ["age", "town", "sex"]
    sets = data.group_by(quasi).agg(
        pl.col("ill").unique().sort().alias("set"), pl.col("ill").value_counts().alias("n")
    )
    counts = [{one["count"] for one in held} for held in sets["n"].to_list()]
    assert all(len(many) == 1 for many in counts)
    return dict(
        zip(names, data.join(sets, on=quasi, how="left", maintain_order="left")["set"].to_list(), strict=True)
    )


@pytest.mark.parametrize(
    ("seed", "k", "l"), [(2, 4, 2), pytest.param(1, 2, 2, marks=SOAK), pytest.param(3, 3, 3, marks=SOAK)]
)
def test_people_come_and_go(tmp_path, seed, k, l):
    random = np.random.default_rng(seed)
    names = ["a", "b", "c"]
    for name in names:
        write(tmp_path, name, np.sort(random.choice(220, 150, replace=False)), seed, k, l)
    follow(tmp_path, names)
    found = judge(tmp_path, names)
    assert found.verdict, found.verdict
    assert found.figures["changed"] == 0
    sets = [read(tmp_path, name) for name in names]
    for one in sets:
        assert len(one) >= 75
        assert min(map(len, one.values())) >= l
        for other in sets:
            assert all(one[person] == other[person] for person in one.keys() & other.keys())


def test_what_cannot_follow(tmp_path):
    first = write(tmp_path, "a", np.arange(100))
    second = write(tmp_path, "b", np.arange(20, 120), suppress=0)
    plain = tmp_path / "plain.toml"
    plain.write_text(first.read_text().replace('sex = "quasi"', 'sex = "plain"'))
    usual = tmp_path / "usual.toml"
    usual.write_text(first.read_text().replace("[method]", '[method]\nname = "mondrian"'))
    run_config(usual, tmp_path / "usual")
    for kind, config, options in [
        ("not m-invariant, so none can follow", second, {"earlier": ["usual"], "earlier_configs": [first]}),
        ("give --earlier-config for each", second, {"earlier": ["usual"], "invariant": True}),
        ("goes with --earlier", second, {"earlier_configs": [first]}),
        ("the same person's", plain, {"invariant": True}),
        ("leave out --recoding", first, {"invariant": True, "recoding": first}),
        (r"data of other people|other records", second, {"earlier": ["usual"], "earlier_configs": [second]}),
    ]:
        options = options | {"earlier": [tmp_path / name for name in options.get("earlier", ())]}
        with pytest.raises(InputError, match=kind):
            run_config(config, tmp_path / "out", **options)
        assert not (tmp_path / "out").exists()
    run_config(first, tmp_path / "out-a", invariant=True)
    few = write(tmp_path, "c", np.arange(3), suppress=0, l=2)
    with pytest.raises(InfeasibleError, match="people who are in earlier releases"):
        run_config(few, tmp_path / "out", earlier=[tmp_path / "out-a"], earlier_configs=[first])


def test_commands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, "a", np.arange(90))
    write(tmp_path, "b", np.arange(30, 110))
    said = CliRunner().invoke(shoal, ["run", "a.toml", "--out", "one", "--invariant"])
    assert said.exit_code == 0, said.output
    assert "m-invariance holds for one release" in said.output
    said = CliRunner().invoke(
        shoal, ["run", "b.toml", "--out", "two", "--earlier", "one", "--earlier-config", "a.toml"]
    )
    assert said.exit_code == 0, said.output
    asked = ["--config", "a.toml", "--config", "b.toml", "--against", "a.csv", "--against", "b.csv"]
    assert CliRunner().invoke(shoal, ["verify", "one", "two", *asked, "--invariant"]).exit_code == 0
    assert (
        CliRunner().invoke(shoal, ["verify", "one", "two", *asked]).exit_code == 1
    )  # for whoever links rows
    assert "earlier" not in (tmp_path / "two/manifest.json").read_text()


def test_in_python(tmp_path):
    """What the commands do, by `shoal.anonymize` and `shoal.verify`."""
    for name, ids in (("a", range(120)), ("b", range(40, 160))):
        write(tmp_path, name, list(ids), l=2)
    trees = {"age": {"ranges": [5, 10, 20, 40]}, "town": {"fanout": 3}}
    roles = {"name": "identifier", "age": "quasi", "town": "quasi", "sex": "quasi", "ill": "sensitive"}
    years = [python.read(tmp_path / f"{name}.csv", roles=roles, hierarchies=trees) for name in "ab"]
    asked = {"k": 3, "l": 2, "suppress": 0.5, "seed": 1}
    places, configs = ([tmp_path / f"{name}{end}" for name in "ab"] for end in ("", ".toml"))
    python.anonymize(years[0], invariant=True, **asked).save(places[0], rows=True)
    following = {"earlier": places[:1], "earlier_configs": configs[:1]}
    python.anonymize(years[1], **following, **asked).save(places[1], rows=True)
    files = [tmp_path / f"{name}.csv" for name in "ab"]
    assert python.verify(*places, config=configs, against=files, invariant=True)
    assert "m-invariance" in python.verify(*places, config=configs, against=files, invariant=True).sentence
    for wrong, said in (
        ({"invariant": True, "earlier": places[:1]}, "needs the originals of each"),
        ({"earlier_configs": configs[:1]}, "earlier_configs goes with earlier"),
    ):
        with pytest.raises(InputError, match=said):
            python.anonymize(years[1], **wrong, **asked)
    with pytest.raises(InputError, match="about several releases"):
        python.verify(places[0], invariant=True)
    with pytest.raises(InputError, match="one release has one config"):
        python.verify(places[0], config=configs)


def test_sensitive_items_of_the_earlier_configuration(tmp_path):
    cases.write_originals(tmp_path)
    first, second = tmp_path / "first.toml", tmp_path / "second.toml"
    first.write_text(cases.SECRET)
    second.write_text(cases.SECRET.replace('"HIV"', '"flu"'))
    run_config(first, tmp_path / "one")
    opened = open_dataset(load(second))
    (usual,) = open_earlier(opened, [tmp_path / "one"]).parts
    (own,) = open_earlier(opened, [tmp_path / "one"], [load(first)]).parts
    named = [
        [part.known.originals.baskets.values[i] for i in part.known.originals.baskets.sensitive]
        for part in (usual, own)
    ]
    assert named == [["flu"], ["HIV"]]
