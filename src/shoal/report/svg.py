"""Figures as SVG, drawn from the data that plotly draws: no script, no library, letters of one size at any width.

Positions run in percent of the width across and in pixels down, so that a drawing fills the width that it has and its
text never shrinks. Colours are classes of the page's style sheet, which has them for light, dark and paper. Every mark
tells its value as a `title`, which a pointer shows. All text is escaped here, whatever escaped it before.
"""

import html
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from shoal.report.words import percent

__all__ = ["draw_svg", "plain_text", "text_width"]

Trace = Mapping[str, Any]

COLOURS = {
    "#0072b2": "blue",
    "#d55e00": "orange",
    "#aab4bd": "grey",
    "#1f2d3a": "ink",
    "#5a6875": "muted",
    "#009e73": "green",
    "#cc79a7": "pink",
    "#56b4e9": "sky",
    "#8a6d00": "olive",
    "#7f8c97": "slate",
    "white": "paper",
}
"""The colours of figures, each with its class in the style sheet."""

_DASHES = {"dash": "7 5", "dot": "2 4", "dashdot": "7 4 2 4", "solid": ""}
_SHAPES = {
    "square": "M-1-1H1V1H-1z",
    "diamond": "M0-1.3L1.3 0 0 1.3-1.3 0z",
    "triangle-up": "M0-1.2L1.2 1H-1.2z",
    "cross": "M-.4-1.2H.4V-.4H1.2V.4H.4V1.2H-.4V.4H-1.2V-.4H-.4z",
    "x": "M-1-.5L-.5-1 0-.5.5-1 1-.5.5 0 1 .5.5 1 0 .5-.5 1-1 .5-.5 0z",
    "star": "M0-1.4L.35-.45H1.35L.55.15.85 1.15 0 .55-.85 1.15-.55.15-1.35-.45H-.35z",
    "pentagon": "M0-1.2L1.15-.35.7 1H-.7L-1.15-.35z",
}
"""Marks that are no circle, around 0, to be made as large as they are asked for."""
_TEMPLATE_TAG = re.compile(r"</?(?:b|br|span|i|extra)\b[^<>]*>")
_TEMPLATE_FIELD = re.compile(r"%\{([\w.]+)(?:\[(\d+)\])?(?::([^}]*))?\}")
_NARROW, _MIDDLE, _WIDE = 190, 330, 620
"""Pixels that a plot has at least where its figure is narrow, middling or wide, as the style sheet says."""
_PAGE = 860  # pixels of a printed page that a drawing may fill
_TEXT = 12  # pixels that letters are high
_INDENT = 22  # pixels of one step across, where an axis is invisible


def draw_svg(figure: Mapping[str, Any], alt: str) -> Markup:
    """Draw a figure; `alt` says what it shows to somebody who cannot see it."""
    return Markup(_Drawing(figure).write(alt))  # noqa: S704 (every text in it was escaped)


def plain_text(text: str) -> str:
    r"""Undo what plotly asks of text: entities are the signs they stand for, a break is a line.

    >>> plain_text("a &lt;b&gt; of &#36;5<br>and more")
    'a <b> of $5\nand more'
    """
    return html.unescape(_TEMPLATE_TAG.sub("", text.replace("<br>", "\n")))


def text_width(text: str, size: float = _TEXT) -> float:
    """About how many pixels a text is wide.

    >>> text_width("ill") < text_width("was") < text_width("MMM")
    True
    """
    return size * sum(
        0.36 if sign in "iljtfI.,:;'|!()[] " else 1.0 if sign in "mwMW@%" or ord(sign) > 0x2E80 else 0.64
        for sign in text
    )


