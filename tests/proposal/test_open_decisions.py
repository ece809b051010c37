"""How a decision is made in shoal.toml: each open one has its likely answer there, and others behind a #."""

import json
import random
import re
import tomllib
from dataclasses import replace

import polars as pl
import pytest

import shoal
from shoal.base.errors import InputError
from shoal.io.config import load
from shoal.jobs.configured import run_config
from shoal.proposal.proposal import summarize_proposal
from shoal.report.words import label

pytestmark = pytest.mark.usefixtures("untried", "bare")

N = 240
DRAW = random.Random(5)
BASE = {"age": [20 + i % 50 for i in range(N)], "sex": [DRAW.choice("fm") for _ in range(N)]}
TABLE = BASE | {
    "patient_id": [1000 + i for i in range(N)],
    "odd\nname #1": [1 + i % 60 for i in range(N)],
    "diagnosis": [DRAW.choice(["flu", "gout", "asthma"]) for _ in range(N)],
    "first_name": ["Ana", "Eva"] * (N // 2),
    "household_id": [i // 3 for i in range(N)],
}
LISTS = ["|".join(DRAW.sample(["ale", "pie", "tea", "rum"], 1 + i % 3)) for i in range(N)]
SHAPES = {"table": TABLE, "baskets": {"bought": LISTS}, "mixed": BASE | {"bought": LISTS}}
ASKED = {
    "decimals": {"income": [f"{1 + i % 9}.{100 + i % 89 * 10}" for i in range(N)]},
    "dates": {"seen": [f"{1 + i % 9}/{1 + i % 12}/20{10 + i % 10}" for i in range(N)]},
    "persons": {"card": [f"K{100000 + i % 80 * 7919 % 90000}" for i in range(N)]},
    "amounts": {"income": [1 + i % 6 for i in range(N)]},
}
"""Columns about which detectors ask for something that is written elsewhere than in the column's line."""
WHY = "it has two meanings; say what it is"
INSTEAD = re.compile(r"# (?P<line>(?P<key>.+?) = .+?)  # (?:instead|publishes)")


@pytest.fixture(params=[*SHAPES, "trees"])
def proposal(request, tmp_path):
    """A proposal of which all is open, and its file."""
    if request.param == "trees":
        visits = [{"ward": "ABC"[i % 3], "note": f"{i}: no word of this is said twice {i}"} for i in range(N)]
        records = (
            {"id": f"p{i}", "age": 20 + i % 40, "diagnosis": "ABC"[i % 3], "visits": [visits[i]]}
            for i in range(N)
        )
        (tmp_path / "people.ndjson").write_text("".join(f"{json.dumps(one)}\n" for one in records))
        made = shoal.propose(tmp_path / "people.ndjson")
    else:
        pl.DataFrame(SHAPES[request.param]).write_csv(tmp_path / "people.csv")
        made = shoal.propose(tmp_path / "people.csv")
    assert made.shape == request.param
    for one in made.columns.values():
        one.ask(1, WHY)
    made.save(tmp_path)
    return made


def test_what_is_open_is_counted_and_named_with_its_likely_answer(proposal, tmp_path):
    lines, text = summarize_proposal(proposal), (tmp_path / "shoal.toml").read_text()
    many = len(proposal.undecided)
    count = f"{many} decision{' is' if many == 1 else 's are'} open"
    start = lines.index(f"{count}, and shoal run waits for {'it' if many == 1 else 'them'}:")
    told = lines[start + 1 : start + 1 + many]
    for line, (name, why) in zip(told, proposal.undecided.items(), strict=True):
        assert line == f"  {label(name)}: {why} (most likely {proposal[name].role}, as proposed)"
    assert "--as-proposed" in lines[-1]
    assert f"# {count}, as [undecided] says." in text
    assert list(load(tmp_path / "shoal.toml").undecided.items()) == list(proposal.undecided.items())


def test_deleting_its_line_is_all_that_a_decision_takes(proposal, tmp_path):
    toml = tmp_path / "shoal.toml"
    before, lines = load(toml), toml.read_text().splitlines()
    with pytest.raises(InputError, match="nobody has decided about"):
        run_config(toml, tmp_path / "out")
    start = lines.index("[undecided]")
    kept = [*lines[: start + 1], *lines[start + 1 + len(proposal.undecided) :]]
    toml.write_text("\n".join(kept))
    assert load(toml) == replace(before, undecided={})


def test_another_answer_is_ready_behind_a_sign(proposal, tmp_path):
    """Each such line may take the place of the column's own; a field that is to be left out moves into a list."""
    toml = tmp_path / "shoal.toml"
    lines, answered = toml.read_text().splitlines(), set()
    for line, above in zip(lines[1:], lines, strict=False):
        if line.startswith("# To leave it out: remove the line above, and write "):
            name = named(above)
            answered.add(tomllib.loads(above)[name] if name == "sensitive" else name)
            assert any(f" {json.dumps(one)} into drop." in line for one in answered)
        elif found := INSTEAD.match(line):
            name = named(found["line"])
            answered.add(name)
            own = [other for other in lines if other.startswith(f"{found['key']} = ") and WHY not in other]
            toml.write_text(
                "\n".join(other for other in lines if other not in own).replace(line, found["line"])
            )
            config = load(toml)
            if config.tree is None:
                assert config.columns[name].role != proposal[name].role
            else:
                assert name in config.tree.hierarchies
    assert answered == set(proposal.undecided)


def named(line):
    """The name before the sign of equality."""
    (name,) = tomllib.loads(line)
    return name


@pytest.mark.parametrize(
    ("frame", "line"),
    [
        ("decimals", 'decimal = ","'),
        ("dates", 'dates = "day first"'),
        ("dates", 'dates = "month first"'),
        ("persons", 'person = "card"'),
    ],
)
def test_what_a_question_asks_of_the_whole_file_is_ready_in_its_section(frame, line, tmp_path):
    pl.DataFrame(BASE | ASKED[frame]).write_csv(tmp_path / "people.csv")
    toml = shoal.propose(tmp_path / "people.csv").save(tmp_path)
    text = toml.read_text()
    assert f"# {line}  # if " in text
    toml.write_text(text.replace(f"# {line}", line))
    data, (key, value) = load(toml).data, tomllib.loads(line).popitem()
    assert getattr(data, key) == value
    above = text[: text.index(f"# {line}")]
    assert above.rpartition("\n[")[2].startswith("data]")


def test_an_answer_beside_the_line_that_it_replaces_is_told(tmp_path):
    pl.DataFrame(BASE | ASKED["amounts"]).write_csv(tmp_path / "people.csv")
    toml = shoal.propose(tmp_path / "people.csv").save(tmp_path)
    toml.write_text(toml.read_text().replace('# income = "drop"', 'income = "drop"'))
    with pytest.raises(InputError, match=r"line \d+: not TOML, a name stands there for the second time"):
        load(toml)
