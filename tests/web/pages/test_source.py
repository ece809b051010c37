"""Where data come from: what was sent, a path, a database; what leads nowhere is refused."""

import pytest

from shoal.errors import InputError
from shoal.web.pages.source import from_database, from_path, from_uploads
from shoal.web.server.uploads import Upload


def test_given_files_are_one_file_or_the_tables_of_one_data_set(tmp_path):
    one, other = (Upload(name, f"{name}.csv", 1, tmp_path / name) for name in ("a", "b"))
    assert from_uploads([one], folder=False).data == "a.csv"
    assert set(from_uploads([one, other], folder=True).files) == {"data/a.csv", "data/b.csv"}
    with pytest.raises(InputError, match="two files have the same name"):
        from_uploads([one, one], folder=True)
    with pytest.raises(InputError, match="nothing was sent"):
        from_uploads([], folder=False)
    settings = Upload("c", "Shoal.TOML", 1, tmp_path / "c")
    for uploads in ([settings], [one, settings]):
        with pytest.raises(InputError, match="is no data"):
            from_uploads(uploads, folder=len(uploads) > 1)


@pytest.mark.parametrize("text", ["", "people.csv", "/no/such/file", "/tmp/\0"])
def test_a_path_that_leads_nowhere_is_refused_without_repeating_it(text):
    with pytest.raises(InputError, match=r"^path: "):
        from_path(text)


def test_the_password_of_a_database_is_kept_apart():
    found = from_database("postgresql://user@host/people", "secret")
    assert (found.name, found.password, found.is_url) == ("people", "secret", True)
    assert "secret" not in repr(found)
    for url in ("postgresql://user:o%40her@host/people", "postgresql://user@host/people?password=o@her"):
        hidden = from_database(url)
        assert hidden.password == "o@her"
        assert hidden.data == "postgresql://user@host/people"
    for text in ("", "people", "://"):
        with pytest.raises(InputError, match=r"^database: "):
            from_database(text)
