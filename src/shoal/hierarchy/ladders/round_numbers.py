"""Round numbers: multiples of 1, 2 or 5 times a power of ten."""

from decimal import Decimal

__all__ = ["interval", "round_step", "roundest", "spelled"]

_MANTISSAS = (5, 2, 1)


def round_step(least: Decimal) -> Decimal:
    """The smallest of ..., 1, 2, 5, 10, 20, ... that is at least `least`.

    >>> [spelled(round_step(Decimal(text))) for text in ("3.1", "20", "0.004")]
    ['5', '20', '0.005']
    """
    scale = Decimal(1).scaleb(least.adjusted())
    return next(step for m in (1, 2, 5, 10) if (step := m * scale) >= least)


def roundest(low: Decimal, high: Decimal) -> Decimal:
    """The roundest number above `low` and not above `high`.

    >>> spelled(roundest(Decimal(17), Decimal(23))), spelled(roundest(Decimal("0.29"), Decimal("0.34")))
    ('20', '0.3')
    """
    if low < 0 <= high:
        return Decimal(0)
    exponent = max(low.adjusted(), high.adjusted(), (high - low).adjusted()) + 1
    while True:
        for mantissa in _MANTISSAS:
            step = mantissa * Decimal(1).scaleb(exponent)
            found = (high / step).to_integral_value(rounding="ROUND_FLOOR") * step
            if found > low:
                return found
        exponent -= 1


def spelled(number: Decimal) -> str:
    """A number as text, without an exponent or superfluous zeros.

    >>> spelled(Decimal("1E+3")), spelled(Decimal("2.50"))
    ('1000', '2.5')
    """
    text = format(number, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def interval(low: Decimal | None, high: Decimal | None) -> str:
    """The label of the numbers from `low` to below `high`; None where it is open.

    >>> interval(Decimal(20), Decimal(30)), interval(Decimal(90), None), interval(None, Decimal(5))
    ('[20, 30)', '>= 90', '< 5')
    """
    if low is None:
        return "*" if high is None else f"< {spelled(high)}"
    return f">= {spelled(low)}" if high is None else f"[{spelled(low)}, {spelled(high)})"