@dataclass(frozen=True, slots=True)
class _PlotAxis:
    """One direction of a plot: the numbers at its ends, how it divides them, and what its layout says."""

    low: float
    high: float
    logarithmic: bool
    layout: Mapping[str, Any]

    @classmethod
    def over(
        cls, numbers: Sequence[float], layout: Mapping[str, Any], *, bars: bool, values: bool
    ) -> "_PlotAxis":
        """The axis that shows these numbers; `bars` that they are places of bars, `values` how long bars are."""
        logarithmic = layout.get("type") == "log"
        if "range" in layout:
            low, high = layout["range"]
            return cls(low, high, logarithmic, layout)
        numbers = [math.log10(number) for number in numbers if number > 0] if logarithmic else list(numbers)
        low, high = min(numbers, default=0.0), max(numbers, default=1.0)
        if bars:
            return cls(low - 0.5, high + 0.5, logarithmic, layout)
        to_zero = values or layout.get("rangemode") == "tozero"
        if to_zero and not logarithmic:
            low = min(low, 0.0)
        margin = 0.05 * (high - low) or (0.1 if logarithmic else abs(high) / 2 or 0.5)
        return cls(low if to_zero and low == 0 else low - margin, high + margin, logarithmic, layout)

    def share(self, number: float) -> float:
        """Where a number stands, 0 at the low end and 1 at the high one."""
        position = math.log10(number) if self.logarithmic else number
        return (position - self.low) / (self.high - self.low)

    @property
    def title(self) -> str:
        """What the axis shows."""
        return plain_text(str(self.layout.get("title", {}).get("text", "")))

    @property
    def is_shown(self) -> bool:
        """Whether it has ticks."""
        return self.layout.get("visible", True) and self.layout.get("showticklabels", True) is not False

    def ticks(self, most: int) -> list[tuple[float, str]]:
        """Numbers with what stands at them."""
        if "tickvals" in self.layout:
            values = list(self.layout["tickvals"])
            words = [
                plain_text(str(text)) for text in self.layout.get("ticktext", map(_short_number, values))
            ]
            found = list(zip(values, words, strict=True))
        else:
            ends = sorted((self.low, self.high))
            step = self.layout.get("dtick") or _nice_step(ends[1] - ends[0], self.layout.get("nticks", most))
            first, last = math.ceil(ends[0] / step - 1e-9), math.floor(ends[1] / step + 1e-9)
            values = [round(place * step, 12) for place in range(first, last + 1)]
            is_share = str(self.layout.get("tickformat", "")).endswith("%")
            found = [(value, percent(value) if is_share else _short_number(value)) for value in values]
        return [(value, words) for value, words in found if -0.001 <= self.share(value) <= 1.001]


def _nice_step(length: float, most: int) -> float:
    """The least of 1, 2 and 5, times a power of ten, that divides a length into at most so many parts.

    >>> [_nice_step(length, 5) for length in (1.0, 7.0, 43.0)]
    [0.2, 2.0, 10.0]
    """
    power = 10.0 ** math.floor(math.log10(length / most))
    return next(step * power for step in (1, 2, 5, 10) if length / (step * power) <= most + 1e-9)


def _short_number(number: float) -> str:
    """Write the number of a tick.

    >>> [_short_number(number) for number in (0.30000000000000004, 20.0, 1500)]
    ['0.3', '20', '1,500']
    """
    return f"{round(number, 10):,.10g}"


