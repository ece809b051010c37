"""Attackers played against releases of every shape: from folders, in memory, by kept rows and by rules."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import shoal
from release_cases import CONFIGS, ORIGINALS, make_release, write_originals
from shoal.assess.attack import ATTACKERS, play_attackers
from shoal.assess.attack_scene import scene_of, table_view
from shoal.attacks.method import play_cell_replay
from shoal.attacks.view_table import ALL, ENDS, TWO
from shoal.jobs.attack import _cell_replay_of, _maker_of
from shoal.privacy import make_claim


@pytest.fixture(scope="module")
def room(tmp_path_factory):
    """A room with releases of every kind.

    Local recoding has no rule for all records, so the private folder tells whose row is whose unless told not to.
    """
    found = tmp_path_factory.mktemp("attacked")
    write_originals(found)
    for kind in CONFIGS:
        make_release(found, kind, "ndjson" if kind == "trees" else "csv", rows=None, seed=1)
    return found


def played(room, kind, **more):
    form = "ndjson" if kind == "trees" else "csv"
    return shoal.attack(room / f"{kind}-{form}", room / ORIGINALS[kind], config=room / f"{kind}.toml", **more)


@pytest.fixture(scope="module", params=CONFIGS)
def usual(request, room):
    """A kind of release, and what attackers find in it."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("shoal.jobs.attack._count_tries", lambda dataset: 80)  # as `hasty` does
        return request.param, played(room, request.param)


def test_nobody_inside_a_claim_is_above_its_bound(usual):
    kind, found = usual
    assert found.holds, found.failed
    assert any(one.inside for one in found.attackers)
    assert [one.inside for one in found.attackers] == sorted(
        (one.inside for one in found.attackers), reverse=True
    )
    tables, baskets = ("persons", "diverse"), ("secret", "vote", "groups")
    shape = "table" if kind in tables else "baskets" if kind in baskets else kind
    assert {one.name for one in found.attackers} <= {*ATTACKERS[shape]}


def test_the_audit_tells_the_same(room, usual):
    kind, again = usual
    form = "ndjson" if kind == "trees" else "csv"
    private = room / f"{kind}-{form}.private"
    audit = json.loads((private / "audit.json").read_text())["attack"]
    told = {one["name"]: one["success"] for one in audit["attackers"] if one["low"] == one["high"]}
    found = {one.name: one.success for one in again.attackers if one.low == one.high}
    both = told.keys() & found.keys()
    assert both
    assert {name: told[name] for name in both} == pytest.approx({name: found[name] for name in both})
    assert "How likely somebody is found" in (private / "audit.html").read_text(encoding="utf-8")


@pytest.mark.usefixtures("hasty")
def test_a_release_in_memory_knows_its_originals(people):
    table = shoal.read(
        people / "people.csv",
        roles={
            "name": "identifier",
            "age": "quasi",
            "sex": "quasi",
            "job": "drop",
            "disease": "sensitive",
            "ward": "plain",
        },
        hierarchies={"age": {"ranges": [10]}, "sex": {"fanout": 3}},
        missing=("", "?"),
    )
    release = shoal.anonymize(table, k=3)
    found = shoal.attack(release)
    assert found.holds
    with pytest.raises(shoal.InputError, match="leave originals and config out"):
        shoal.attack(release, people / "people.csv")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (((), {}), "is not a release"),
        ((("out",), {}), "needs its originals"),
        ((("out", "people.csv"), {"people": 0}), "people is not a whole number"),
        ((("out", "people.csv"), {"seed": -1}), "seed"),
    ],
)
def test_wrong_arguments_are_told(words, said):
    given, named = words
    with pytest.raises(shoal.InputError, match=said):
        shoal.attack(*(given or (7,)), **named)


@pytest.mark.usefixtures("hasty")
def test_a_seed_draws_the_same_people(room):
    first, second = (played(room, "table", people=9, seed=4) for _ in range(2))
    assert first.as_dict() == second.as_dict()
    assert first.attackers[0].played == 9


