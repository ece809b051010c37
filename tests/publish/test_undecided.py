"""What nobody decided about stays until somebody decides, or says that it goes out as proposed."""

import json
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.base.errors import InputError
from shoal.comparison.comparison import compare_config
from shoal.io.config import load
from shoal.jobs.configured import front_config, preview_config, run_config
from shoal.jobs.risk import risk
from shoal.publish.large import opening, reading
from shoal.publish.undecided import check_as_proposed, require_decided
from shoal.publish.verify import verify
from undecided_cases import DRAW, SHAPES, TOWNS, WHY, N, asked, write_people, written

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture
def room(tmp_path):
    write_people(tmp_path)
    return tmp_path


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_goes_out_before_somebody_decides(room, shape):
    config = asked(room, shape)
    with pytest.raises(InputError) as caught:
        run_config(config, room / "out")
    assert all(f"'{name}'" in str(caught.value) for name in SHAPES[shape][1])
    assert "[undecided]" in str(caught.value)
    assert "--as-proposed" in str(caught.value)
    assert WHY not in str(caught.value)
    assert not [path for path in room.iterdir() if path.name.startswith(("out", ".out"))]


def test_a_stored_rule_and_earlier_releases_are_no_way_around(room):
    config = asked(room, names=[], more='[method]\nname = "optimal"\n')
    run_config(config, room / "one")
    asked(room, more='[method]\nname = "optimal"\n')
    for more in ({"recoding": room / "one.private" / "recoding.json"}, {"earlier": [room / "one"]}):
        with pytest.raises(InputError, match="nobody has decided about 'age', 'id', 'ill', 'note'"):
            run_config(config, room / "two", **more)
        run_config(config, room / "two", as_proposed=True, force=True, **more)
        assert written(room / "two")["as_proposed"] == ["age", "ill"]


@pytest.mark.parametrize("shape", ["table", "mixed"])
def test_a_point_of_a_front_waits_as_well(room, shape):
    config = asked(room, shape)
    with pytest.raises(InputError, match="nobody has decided"):
        front_config(config, picked=True)
    front, how = front_config(config)  # which publishes nothing
    point = front.pick(3) if shape == "table" else front.pick(1.0)
    with pytest.raises(InputError, match="nobody has decided"):
        point.save(room / "out", **how)
    assert not (room / "out").exists()
    _, how = front_config(config, picked=True, as_proposed=True)
    point.save(room / "out", **how)
    assert written(room / "out")["as_proposed"] == SHAPES[shape][2]


def test_a_point_of_a_front_is_judged_by_the_rules_of_the_preset(room):
    front, how = front_config(asked(room, names=[], more='[release]\npreset = "hipaa-expert"\n'))
    front.pick(12).save(room / "out", **how)
    assert written(room / "out")["preset"]["name"] == "hipaa-expert"


def test_what_publishes_nothing_does_not_wait(room):
    config = asked(room)
    assert preview_config(config).records
    assert risk(config).as_dict()
    assert compare_config(
        config, room / "compared.private", methods=["mondrian"], sweeps={"k": "3"}
    ).as_dict()
    assert not (room / "out").exists()


def test_a_question_about_the_file_needs_no_column(room):
    config = asked(room, names=["*"])
    assert load(config).undecided == {"*": WHY}
    with pytest.raises(InputError, match="nobody has decided about the file as a whole, so"):
        run_config(config, room / "out")
    run_config(config, room / "out", as_proposed=True)
    assert written(room / "out")["as_proposed"] == ["*"]
    assert verify(room / "out")[1]


# A proposal in Python is decided column by column, and its data remember what is open.


def proposed():
    frame = pl.DataFrame(
        {
            "age": [20 + i % 40 for i in range(N)],
            "town": TOWNS,
            "company": (DRAW.integers(-9000, 500_000, N)).tolist(),
            "income": [1 + i % 6 for i in range(N)],
        }
    )
    return shoal.propose(frame)


def test_a_proposal_goes_out_when_all_is_decided(tmp_path):
    proposal = proposed()
    assert list(proposal.undecided) == ["company", "income"]
    made = shoal.anonymize(proposal.read(), k=3)  # to look at, not to hand on
    made.report(tmp_path / "report.html")
    assert "nobody decided about them: &#39;company&#39;" in (tmp_path / "report.html").read_text()
    with pytest.raises(InputError, match=r"nobody has decided about 'company', 'income', .*proposal\.decide"):
        made.save(tmp_path / "out")
    proposal.decide("company", "drop")
    proposal.decide("income")
    assert (proposal["company"].role, proposal["income"].role, proposal.undecided) == (
        "drop",
        "sensitive",
        {},
    )
    shoal.anonymize(proposal.read(), k=3).save(tmp_path / "out")
    assert "as_proposed" not in written(tmp_path / "out")