class _Drawing:
    """A figure on its way to SVG: its axes, the room around its plot, and what was drawn."""

    def __init__(self, figure: Mapping[str, Any]) -> None:
        self.traces: Sequence[Trace] = figure["data"]
        self.layout: Mapping[str, Any] = figure["layout"]
        self.bars = [trace for trace in self.traces if trace["type"] == "bar"]
        self.lying = any(trace.get("orientation") == "h" for trace in self.bars)
        style = self.layout.get("template", {}).get("layout", {})
        self.gap = float(self.layout.get("bargap", style.get("bargap", 0.2)))
        self.x, self.y = self._axis("x"), self._axis("y")
        self.in_pixels = (
            self.x.layout.get("visible") is False
        )  # an outline: its steps are as wide as letters need
        self.y_ticks = self.y.ticks(5) if self.y.is_shown else []
        self.x_ticks = self.x.ticks(6) if self.x.is_shown else []
        self.left = 4 + max((text_width(words) + 8 for _, words in self.y_ticks), default=0)
        self.right = 4 + self._overhang()
        above_lines = [bool(self.y.title), bool(self.layout.get("annotations"))]
        self.above = 10 + 20 * sum(above_lines)
        self.below = (24 if self.x_ticks else 4) + (22 if self.x.title else 0)
        height = int(self.layout["height"]) - (0 if self.in_pixels else 36)  # the page has the title
        self.height = max(height, self.above + self.below + 20)
        self.depth = self.height - self.above - self.below
        self.drawn: list[str] = []

    def _axis(self, name: str) -> _PlotAxis:
        layout = self.layout.get(f"{name}axis", {})
        numbers = [number for trace in self.traces for number in trace[name] if number is not None]
        is_category = bool(self.bars) and (name == "y") == self.lying
        return _PlotAxis.over(numbers, layout, bars=is_category, values=bool(self.bars) and not is_category)

    def _overhang(self) -> float:
        """How far text may stand beyond the right end of the plot."""
        beside = [
            (self.x.share(number), text_width(plain_text(str(text))) + 8)
            for trace in self.bars
            if self.lying
            for number, text in zip(trace["x"], trace.get("text", ()), strict=False)
        ]
        least = max((width - _NARROW * (1 - share) for share, width in beside), default=0)
        return max(least, text_width(self.x_ticks[-1][1]) / 2 if self.x_ticks else 0, 12)

    def write(self, alt: str) -> str:
        """Return the drawing, below a legend where there are several things to tell apart."""
        self._draw_grid()
        for place, trace in enumerate(self.bars):
            self._draw_bars(trace, place)
        for trace in self.traces:
            if trace["type"] == "scatter":
                self._draw_points(trace)
        self._draw_marks()
        room = " ".join(f"{side:.0f}px" for side in (self.above, self.right, self.below, self.left))
        smaller = f";--printed:{_PAGE / self.height:.3f}" if self.height > _PAGE else ""
        return (
            f'{self._legend()}<svg class="plot" role="img" aria-label="{escape(alt)}" '
            f'style="height:{self.height}px;padding:{room}{smaller}">{"".join(self.drawn)}</svg>'
        )

    # places

    def _across(self, number: float, shift: float = 0.0) -> str:
        """A place from left to right, as an attribute's value."""
        if self.in_pixels:
            return f"{(number - self.x.low) * _INDENT + shift:.1f}"
        return f"{100 * self.x.share(number):.2f}%"

    def _down(self, number: float) -> float:
        """A place from the top, in pixels; an axis whose range runs backwards counts from the top."""
        return self.depth * (1 - self.y.share(number))

    # what is drawn

    def _draw_grid(self) -> None:
        has_lines = not self.lying or bool(self.x.layout.get("showgrid"))
        ends = {"s": -math.inf, "m": -math.inf, "w": -math.inf}  # of the last word shown, at each width
        for number, words in self.x_ticks:
            share, at = self.x.share(number), self._across(number)
            if has_lines and self.x.layout.get("showgrid", True):
                self.drawn.append(f'<line class="grid" x1="{at}" x2="{at}" y1="0" y2="{self.depth}"/>')
            hidden = []
            for name, width in (("s", _NARROW), ("m", _MIDDLE), ("w", _WIDE)):
                half = text_width(words) / 2
                if share * width - half < ends[name] + 6:
                    hidden.append(name)
                else:
                    ends[name] = share * width + half
            self.drawn.append(_text(words, at, self.depth + 18, " ".join(["mid", *hidden])))
        for number, words in self.y_ticks:
            at_y = self._down(number)
            if not self.lying and self.y.layout.get("showgrid", True):
                self.drawn.append(f'<line class="grid" x1="0" x2="100%" y1="{at_y:.1f}" y2="{at_y:.1f}"/>')
            self.drawn.append(_text(words, "-8", at_y + 4, "end"))
        if self.lying:
            self.drawn.append(f'<line class="base" x1="0" x2="0" y1="0" y2="{self.depth}"/>')
        elif self.bars:
            self.drawn.append(f'<line class="base" x1="0" x2="100%" y1="{self.depth}" y2="{self.depth}"/>')
        if self.x.title:
            self.drawn.append(
                _text(
                    self.x.title,
                    "100%" if not self.lying else "0",
                    self.depth + self.below - 6,
                    "axis end" if not self.lying else "axis",
                )
            )
        if self.y.title:
            self.drawn.append(_text(self.y.title, f"{-self.left + 4:.0f}", 12 - self.above, "axis"))

    def _draw_bars(self, trace: Trace, place: int) -> None:
        group_gap = float(self.layout.get("bargroupgap", 0.0))
        width = (1 - self.gap) / len(self.bars)
        start = -(1 - self.gap) / 2 + place * width + width * group_gap / 2
        width *= 1 - group_gap
        colours = trace.get("marker", {}).get("color", "")
        for index, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
            colour = _class_of(colours if isinstance(colours, str) else colours[index])
            words = plain_text(str(trace["text"][index])) if "text" in trace else ""
            if self.lying:
                top, thick = (
                    sorted((self._down(y + start), self._down(y + start + width)))[0],
                    width * self._row,
                )
                at_end, share = self._across(x), max(0.0, self.x.share(x))
                bar = f'<rect y="{top:.1f}" width="{100 * share:.2f}%" height="{thick:.1f}" rx="1.5"/>'
                bar += _text(words, at_end, top + thick / 2 + 4, "value", dx=6) if words else ""
            else:
                left, top = self._across(x + start), self._down(y)
                across = 100 * width / (self.x.high - self.x.low)
                bar = (
                    f'<rect x="{left}" y="{top:.1f}" width="{across:.2f}%" height="{self.depth - top:.1f}"/>'
                )
                middle = self._across(x + start + width / 2)
                bar += _text(words, middle, top - 5, "value mid s") if words else ""
            self.drawn.append(f'<g class="{colour}">{_title(trace, index)}{bar}</g>')

    @property
    def _row(self) -> float:
        """How many pixels one row of lying bars has."""
        return self.depth / abs(self.y.high - self.y.low)

    def _draw_points(self, trace: Trace) -> None:
        mode = str(trace.get("mode", "lines"))
        if "lines" in mode:
            self.drawn.append(self._line(trace))
        if "markers" in mode:
            self._draw_markers(trace)

    def _line(self, trace: Trace) -> str:
        """A line that breaks where a number is missing; it is stretched to the width, its stroke is not."""
        style = trace.get("line", {})
        runs: list[list[tuple[float, float]]] = [[]]
        for x, y in zip(trace["x"], trace["y"], strict=True):
            if y is None or x is None:
                runs.append([])
                continue
            across = (x - self.x.low) * _INDENT if self.in_pixels else 1000 * self.x.share(x)
            down = self._down(y)
            if runs[-1] and style.get("shape") == "vh":
                runs[-1].append((runs[-1][-1][0], down))
            runs[-1].append((across, down))
        path = "".join("M" + " ".join(f"{x:.1f},{y:.1f}" for x, y in run) for run in runs if len(run) > 1)
        dash = _DASHES.get(str(style.get("dash", "solid")), "")
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        colour, width = _class_of(str(style.get("color", ""))), style.get("width", 2)
        drawn = f'<path class="line {colour}" stroke-width="{width}"{dashes} d="{path}"/>'
        if self.in_pixels:
            return drawn
        return (
            f'<svg width="100%" height="{self.depth}" viewBox="0 0 1000 {self.depth}" preserveAspectRatio="none">'
            f"{drawn}</svg>"
        )

    def _draw_markers(self, trace: Trace) -> None:
        marker = trace.get("marker", {})
        has_text = "text" in str(trace.get("mode"))
        for index, (x, y) in enumerate(zip(trace["x"], trace["y"], strict=True)):
            if x is None or y is None:
                continue
            fill, edge = (
                colour if isinstance(colour, str) or colour is None else colour[index]
                for colour in (marker.get("color"), marker.get("line", {}).get("color"))
            )
            colour = str(fill or trace.get("line", {}).get("color", ""))
            shape = _marker(
                str(marker.get("symbol", "circle")),
                float(marker.get("size", 7)) / 2,
                _class_of(colour),
                _class_of(str(edge)) if edge else "",
                (self._across(x), self._down(y)),
            )
            self.drawn.append(f"<g>{_title(trace, index)}{shape}</g>")
            if has_text:
                self._draw_point_text(trace, index)

    def _draw_point_text(self, trace: Trace, index: int) -> None:
        """The words beside a point; what stands in a span is fainter."""
        across, down = self._across(trace["x"][index], 10), self._down(trace["y"][index])
        position = str(trace.get("textposition", ""))
        shift = -12 if "top" in position else 20 if "bottom" in position else 4
        colours = trace.get("textfont", {}).get("color", "")
        colour = _class_of(colours if isinstance(colours, str) else colours[index])
        main, _, note = str(trace["text"][index]).partition("<span")
        left = not self.in_pixels and self.x.share(trace["x"][index]) > 0.7
        words = escape(plain_text(main).strip())
        if note:
            words += Markup(' <tspan class="note">{}</tspan>').format(plain_text(f"<span{note}").strip())
        side = "end" if left else ""
        dx = 0 if self.in_pixels else -10 if left else 10
        self.drawn.append(
            f'<text class="{colour} {side} said" x="{across}" y="{down + shift:.1f}" dx="{dx}">{words}</text>'
        )

    def _draw_marks(self) -> None:
        """Lines across the plot, such as that of k, and words above it."""
        for shape in self.layout.get("shapes", ()):
            at = self._across(shape["x0"])
            colour = _class_of(str(shape["line"]["color"]))
            self.drawn.append(
                f'<line class="line {colour}" stroke-width="2" stroke-dasharray="7 5" x1="{at}" x2="{at}" y1="-4" '
                f'y2="{self.depth}"/>'
            )
        for note in self.layout.get("annotations", ()):
            colour = _class_of(str(note["font"]["color"]))
            self.drawn.append(
                _text(plain_text(note["text"]), self._across(note["x"]), -10, f"mid said {colour}")
            )

    def _legend(self) -> str:
        """What tells traces apart; nothing where there is one."""
        if not self.layout.get("showlegend"):
            return ""
        entries = []
        for trace in self.traces:
            name = escape(plain_text(str(trace.get("name", ""))))
            if trace["type"] == "bar":
                colour = _class_of(str(trace["marker"]["color"]))
                sample = f'<rect class="{colour}" y="4" width="20" height="12" rx="2"/>'
            else:
                sample = self._line_sample(trace)
            entries.append(f'<span><svg class="sample" aria-hidden="true">{sample}</svg> {name}</span>')
        return f'<div class="legend" aria-hidden="true">{"".join(entries)}</div>'

    @staticmethod
    def _line_sample(trace: Trace) -> str:
        style, marker = trace.get("line", {}), trace.get("marker", {})
        colour = _class_of(str(style.get("color") or marker.get("color", "")))
        dash = _DASHES.get(str(style.get("dash", "solid")), "")
        line = (
            f'<path class="line {colour}" stroke-width="2" stroke-dasharray="{dash or "none"}" d="M0 10H28"/>'
        )
        shape = _marker(str(marker.get("symbol", "circle")), 4, colour, "", ("14", 10))
        return (line if "lines" in str(trace.get("mode")) else "") + shape


