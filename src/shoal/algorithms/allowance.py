"""How much may be left out of a release."""

from decimal import Decimal

from shoal.errors import InputError

__all__ = ["allowance"]


def allowance(maker: str, suppress: float, whole: int, of: str = "records") -> int:
    """How many of `whole` records, or item occurrences, may be left out: floor(suppress * whole).

    `suppress` is read as the decimal it was written as: 0.29 of 100 are 29, though the float is a little less.

    >>> allowance("optimal", 0.29, 100), int(0.29 * 100)
    (29, 28)
    """
    if not 0 <= suppress < 1:  # also refuses what is not a number
        raise InputError(f"{maker}: suppress={suppress}; give a share of {of} from 0 to below 1")
    return int(Decimal(str(float(suppress))) * whole)
