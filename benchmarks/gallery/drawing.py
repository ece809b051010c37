"""The pictures of the gallery as SVG that stands in the page itself, so that it follows its colours, light or dark."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from math import ceil, floor, log10
from typing import Any

from benchmarks.papers.drawing import ticks

__all__ = ["amount", "analysis", "attackers", "cost"]

WIDE = 740
ROW = 26


def cost(
    name: str,
    title: str,
    lost: tuple[str, Mapping[int, float]],
    beside: tuple[str, Mapping[str, float]],
    k: int,
) -> str:
    """Left, what each k loses; right, a share for each column, or for each k."""
    curve = lost[1]
    high = max(170, 44 + 24 * len(beside[1]))
    left, right, top, bottom = 44, 320, 34, high - 34
    limit = _above(max(curve.values()))
    spots = {
        each: (left + 24 + i * (right - left - 40) / (len(curve) - 1), bottom - loss / limit * (bottom - top))
        for i, (each, loss) in enumerate(curve.items())
    }
    lines = [_text(left - 30, 16, lost[0], "strong")]
    for share in (0, limit / 2, limit):
        y = bottom - share / limit * (bottom - top)
        lines += [_line(left, y, right, y), _text(left - 6, y + 4, _percent(share), "soft", "end")]
    path = " L".join(f"{x:.0f} {y:.1f}" for x, y in spots.values())
    lines.append(f'<path class="curve" d="M{path}"/>')
    for each, (x, y) in spots.items():
        chosen = each == k
        lines += [
            f'<circle class="dot" cx="{x:.0f}" cy="{y:.1f}" r="{6 if chosen else 4}"/>',
            _text(x, y - 11, _percent(curve[each]), "strong middle" if chosen else "middle"),
            _text(x, bottom + 20, f"{each}", "strong middle" if chosen else "soft middle"),
        ]
    lines += _bars(beside[1], 400, beside[0])
    return _svg(f"gallery-{name}-cost", title, high, lines)


def _bars(shares: Mapping[str, float], left: int, title: str) -> Iterator[str]:
    yield _text(left, 16, title, "strong")
    limit = _above(max(shares.values()))
    start = left + 125
    for at, (column, share) in enumerate(shares.items()):
        y = 42 + 24 * at
        yield _text(start - 8, y + 9, _short(column, 17), "", "end")
        yield _rect("good", start, y, max(1.5, share / limit * (WIDE - 56 - start)), 11)
        yield _text(start + share / limit * (WIDE - 56 - start) + 8, y + 9, _percent(share), "soft")


def attackers(name: str, title: str, played: Sequence[Mapping[str, Any]]) -> str:
    """One bar for each attacker: the chance on average, a thin line up to the person found most easily, the bound."""
    start, end = 196, 500
    lines = [
        _text(start, 16, "chance to be right, on average", "strong"),
        _text(end + 26, 16, "people found for certain", "strong"),
    ]
    y = 30.0
    for inside in (True, False):
        group = [one for one in played if one["inside"] == inside]
        if not group:
            continue
        y += 14
        lines.append(_text(0, y, "inside the claim" if inside else "beyond the claim", "soft"))
        y += 8
        for one in group:
            middle = y + ROW / 2
            lines += [
                _text(start - 12, middle + 4, _short(one["name"], 25), "", "end"),
                _line(start, middle, start + one["highest"] * (end - start), middle, "line"),
                _rect(
                    "good" if inside else "bad",
                    start,
                    middle - 6,
                    max(1.5, one["success"] * (end - start)),
                    12,
                ),
            ]
            if one["bound"] is not None:
                x = start + one["bound"] * (end - start)
                lines.append(f'<path class="bound" d="M{x:.0f} {middle - 11:.0f} V{middle + 11:.0f}"/>')
            lines.append(_text(end + 26, middle + 4, _certain(one), "" if one["certain"] else "soft"))
            y += ROW
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = start + share * (end - start)
        lines.insert(0, _line(x, 26, x, y + 4))
        lines.append(_text(x, y + 20, f"{share:.0%}", "soft middle"))
    return _svg(f"gallery-{name}-attackers", title, y + 30, lines)


def _certain(one: Mapping[str, Any]) -> str:
    return f"{one['certain']:,} of {one['played']:,}" if one["certain"] else "nobody"


def analysis(name: str, title: str, rows: Sequence[tuple[str, float, float]], unit: str) -> str:
    """Two dots a line: what the originals say, and what the release says."""
    start, end, top = 220, 620, 44
    most = max(max(before, after) for _, before, after in rows)
    least = min(min(before, after) for _, before, after in rows)
    span = (0.0, most) if least < most / 2 or unit != "%" else (max(0.0, floor(least / 10 - 1) * 10), most)

    def place(value: float) -> float:
        return start + (value - span[0]) / (span[1] - span[0]) * (end - start)

    bottom = top + ROW * len(rows)
    lines = [
        f'<circle class="hollow" cx="{start}" cy="12" r="5"/>',
        _text(start + 12, 16, "originals"),
        f'<circle class="dot" cx="{start + 100}" cy="12" r="5"/>',
        _text(start + 112, 16, "release"),
    ]
    for value in ticks(span, False):
        lines += [
            _line(place(value), top - 12, place(value), bottom),
            _text(place(value), bottom + 16, amount(value, unit), "soft middle"),
        ]
    for at, (what, before, after) in enumerate(rows):
        y = top + ROW * at + 6
        lines += [
            _text(start - 14, y + 4, _short(what, 30), "", "end"),
            _line(place(before), y, place(after), y, "between"),
            f'<circle class="dot" cx="{place(after):.1f}" cy="{y}" r="5"/>',
            f'<circle class="hollow" cx="{place(before):.1f}" cy="{y}" r="5"/>',
            _text(WIDE, y + 4, f"{amount(before, '')} → {amount(after, unit)}", "soft", "end"),
        ]
    return _svg(f"gallery-{name}-analysis", title, bottom + 24, lines)


def _above(value: float) -> float:
    """A round number that is not below: 1, 2, 4, 6 or 10 times a power of ten."""
    power = 10.0 ** floor(log10(value)) if value > 0 else 0.01
    return next(many * power for many in (1, 2, 4, 6, 10) if many * power >= value * 0.9999)


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.0995 or share == 0 else f"{share:.1%}"


def amount(value: float, unit: str) -> str:
    """A number with its unit, short."""
    text = f"{value:,.0f}" if value >= 100 or value == round(value) else f"{value:.{1 if value >= 1 else 2}f}"
    return text + unit


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "") -> str:
    own = f' class="{kind}"' if kind else ""
    own += f' text-anchor="{anchor}"' if anchor else ""
    return f'<text{own} x="{x:.0f}" y="{y:.0f}">{escape(text)}</text>'


def _line(x: float, y: float, to_x: float, to_y: float, kind: str = "grid") -> str:
    return f'<path class="{kind}" d="M{x:.1f} {y:.1f} L{to_x:.1f} {to_y:.1f}"/>'


def _rect(kind: str, x: float, y: float, width: float, height: float) -> str:
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" rx="2"/>'


def _svg(name: str, title: str, high: float, lines: Sequence[str]) -> str:
    head = f'<svg viewBox="0 0 {WIDE} {ceil(high)}" role="img" aria-labelledby="{name}" '
    head += 'xmlns="http://www.w3.org/2000/svg">'
    return "\n".join([head, f'<title id="{name}">{escape(title)}</title>', *lines, "</svg>"]) + "\n"
