"""Files that come with the package: each is what the code that reads it expects."""

from importlib.resources import files

import pytest

from shoal.resources import resource_table

LISTS = [("shoal.hierarchy", "scales.toml")]


@pytest.mark.parametrize(("package", "name"), LISTS)
def test_a_list_is_a_file_beside_the_code_that_reads_it_and_is_read_once(package, name):
    assert files(package).joinpath(name).is_file()
    assert resource_table(package, name) is resource_table(package, name)


def test_scales_have_steps_of_words_and_no_word_twice():
    (scales,) = resource_table("shoal.hierarchy", "scales.toml").values()
    for scale in scales:
        words = [word for step in scale for word in step]
        assert len(scale) > 2
        assert all(isinstance(word, str) and word == word.strip().lower() and word for word in words)
        assert len(words) == len(set(words))
