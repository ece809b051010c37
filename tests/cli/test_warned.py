"""Notes for the owner of the data, on the terminal."""

import warnings

import pytest

from shoal.cli.warned import notes
from shoal.errors import ShoalWarning


def test_notes_are_lines_on_standard_error_and_other_warnings_stay_what_they_are(capsys):
    with notes():
        for _ in range(2):
            warnings.warn("look here", ShoalWarning, stacklevel=1)
        with pytest.raises(UserWarning, match="something else"):
            warnings.warn("something else", UserWarning, stacklevel=1)
    said = capsys.readouterr()
    assert said.err == "shoal: note: look here\n" * 2
    assert said.out == ""
    with pytest.raises(ShoalWarning):
        warnings.warn("look here", ShoalWarning, stacklevel=1)
