"""Whatever stands in a manifest, verify answers: every key, at every depth, with every kind of value."""

import json
from copy import deepcopy

import pytest

import release_cases as cases
from shoal.base.errors import ShoalError
from shoal.io.config import load
from shoal.publish.verify import verify

pytestmark = pytest.mark.usefixtures("bare")

STRANGE = (
    [],
    ["k-anonymity"],
    [["k"]],
    {},
    {"model": []},
    {"model": "k-anonymity", "k": {}},
    0,
    -1,
    2,
    10**400,
    0.5,
    1e308,
    None,
    True,
    "",
    "\x00\ud800",
    "x" * 10_000,
    json.loads("[" * 200 + "]" * 200),
)
"""Values of every kind that JSON has."""
KINDS = (("table", "csv"), ("secret", "ndjson"), ("vote", "csv"), ("mixed", "csv"), ("trees", "ndjson"))


def places(value, before=()):
    """Where every key and every entry stands, at any depth."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield (*before, key)
        yield from places(inner, (*before, key))


def changed(facts, place, value):
    made = inner = deepcopy(facts)
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return made


@pytest.mark.soak
@pytest.mark.parametrize(("kind", "format"), KINDS)
def test_no_value_of_a_manifest_ends_in_a_crash(tmp_path, kind, format):
    cases.write_originals(tmp_path)
    folder = cases.make_release(tmp_path, kind, format, seed=7)
    config, manifest = load(tmp_path / f"{kind}.toml"), folder / "manifest.json"
    facts = json.loads(manifest.read_text())
    several = {"model": "all", "claims": [facts["claim"], {"model": "l-diversity", "l": 2}]}
    crashed = []
    for base in (facts, {**facts, "claim": several}, {**facts, "shoal": "0.1.0"}):
        for place in places(base):
            if place[0] in ("sha256", "not_covered") or (base is not facts and place[0] != "claim"):
                continue
            for number, value in enumerate(STRANGE):
                manifest.write_text(json.dumps(changed(base, place, value)))
                try:
                    verdict = verify(folder, config=config)[1]
                    assert verdict.sentence.encode()
                except ShoalError:
                    pass
                except Exception as error:  # all of them are told together
                    crashed.append((place, number, repr(error)))
    assert not crashed, crashed