def test_a_proposal_goes_out_as_it_is_where_somebody_says_so(tmp_path):
    data = proposed().read()
    shoal.anonymize(data, k=3).save(tmp_path / "one", as_proposed=True)
    shoal.pareto(data).pick(3).save(tmp_path / "two", as_proposed=True)
    for folder in ("one", "two"):
        assert written(tmp_path / folder)["as_proposed"] == ["company", "income"]


def test_a_proposal_of_every_shape_remembers_what_is_open(room):
    for file, more in (("people.csv", {"bought": "items"}), ("people.ndjson", {})):
        proposal = shoal.propose(room / file, roles=more)
        first = next(name for name, one in proposal.columns.items() if one.role in ("quasi", "items"))
        proposal[first].ask(1, WHY)
        made = shoal.anonymize(proposal.read(), **proposal.guarantee)
        with pytest.raises(InputError, match=f"nobody has decided about .*'{first}'"):
            made.save(room / "out")


def test_a_doubt_about_the_file_is_decided_under_its_own_name():
    proposal = proposed()
    proposal.doubt = "rows may be totals; leave them out"
    assert list(proposal.undecided) == ["*", "company", "income"]
    proposal.decide("*")
    assert list(proposal.undecided) == ["company", "income"]


@pytest.mark.parametrize(
    ("name", "role", "sentence"), [("compny", None, "did you mean 'company'"), ("company", "qasi", "no role")]
)
def test_a_slip_in_a_decision_is_told(name, role, sentence):
    with pytest.raises(InputError, match=sentence):
        proposed().decide(name, role)


# Large data are published from counts and parts; the same is asked and told of them.


@pytest.mark.parametrize("shape", ["table", "trees"])
def test_large_data_wait_as_well(room, shape, monkeypatch):
    for bound in ("_MANY_BYTES", "_MANY_ITEMS", "_MANY"):
        if hasattr(opening, bound):
            monkeypatch.setattr(opening, bound, 0)
    monkeypatch.setattr(reading, "_FEW_BYTES", 0)
    method = '[method]\nname = "optimal"\n' if shape == "table" else ""
    config = asked(room, shape, more=f"{method}[release]\nrows = false\n")
    with pytest.raises(InputError, match="nobody has decided"):
        run_config(config, room / "out")
    made = run_config(config, room / "out", as_proposed=True)
    assert shape == "table" or not made.dataset.in_memory
    assert written(room / "out")["as_proposed"] == SHAPES[shape][2]
    assert verify(room / "out")[1]


# What a manifest may say of it: names that are released, in one order, and nothing else.

NAMES = st.sampled_from(["*", "age", "ill", "name", "zip", ""])
SAID = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.dictionaries(NAMES, NAMES, max_size=2),
    st.lists(st.one_of(NAMES, st.integers(), st.none(), st.lists(NAMES, max_size=1)), max_size=4),
)  # fmt: skip


@given(SAID, st.lists(NAMES, unique=True, max_size=4))
def test_only_released_names_are_listed_and_in_one_order(said, released):
    right = (
        isinstance(said, list)
        and len(said) > 0
        and all(isinstance(name, str) and name in [*released, "*"] for name in said)
        and all(one < other for one, other in pairwise(said))
    )
    assert check_as_proposed(said, released) == right


@given(st.dictionaries(NAMES, st.text(max_size=3)), st.booleans())
def test_only_what_is_open_stops_and_only_unless_it_goes_as_proposed(questions, as_proposed):
    if questions and not as_proposed:
        with pytest.raises(InputError):
            require_decided(questions, as_proposed)
    else:
        require_decided(questions, as_proposed)


@pytest.mark.parametrize(
    "said",
    [[], ["id"], ["ill", "age"], ["age", "age"], "age", ["Anna Koch has HIV"], {"age": WHY}, [1], None],
)
@pytest.mark.parametrize("shape", ["table", "trees"])
def test_a_manifest_that_lists_something_else_earns_no_yes(room, shape, said):
    run_config(asked(room, shape, ["age"]), room / "out", as_proposed=True)
    path = room / "out" / "manifest.json"
    path.write_text(json.dumps(written(room / "out") | {"as_proposed": said}, indent=2) + "\n")
    found = verify(room / "out")[1]
    assert found.judged
    assert not found
