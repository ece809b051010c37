"""Keys: what is made, what is refused, and the pseudonyms and shifts that they give."""

import base64
import hashlib
import hmac
import os
import stat
from collections import Counter

import pytest

from shoal.base.errors import InputError, ShoalWarning
from shoal.io.keys import VARIABLE, Seal, make_key, read_key

KEY = bytes(range(32))


def test_a_key_is_its_owners_alone_and_never_overwritten(tmp_path):
    os.umask(os.umask(0))  # whatever it is
    make_key(tmp_path / "key")
    assert stat.S_IMODE((tmp_path / "key").stat().st_mode) == 0o600
    assert len(read_key(tmp_path / "key", "it")) == 32
    with pytest.raises(InputError, match="this file exists already"):
        make_key(tmp_path / "key")
    with pytest.raises(InputError, match="the key cannot be written there"):
        make_key(tmp_path / "gone" / "key")
    make_key(tmp_path / "other")
    assert read_key(tmp_path / "key", "it") != read_key(tmp_path / "other", "it")


def test_a_key_of_the_environment(monkeypatch):
    monkeypatch.setenv(VARIABLE, f" {KEY.hex()}\n")
    assert read_key(None, "it") == KEY
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(InputError, match="a pseudonym needs a key; make one with `shoal key FILE`"):
        read_key(None, "a pseudonym")


@pytest.mark.parametrize("text", ["", "secret", "0" * 63, "0" * 65, "g" * 64, "0" * 5000])
def test_what_is_no_key(tmp_path, text):
    (tmp_path / "key").write_text(text)
    (tmp_path / "key").chmod(0o600)
    with pytest.raises(InputError, match=r"^key: this is not a key; make one") as error:
        read_key(tmp_path / "key", "it")
    assert not text or text not in str(error.value)


def test_a_key_that_others_may_read_is_told(tmp_path):
    (tmp_path / "key").write_text(KEY.hex())
    (tmp_path / "key").chmod(0o644)
    with pytest.warns(ShoalWarning, match="chmod 600"):
        read_key(tmp_path / "key", "it")
    with pytest.raises(InputError, match="cannot be read"):
        read_key(tmp_path / "gone", "it")


def test_a_pseudonym_is_a_keyed_hash_of_domain_column_and_value():
    message = b"study\0pid\0" + "Zoë".encode()
    long = base64.b32encode(hmac.new(KEY, message, hashlib.sha256).digest()).decode().lower()
    assert Seal(KEY, "study", False).tokens("pid", ["Zoë"]) == [long[:20]]
    seals = [Seal(KEY, "study", False), Seal(KEY, "other", False), Seal(bytes(32), "study", False)]
    made = {seal.tokens(column, ["Ann"])[0] for seal in seals for column in ("pid", "id")}
    assert len(made) == 6
    assert Seal.of(KEY, None).domain != Seal.of(KEY, None).domain
    assert KEY.hex() not in repr(seals[0]) + str(seals[0].facts())


def test_a_shift_is_one_of_all_days_up_to_the_most():
    seal = Seal(KEY, "study", False)
    shifts = seal.shifts([str(person) for person in range(3000)], 3)
    assert Counter(shifts).keys() == set(range(-3, 4))
    assert min(Counter(shifts).values()) > 300  # of 429; the key is fixed, so this is no chance
    assert shifts == Seal(KEY, "another", True).shifts([str(person) for person in range(3000)], 3)
    assert shifts != Seal(bytes(32), "study", False).shifts([str(person) for person in range(3000)], 3)