def test_who_asks_for_one_attacker_does_not_wait_for_those_who_make_the_release_again(room, monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr("shoal.jobs.attack._replay_of", never)
    monkeypatch.setattr("shoal.jobs.attack._cell_replay_of", never)
    found = played(room, "table", attacker="own-class")
    assert [one["name"] for one in found.as_dict()["attackers"]] == ["own-class"]
    with pytest.raises(shoal.InputError, match="did you mean 'own-class'"):
        played(room, "table", attacker="ownclass")


@pytest.mark.usefixtures("hasty")
def test_the_result_is_a_table_a_plot_and_words(room):
    found = played(room, "table")
    assert found.table()["name"].to_list() == [one.name for one in found.attackers]
    assert len(found.plot().data) == 3
    assert "all-quasi-identifiers" in found._repr_html_()
    assert "Ann" not in repr(found) + found._repr_html_()
    with pytest.raises(shoal.InputError, match="no attacker 'nobody' was tried"):
        found.outcome_of("nobody")


def _labelled(n=24):
    chance = np.random.default_rng(3)
    frame = pl.DataFrame(
        {
            "items": [" ".join(f"i{j}" for j in range(6) if chance.random() < 0.4) or "i0" for _ in range(n)],
            "faith": [f"f{v}" for v in chance.permutation(np.arange(n) % 6)],
        }
    )
    return shoal.read(frame, roles={"items": "items", "faith": "sensitive"})


def _ill(n=16):
    chance = np.random.default_rng(3)
    frame = pl.DataFrame({"age": chance.integers(20, 60, n), "ill": [f"d{v}" for v in np.arange(n) % 3]})
    return shoal.read(
        frame, roles={"age": "quasi", "ill": "sensitive"}, hierarchies={"age": {"ranges": [5, 10, 20]}}
    )


@pytest.mark.parametrize("method", ["mstk", "optimal", "kmember", "mondrian"])
def test_whoever_knows_the_method_learns_no_less_than_the_class_tells(method):
    found = shoal.attack(shoal.anonymize(_ill(), method=method, k=2, l=2), attacker="knows-method")
    told = found.outcome_of("knows-method")
    assert told.played == 16
    assert (
        told.success >= found.outcome_of("inference").success - 0.01
    )  # some thousand worlds are drawn, not all


def test_labels_that_steer_blocks_are_told_and_dealt_ones_are_not_played():
    steered = shoal.attack(shoal.anonymize(_labelled(), l=2, seed=1)).outcome_of("knows-method")
    assert steered.success > 0.55
    dealt = shoal.attack(shoal.anonymize(_labelled(), l=2, minimal=False, seed=1))
    assert "knows-method" not in {one.name for one in dealt.attackers}


def test_nobody_learns_from_a_method_that_looks_at_k_alone():
    found = shoal.attack(shoal.anonymize(_ill(), method="mstk", k=2), attacker="knows-method")
    assert "knows-method" not in {one.name for one in found.attackers}


def test_of_a_shape_without_attackers_it_is_told(monkeypatch):
    scene = scene_of(shoal.anonymize(_ill(), method="mstk", k=2))
    others = {shape: names for shape, names in ATTACKERS.items() if shape != "table"}  # order stays as it was
    monkeypatch.setattr("shoal.assess.attack.ATTACKERS", others)
    assert play_attackers(scene).not_played == ("there is no attacker for data of this shape yet",)


def _aged(ages):
    return shoal.read(
        pl.DataFrame({"age": ages}), roles={"age": "quasi"}, hierarchies={"age": {"ranges": [5, 10, 20]}}
    )


@pytest.mark.parametrize("more", [{}, {"suppress": 0.3}], ids=str)
def test_whoever_replays_a_cell_is_right_as_often_as_making_every_release_anew_tells(more):
    """The twin reads other data and makes their release in full, hierarchies and all, for each value under a label."""
    ages = [21, 22, 24, 27, 33, 34, 47]
    made = shoal.anonymize(_aged(ages), method="boxes", k=2, seed=1, **more)
    rows = sorted(made.frame["age"].to_list())
    label = dict(zip(made.rows.tolist(), made.frame["age"].to_list(), strict=True))
    expected = []
    for record, text in label.items():
        low, high = (0, 99) if text == "*" else (int(end) for end in text.strip("[)").split(", "))
        left = []
        for age in [age for age in sorted(set(ages)) if low <= age < high]:
            world = _aged([*ages[:record], age, *ages[record + 1 :]])
            try:
                other = shoal.anonymize(world, method="boxes", k=2, seed=1, **more)
            except shoal.InfeasibleError:
                continue
            if sorted(other.frame["age"].to_list()) == rows:
                left.append(1 + (age != ages[record]))
        expected.append(1 / sum(left))
    cells = _cell_replay_of(scene_of(made))
    assert np.allclose(sorted(play_cell_replay(cells, 10**6).chances), sorted(expected))
    assert max(expected) > 0.5


def test_of_a_release_that_only_public_people_steer_a_replayed_cell_tells_nothing():
    data = _towns("all")
    cells = _cell_replay_of(scene_of(shoal.anonymize(data, method="blind", k=3, suppress=0.5, seed=1)))
    found = play_cell_replay(cells, 60)
    assert found.figures["worlds"] == 1
    assert found.success == pytest.approx(found.figures["prior"])


def test_cells_are_replayed_for_k_alone_and_where_not_it_is_told():
    made = shoal.anonymize(_ill(), method="mstk", k=2)
    found = shoal.attack(made).outcome_of("replays-cells")
    assert found.success >= found.figures["prior"]
    scene = scene_of(made)
    other = replace(scene, claim=make_claim("table", k=8))
    assert _cell_replay_of(other) == "it makes the release again, and that did not give this release"
    assert "5,000 cells" in _cell_replay_of(scene_of(shoal.anonymize(_ill(6000), method="optimal", k=2)))


def _towns(population=None, ages=None):
    """Thirty of sixty people; in half of the ages nobody of the data is."""
    chance = np.random.default_rng(3)
    frame = pl.DataFrame(
        {"age": chance.integers(20, 60, 60), "zip": [f"{v:05d}" for v in chance.integers(10000, 10040, 60)]}
    )
    who = {"all": frame, "some": frame[20:], None: None}[population]
    rules = {"zip": {"mask": "right"}, "age": ages or {"ranges": [5, 10, 20]}}
    return shoal.read(
        frame[:30], roles=dict.fromkeys(frame.columns, "quasi"), hierarchies=rules, population=who
    )


@pytest.mark.usefixtures("hasty")
def test_a_register_tells_who_is_there_and_is_asked_for_where_there_is_none():
    found = shoal.attack(shoal.anonymize(_towns("all"), method="mstk", k=2, seed=1)).outcome_of("in-register")
    told = found.figures
    assert (told["register"], told["rows"]) == (60, 30)
    assert found.certain == told["by labels"] + told["by narrow labels"] > 0
    blind = shoal.attack(shoal.anonymize(_towns("all"), method="optimal", k=2, seed=1))
    assert "by narrow labels" not in blind.outcome_of("in-register").figures
    none = shoal.attack(shoal.anonymize(_towns(), method="optimal", k=2, seed=1)).as_dict()["not_played"]
    assert [line for line in none if "name one as path in [population]" in line]
    less = shoal.attack(shoal.anonymize(_towns("some"), method="optimal", k=2, seed=1))
    assert "20 of those released have nobody there" in less.absent["in-register"]
    assert (
        less.pick_attacker("in-register").as_dict()["not_played"][0].startswith("in-register: the people of")
    )
    assert less.pick_attacker("own-class").as_dict()["not_played"] == []
    assert less.absent["lowest-labels"].startswith("each column has one level for all records")


@pytest.mark.parametrize("ages", [{"ranges": [5, 10]}, {"fanout": 3}, {"ranges": [10], "top": 50}], ids=str)
@pytest.mark.parametrize(
    ("method", "more"),
    [*((name, {}) for name in ("mstk", "boxes", "kmember", "mondrian")), ("mstk", {"recode": "span"})],
)
def test_labels_of_local_recodings_are_as_narrow_as_attackers_take_them_to_be(method, more, ages):
    scene = scene_of(shoal.anonymize(_towns(ages=ages), method=method, k=3, seed=1, suppress=0.1, **more))
    view = table_view(scene.dataset, scene.frame, scene.row_of, scene.method)
    assert view.parts
    for j, column in enumerate(view.parts):
        for c, form in enumerate(view.labels[:, j].tolist()):
            top = column.part[form].max()
            there = {*column.part[form, view.values[view.of_record == c, j]].tolist()}
            wanted = {TWO: set(), ALL: {*range(top + 1)}, ENDS: {0, top}}[int(column.says[form])]
            assert top <= 0 or (wanted <= there and len(there) > 1)


@pytest.mark.parametrize("parameters", [{"method": "mstk"}, {"dataset": 1}, ["k"], None])
def test_a_manifest_that_somebody_wrote_is_not_made_anew(parameters):
    assert _maker_of(None, None, {"name": "mstk", "parameters": parameters}) is None


def visits():
    """A thousand visits of which year of birth and zip code are known; visit year less age tells the birth year."""
    random, n = np.random.default_rng(2), 1000
    born, visit = random.integers(1940, 2005, n), random.integers(2010, 2020, n)
    columns = {
        "born": born,
        "zip": [f"{10_000 + code}" for code in random.integers(0, 100, n)],
        "visit": visit,
        "age": visit - born - random.integers(0, 2, n),
    }
    rules = {"born": {"ranges": [100]}, "zip": {"fanout": 100}}
    roles = {"born": "quasi", "zip": "quasi", "visit": "plain", "age": "plain"}
    return columns, shoal.read(pl.DataFrame(columns), roles=roles, hierarchies=rules, allow=("visit", "age"))


@pytest.mark.usefixtures("hasty")
def test_attackers_use_what_follows_from_published_columns():
    """The oracle knows that visit year less age is the birth year, or the next one, and that visits span ten years."""
    columns, data = visits()
    release = shoal.anonymize(data, k=5, method="mstk", seed=1)
    found = shoal.attack(release)
    visit, age = (release.data[name].to_numpy() for name in ("visit", "age"))
    classes = release.data.select(pl.struct("born", "zip").rank("dense"))["born"].to_numpy()
    chances = []
    for row, record in enumerate(release.rows.tolist()):
        born = columns["born"][record]
        birth = (visit - age == born) | (visit - age == born + 1)
        span = (age + born >= 2010) & (age + born < 2020)
        ways = [(classes == classes[row]) & way for way in (birth, span, birth & span)]
        chances.append(max(1 / way.sum() if way[row] else 0 for way in ways))
    played_out = found.outcome_of("columns-that-follow")
    assert played_out.success == pytest.approx(np.mean(chances))
    assert played_out.certain == sum(chance == 1 for chance in chances)
    assert played_out.success > 1.4 * found.outcome_of("own-class").success
    assert found.holds  # what an owner lets out is beyond the claim


def test_attackers_of_baskets_use_what_follows_from_items():
    """Three people alone hold an item and a label; whoever knows the item finds the label's three rows."""
    random = np.random.default_rng(6)
    items = [["rare"]] * 3 + [[f"item {one}"] for one in random.integers(0, 6, 57)]
    label = ["own"] * 3 + [f"label {one}" for one in random.integers(0, 4, 57)]
    data = shoal.read(
        pl.DataFrame({"items": items, "label": label}),
        roles={"items": "items", "label": "sensitive"},
        allow=("label",),
    )
    found = shoal.attack(shoal.anonymize(data, k=5, m=1))
    told, plainly = found.outcome_of("columns-that-follow"), found.outcome_of("m-items")
    assert told.chances[:3].tolist() == pytest.approx([1 / 3] * 3)
    assert told.chances[3:].tolist() == pytest.approx(plainly.chances[3:].tolist())
    assert plainly.highest <= 1 / 5


def test_attackers_of_tables_with_baskets_use_what_follows_from_items():
    """Everybody is alike but for items, which groups hide; two plain columns say who holds two of them."""
    random, n = np.random.default_rng(6), 80
    ill, old = np.arange(n) < 10, (np.arange(n) >= 9) & (np.arange(n) < 19)  # the tenth person is both
    items = [
        [f"item {one}", *(["insulin"] if a else []), *(["stairlift"] if b else [])]
        for one, a, b in zip(random.integers(0, 4, n), ill, old, strict=True)
    ]
    columns = {
        "age": [30] * n,
        "items": items,
        "ward": ["A" if a else f"ward {one}" for a, one in zip(ill, random.integers(0, 4, n), strict=True)],
        "wing": ["B" if b else f"wing {one}" for b, one in zip(old, random.integers(0, 4, n), strict=True)],
    }
    data = shoal.read(
        pl.DataFrame(columns),
        roles={"age": "quasi", "items": "items", "ward": "plain", "wing": "plain"},
        hierarchies={"age": {"ranges": [10]}},
        allow=("ward", "wing"),
    )
    release = shoal.anonymize(data, k=12, m=2, seed=1)
    found = shoal.attack(release)
    told, plainly = found.outcome_of("columns-that-follow"), found.outcome_of("own-class-m-items")
    alone = release.data.filter((pl.col("ward") == "A") & (pl.col("wing") == "B"))
    assert alone.height == 1  # whoever knows both items finds the one row with both
    assert told.chances[9] == 1
    assert plainly.highest <= 1 / 12
    assert (told.chances[:19] > 1 / 12).all()
    assert (told.chances >= plainly.chances - 1e-9).all()
    assert not told.inside
    assert found.holds  # what an owner lets out is beyond the claim


def test_attackers_of_baskets_by_vote_use_what_follows_from_items():
    """Three people alone hold an item and a label; whoever knows all baskets looks for rows with the label."""
    random, n = np.random.default_rng(6), 60
    items = [["rare", f"item {one}"] for one in range(3)] + [
        sorted({f"item {one}" for one in random.integers(0, 6, 2)}) for _ in range(n - 3)
    ]
    label = ["own"] * 3 + [f"label {one}" for one in random.integers(0, 4, n - 3)]
    data = shoal.read(
        pl.DataFrame({"items": items, "label": label}),
        roles={"items": "items", "label": "sensitive"},
        allow=("label",),
    )
    found = shoal.attack(shoal.anonymize(data, k=5, seed=1))
    told, plainly = found.outcome_of("columns-that-follow"), found.outcome_of("every-basket")
    assert plainly.highest <= 1 / 5
    assert (told.chances[:3] >= 1 / 3 - 1e-9).all()
    assert (told.chances >= plainly.chances - 1e-9).all()
    assert found.holds