def _marker(symbol: str, radius: float, fill: str, edge: str, at: tuple[str, float]) -> str:
    """One mark of a shape, so large, at a place."""
    x, y = at
    if symbol == "circle-open":
        return f'<circle class="ring {fill}" cx="{x}" cy="{y:.1f}" r="{radius}"/>'
    if symbol == "line-ns-open":
        ends = f'y1="{y - radius:.1f}" y2="{y + radius:.1f}"'
        return f'<line class="line {fill}" stroke-width="3" x1="{x}" x2="{x}" {ends}/>'
    edged = f"mark edged {edge} of-{fill}" if edge else f"mark {fill}"
    if symbol not in _SHAPES:
        return f'<circle class="{edged}" cx="{x}" cy="{y:.1f}" r="{radius}"/>'
    return (
        f'<svg x="{x}" y="{y:.1f}" overflow="visible"><path class="{edged}" transform="scale({radius})" '
        f'd="{_SHAPES[symbol]}"/></svg>'
    )


def _text(words: str, x: str, y: float, kind: str = "", dx: int = 0) -> str:
    shift = f' dx="{dx}"' if dx else ""
    styled = f' class="{kind}"' if kind else ""
    return f'<text{styled} x="{x}" y="{y:.1f}"{shift}>{escape(words)}</text>'


