"""The login in a database's URL: it is used, and written nowhere. This module is light: the server imports it."""

import os

__all__ = ["PASSWORD", "lacks_password", "parted", "without_password"]

PASSWORD = "SHOAL_PASSWORD"
"""The variable with the password of a database whose URL has none."""


def lacks_password(url: str) -> bool:
    """Whether a URL names a user and no password, and the environment has none for it either.

    >>> lacks_password("postgresql://ann:secret@host/people"), lacks_password("sqlite:///people.db")
    (False, False)
    """
    try:
        from sqlalchemy.engine import make_url
        from sqlalchemy.exc import ArgumentError
    except ImportError:
        return False
    try:
        address = make_url(url)
    except (ArgumentError, ValueError):
        return False
    return bool(address.username) and address.password is None and not os.environ.get(PASSWORD)


def without_password(url: str) -> str:
    """The URL as it may be written into a file.

    >>> without_password("postgresql://ann:secret@host/people")
    'postgresql://ann@host/people'
    """
    return parted(url)[0]


def parted(url: str) -> tuple[str, str | None]:
    """The URL as it may be written into a file, and the password that it holds, whichever way it does.

    >>> parted("postgresql://ann:s%40x@host/people"), parted("postgresql://ann@host/people?password=y")
    (('postgresql://ann@host/people', 's@x'), ('postgresql://ann@host/people', 'y'))

    Raises
    ------
    sqlalchemy.exc.ArgumentError, ValueError
        It is no URL of a database.
    """
    from sqlalchemy.engine import make_url

    address = make_url(url)
    secret = {key: value for key, value in address.query.items() if "pass" in key.lower()}
    others = {key: value for key, value in address.query.items() if key not in secret}
    bare = address._replace(password=None).set(query=others)
    inside = address.password or next((value for value in secret.values() if isinstance(value, str)), None)
    return str(bare.render_as_string(hide_password=False)), inside
