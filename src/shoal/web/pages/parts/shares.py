"""Shares as a page writes them, as the report does; the report's own words would bring more than a server needs."""

__all__ = ["percent"]


def percent(share: float | None) -> str:
    """Write a share; 0% and 100% mean exactly that.

    >>> [percent(x) for x in (0.12, 0.0449, 0.00001, 0.99999, 1.0, 0, None)]
    ['12%', '4.5%', '<0.1%', '>99.9%', '100%', '0%', '–']
    """
    if share is None:
        return "–"
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{100 * share:.1f}".removesuffix(".0") + "%"
