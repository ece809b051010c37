"""Line charts as SVG text: a figure is a row of panels, as the papers print them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10

from .results import Rows

WIDE, HIGH, LEFT, TOP = 250, 170, 52, 42
COLOURS = ("#00796b", "#c2410c", "#1d4ed8", "#7c3aed", "#a16207", "#475569")


@dataclass(frozen=True)
class Line:
    """Points of one line, by rising x."""

    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Panel:
    """One chart; `log` names the axes that are logarithmic."""

    title: str
    x: str
    y: str
    lines: tuple[Line, ...]
    log: str = ""


@dataclass(frozen=True)
class Figure:
    """Panels beside each other."""

    name: str
    title: str
    panels: tuple[Panel, ...]


def line(name: str, rows: Rows, x: str, y: str) -> Line:
    """A line through two columns of some rows; rows without a number are left out."""
    points = [(float(row[x]), float(row[y])) for row in rows if row.get(x, "") != "" and row.get(y, "") != ""]
    return Line(name, tuple(sorted(points)))


def svg(figure: Figure) -> str:
    """The figure as text of an SVG file."""
    width = len(figure.panels) * (WIDE + LEFT + 18)
    names = list(dict.fromkeys(one.name for panel in figure.panels for one in panel.lines))
    colour = dict(zip(names, COLOURS * (1 + len(names) // len(COLOURS)), strict=False))
    height = TOP + HIGH + 46 + 16 * -(-len(names) // 3)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" '
        'font-size="11" fill="#64748b">',
        f"<title>{escape(figure.title)}</title>",
    ]
    for at, panel in enumerate(figure.panels):
        lines += _panel(panel, at * (WIDE + LEFT + 18) + LEFT, colour)
    for at, name in enumerate(names):
        x, y = LEFT + at % 3 * (width - LEFT) / 3, TOP + HIGH + 46 + 16 * (at // 3)
        lines.append(f'<rect x="{x:.0f}" y="{y - 8:.0f}" width="16" height="3" fill="{colour[name]}"/>')
        lines.append(f'<text x="{x + 22:.0f}" y="{y - 3:.0f}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _panel(panel: Panel, left: int, colour: dict[str, str]) -> Iterator[str]:
    points = [point for one in panel.lines for point in one.points]
    if not points:
        return
    spans = [_span([point[i] for point in points], "xy"[i] in panel.log, i == 1) for i in (0, 1)]

    def place(point: Sequence[float]) -> tuple[float, float]:
        x, y = (_share(point[i], spans[i], "xy"[i] in panel.log) for i in (0, 1))
        return left + x * WIDE, TOP + HIGH - y * HIGH

    yield f'<text x="{left}" y="{TOP - 10}" font-weight="bold">{escape(panel.title)}</text>'
    yield f'<path d="M{left},{TOP}V{TOP + HIGH}H{left + WIDE}" fill="none" stroke="#94a3b8"/>'
    for tick in ticks(spans[0], "x" in panel.log):
        x, _ = place((tick, spans[1][0]))
        yield f'<text x="{x:.1f}" y="{TOP + HIGH + 14}" text-anchor="middle">{_label(tick)}</text>'
    for tick in ticks(spans[1], "y" in panel.log):
        _, y = place((spans[0][0], tick))
        yield f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end">{_label(tick)}</text>'
    yield f'<text x="{left + WIDE}" y="{TOP + HIGH + 28}" text-anchor="end">{escape(panel.x)}</text>'
    yield f'<text x="{left - 40}" y="{TOP - 24}">{escape(panel.y)}</text>'
    for one in panel.lines:
        spots = " ".join("{:.1f},{:.1f}".format(*place(point)) for point in one.points)
        yield f'<polyline points="{spots}" fill="none" stroke="{colour[one.name]}" stroke-width="2"/>'
        for spot in spots.split():
            x, y = spot.split(",")
            yield f'<circle cx="{x}" cy="{y}" r="2.5" fill="{colour[one.name]}"/>'


def _span(values: list[float], log: bool, zero: bool) -> tuple[float, float]:
    low, high = min(values), max(values)
    if log:
        low, high = max(low, 1e-6), max(high, 1e-6)
        return (low, high if high > low else low * 10)
    low = min(low, 0.0) if zero else low
    return (low, high if high > low else low + 1)


def _share(value: float, span: tuple[float, float], log: bool) -> float:
    low, high = span
    if log:
        value, low, high = (log10(max(one, 1e-6)) for one in (value, low, high))
    return (value - low) / (high - low)


def ticks(span: tuple[float, float], log: bool) -> list[float]:
    """About five round numbers."""
    low, high = span
    if log:
        powers = [10.0**i for i in range(floor(log10(low)), floor(log10(high)) + 1)]
        inside = [power for power in powers if low <= power <= high]
        return inside if len(inside) > 1 else [low, high]
    step = 10 ** floor(log10((high - low) / 4))
    step *= next(many for many in (1, 2, 5, 10) if (high - low) / (many * step) <= 6)
    first = -(-low // step)
    return [i * step for i in range(int(first), int(high // step) + 1)]


def _label(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value / 1000:.3g}k" if abs(value) < 1e6 else f"{value / 1e6:.3g}M"
    return f"{value:.3g}"
