"""Record trees on the command line: what it prints, how it exits, and one sentence for every bad input."""

import json
import re

import pytest

from cli_cases import command as go
from cli_cases import failed

pytestmark = pytest.mark.usefixtures("bare")

ILLS = ("flu", "cough", "gout")
CONFIG = """\
[data]
{source}
[tree]
{tree}
[guarantee]
k = 2
{rest}
"""
TREES = 'hierarchies = { "visits.ward" = "ward.csv", "visits.ill" = "ill.csv" }'


def record(number):
    return {"visits": [{"ward": "ABC"[number % 3], "ill": ILLS[number % 3]}]}


@pytest.fixture
def room(tmp_path, monkeypatch):
    """Twelve people with a visit each."""
    (tmp_path / "ward.csv").write_text("A;north;*\nB;north;*\nC;south;*\n")
    (tmp_path / "ill.csv").write_text("flu;lung;*\ncough;lung;*\ngout;bone;*\n")
    (tmp_path / "p.ndjson").write_text("".join(json.dumps(record(number)) + "\n" for number in range(12)))
    monkeypatch.chdir(tmp_path)
    configure(tmp_path)
    return tmp_path


def configure(room, source='path = "p.ndjson"', tree=TREES, rest=""):
    (room / "shoal.toml").write_text(CONFIG.format(source=source, tree=tree, rest=rest))


def test_run_and_verify(room):
    result = go("run", "--json")
    assert result.exit_code == 0
    assert json.loads(result.stdout)["claim"]["m"] == 2
    result = go("verify", "release")
    assert "verdict   yes" in result.output
    assert go("verify", "release", "--config", "shoal.toml", "--against", "p.ndjson").exit_code == 0
    data = room / "release" / "data.rows.ndjson"
    data.write_text(data.read_text().replace('"A"', '"rare"', 1))
    result = go("verify", "release")
    assert result.exit_code == 1
    assert "verdict   no" in result.output


def test_what_run_prints(room):
    result = go("run")
    assert "released  12 of 12 records in 3 different trees; 0 suppressed" in result.output
    assert (
        "claim     k^(m,n)-anonymity (k=2, m=2, n=1, repeats=keep)\n          anyone who knows"
        in result.output
    )
    assert re.search(
        r"loss      [0-9] of [0-9] fields are published; of these [0-9.]+% of the detail is lost \(ncp\)\n"
        r"          [^\n]+\n          rpd 0\.[0-9]+, rpd-original 0\.",
        result.output,
    )


def test_numbers_of_the_claim_can_be_given(room):
    facts = json.loads(go("run", "--json", "--k", 3, "--m", 1, "--n", 0).stdout)
    assert {key: facts["claim"][key] for key in "kmn"} == {"k": 3, "m": 1, "n": 0}


def test_a_value_that_no_hierarchy_has_is_named_by_its_record(room):
    lines = (room / "p.ndjson").read_text().splitlines()
    lines[6] = '{"visits": [{"ward": "Secret"}]}'
    (room / "p.ndjson").write_text("\n".join(lines) + "\n")
    result = go("run")
    assert failed(result, 2, "field 'visits.ward': 1 distinct value(s), first in record 7")
    assert "Secret" not in result.stderr
    assert not list(room.glob("*release*"))


@pytest.mark.parametrize(
    ("tree", "rest", "part"),
    [
        (
            'hierarchies = { "visits.ward" = "ward.csv" }',
            "",
            "p.ndjson: no hierarchy for 'visits.ill'; give",
        ),
        ("", "", "no hierarchy for 'visits.ward', 'visits.ill'; give"),
        (
            TREES.replace("visits.ill", "visits.il"),
            "",
            "sensitive; is 'visits.il' meant for 'visits.ill'?",
        ),
        (f'{TREES}\nidentifer = "id"', "", "unknown key 'identifer'; did you mean 'identifier'?"),
        (f'{TREES}\nnegations = ["hospital"]', "", "tree.negations: no field 'hospital'"),
        (f'{TREES}\ndrop = "id"', "", "[tree]: 'drop' must be a list of texts"),
        (f"{TREES}\nkeys = 5", "", "'keys' must be a section, [tree.keys]"),
        (f'{TREES}\nheads = {{ "visits" = 5 }}', "", "[tree.heads]: 'visits' must be text"),
        (TREES, "t = 0.2", "t is not used for record trees; it takes k, l, m, n"),
        (TREES, "m = 0", "m=0"),
        (TREES, '[method]\nname = "mstk"', "use one of gcs, acs, ocs, miracle"),
        (TREES, '[method]\nnegations = ["visits.ill"]', "no parameter 'negations'"),
        (TREES, '[release]\nformat = "xls"', "one of ndjson, nodes, xml, tables, nested, parquet"),
        (
            TREES,
            '[release]\nformat = "csv"',
            "[release]: 'format': record trees are not written as nodes in cells",
        ),
        (
            TREES,
            '[release]\nformat = "parquet"',
            "release.format: record trees are not written as nodes in cells",
        ),
        (TREES, '[columns]\na = "quasi"', "leave out [columns]"),
    ],
)
def test_bad_configurations(room, tree, rest, part):
    configure(room, tree=tree, rest=rest)
    assert failed(go("run"), 2, part)
    assert not list(room.glob("*release*"))
