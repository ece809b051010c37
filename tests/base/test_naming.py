"""A name that nobody knows: the nearest one is told, wherever it stands."""

from pathlib import Path

import polars as pl
import pytest

import shoal
from shoal.algorithms.lattice.cube import check_loss
from shoal.base.naming import did_you_mean, nearest, resolve_name, suggest_name
from shoal.data import ROLE_WORDS
from shoal.io.config import check
from shoal.io.read.cells import code_table
from shoal.io.read.source import Source
from shoal.privacy import make_claim

COLUMNS = {"age": [31, 32, 33, 34], "sex": ["f", "f", "m", "m"], "what": ["a b", "b", "a", "a"]}
ROLES = {"age": "quasi", "sex": "quasi", "what": "sensitive"}
ITEMS = {"age": "quasi", "sex": "quasi", "what": "items"}


@pytest.mark.parametrize("name", ["AGE", "agee", " age", "aeg"])
def test_the_nearest_name_is_found_whatever_its_case(name):
    assert nearest(name, ["sex", "age"]) == "age"


def test_a_name_that_is_like_none_has_no_nearest():
    assert nearest("zip", ["sex", "age"]) is None
    assert nearest(7, ["sex"]) is None
    assert did_you_mean("zip", ["sex"]) == ""
    assert suggest_name("zip", ["sex", "age"]) == "there are sex, age"


def test_a_long_list_is_cut():
    assert suggest_name("zip", [f"col{i}" for i in range(100)]).endswith("col39 and 60 more")


def configured(**sections):
    return check({"data": {"path": "x.csv"}, "columns": {"age": "quasi"}, **sections}, folder=Path())


def frame(**options):
    return shoal.read(pl.DataFrame(COLUMNS), **{"roles": ROLES, **options})


SLIPS = {
    "section": (lambda: configured(metod={}), "unknown section 'metod'; did you mean 'method'?"),
    "key": (lambda: configured(data={"pth": "x"}), "unknown key 'pth'; did you mean 'path'?"),
    "role": (lambda: configured(columns={"age": "quasy"}), "; did you mean 'quasi'?"),
    "words": (lambda: configured(columns={"age": "quasi-identifier"}), "; did you mean 'quasi'?"),
    "format": (lambda: configured(release={"format": "parket"}), "; did you mean 'parquet'?"),
    "column": (lambda: frame(roles=ROLES | {"agee": "quasi"}), "no column 'agee'; did you mean 'age'?"),
    "role of a column": (lambda: frame(roles=ROLES | {"age": "quasy"}), "did you mean 'quasi'?"),
    "hierarchies": (lambda: frame(hierarchies={"agee": {"fanout": 2}}), "hierarchies names 'agee'"),
    "allow": (lambda: frame(allow=("sexx",)), "did you mean 'sex'?"),
    "separators": (lambda: frame(roles=ITEMS, separators={"waht": ";"}), "did you mean 'what'?"),
    "method": (lambda: shoal.anonymize(frame(), k=2, method="mstkk"), "did you mean 'mstk'?"),
    "option": (
        lambda: shoal.anonymize(frame(), k=2, method="optimal", supress=0.1),
        "did you mean 'suppress'?",
    ),
    "loss": (lambda: check_loss("optimal", "glmm", None), "did you mean 'glm'?"),
    "guarantee": (lambda: make_claim("table", k=2, diversty="distinct"), "did you mean 'diversity'?"),
    "value of a guarantee": (
        lambda: make_claim("table", k=2, l=2, diversity="entropi"),
        "; did you mean 'entropy'?",
    ),
    "judged column": (
        lambda: shoal.judge(pl.DataFrame(COLUMNS), shoal.KAnonymity(2), quasi=["agee"]),
        "did you mean 'age'?",
    ),
    "rule": (lambda: shoal.anonymize(frame(), k=2, method="mstk", rule="wlak"), "; did you mean 'walk'?"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_slips_are_told_with_the_nearest_name(slip):
    make, words = SLIPS[slip]
    with pytest.raises(shoal.InputError) as caught:
        make()
    assert words in str(caught.value)


def test_no_value_is_suggested():
    source = Source(pl.DataFrame({"age": ["thirty"]}))
    with pytest.raises(shoal.InputError) as caught:
        code_table(source, {"thirti": "quasi"})
    assert "thirty" not in str(caught.value)


def test_an_extension_with_a_slip(tmp_path):
    (tmp_path / "people.cvs").write_text("age\n1\n")
    with pytest.raises(shoal.InputError, match=r"no reader for this extension; did you mean '.csv'"):
        shoal.read(tmp_path / "people.cvs", roles={"age": "quasi"})


@pytest.mark.parametrize("word", ["non-identifier", "non-sensitive", "insensitive", "explain", "not plain"])
def test_a_word_that_only_holds_a_role_is_taken_for_none(word):
    assert resolve_name(word, ROLE_WORDS, set(ROLE_WORDS.values())) is None


@pytest.mark.parametrize("word", ROLE_WORDS)
def test_a_slip_of_the_pen_leads_to_the_role_that_was_meant_or_to_none(word):
    roles = set(ROLE_WORDS.values())
    for place in range(1, len(word)):
        assert resolve_name(word[:place] + word[place + 1 :], ROLE_WORDS, roles) in (ROLE_WORDS[word], None)