def _class_of(colour: str) -> str:
    """The class of a colour; ink for one that the style sheet does not have."""
    return COLOURS.get(colour.lower(), "ink")


def _title(trace: Trace, index: int) -> str:
    """What a pointer over a mark is told: the template for plotly, filled in here."""
    template = str(trace.get("hovertemplate", ""))
    if not template or trace.get("hoverinfo") == "skip":
        return ""
    shown, _, extra = template.partition("<extra>")
    lines = [plain_text("".join(_filled(part, trace, index))) for part in (shown, extra)]
    words = ", ".join(line.strip().replace("\n", ", ") for line in lines if line.strip())
    return f"<title>{escape(words.strip(', '))}</title>"


def _filled(template: str, trace: Trace, index: int) -> Iterator[str]:
    """A template with what its fields name of one point; labels are filled in whole, never read as templates."""
    end = 0
    for field in _TEMPLATE_FIELD.finditer(template):
        yield template[end : field.start()]
        end = field.end()
        name, place, form = field.groups()
        if name == "fullData.name":
            yield str(trace.get("name", ""))
            continue
        found = trace[name][index]
        if place is not None:
            found = found[int(place)]
        yield (
            percent(found)
            if form and form.endswith("%")
            else found
            if isinstance(found, str)
            else _short_number(found)
        )
    yield template[end:]
