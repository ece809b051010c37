"""Releases that are made by fragments go through the same door."""

import pytest

import shoal
from knob_cases import NUMBERS, dataset
from shoal.algorithms import METHODS
from shoal.algorithms.fragments import CUTS
from shoal.base.errors import InputError

pytestmark = pytest.mark.usefixtures("bare")


def test_every_cut_of_records_is_that_of_a_method():
    assert {found.fragments for found in METHODS.values() if found.fragments} == CUTS.keys()


@pytest.mark.parametrize("name", [name for name, found in METHODS.items() if found.fragments])
def test_a_release_by_fragments_is_judged_and_says_how_it_was_made(name, tmp_path):
    data = dataset(METHODS[name].shape)
    release = shoal.anonymize(data, method=name, fragment=8, seed=1, **NUMBERS[name])
    release.save(tmp_path / "out")
    assert (tmp_path / "out" / "manifest.json").is_file()
    assert release.method["parameters"]["fragment"] == 8
    assert release.result.trace["fragments"] > 1


@pytest.mark.parametrize("size", [0, -1, 1.5, True, "8"])
def test_a_size_that_is_none_is_refused(size):
    with pytest.raises(InputError, match="'fragment' must be a whole number of at least 1"):
        shoal.anonymize(dataset("table"), method="mondrian", k=2, fragment=size)


@pytest.mark.parametrize("name", ["optimal", "apriori", "gcs"])
def test_other_makers_do_not_know_fragments(name):
    with pytest.raises(InputError, match="no parameter 'fragment'"):
        shoal.anonymize(dataset(METHODS[name].shape), method=name, fragment=8, **NUMBERS[name])


def test_options_of_the_maker_are_checked_before_any_work():
    with pytest.raises(InputError, match="method mondrian: no parameter 'strange'"):
        shoal.anonymize(dataset("table"), method="mondrian", k=2, fragment=8, strange=1)
