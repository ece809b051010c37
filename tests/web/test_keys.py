"""The secrets of a server."""

import pytest

from shoal.errors import InputError
from shoal.web.keys import Keys


def test_the_bearer_token_comes_from_the_environment_or_is_new(monkeypatch):
    monkeypatch.setenv("SHOAL_TOKEN", "a-token-of-a-pipeline")
    assert Keys.from_environment().has_bearer(b"a-token-of-a-pipeline")
    monkeypatch.delenv("SHOAL_TOKEN")
    made = {Keys.from_environment().bearer for _ in range(3)}
    assert len(made) == 3
    assert min(map(len, made)) >= 40


@pytest.mark.parametrize(
    "weak", ["short", "with blanks in the middle", "ünïcödé-ünïcödé-ünï", "line\nbreak-line-break"]
)
def test_a_token_that_is_weak_or_cannot_be_sent_is_refused(weak):
    with pytest.raises(InputError, match="SHOAL_TOKEN: give at least 16") as told:
        Keys(weak)
    assert weak not in str(told.value)


def test_a_new_invitation_voids_the_old_one():
    keys = Keys()
    old, new = keys.invite().encode(), keys.invite().encode()
    assert keys.admit(old) is None
    assert keys.admit(new) is not None
    assert keys.admit(new) is None


def test_tickets_that_were_not_used_do_not_pile_up():
    time = [0.0]
    keys = Keys(now=lambda: time[0])
    for _ in range(50):
        keys.ticket("/")
        time[0] += 10
    assert len(keys._tickets) == 6
