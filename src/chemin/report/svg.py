"""How is a cell or a curve drawn? As SVG with classes that the page's one style sheet knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from chemin.dictionaries.base import Floats, Indices
from chemin.report.blocks import Bar, Curve, Span
from chemin.results import plain

_BAR = (120, 12)  # width and height of a bar or an interval, as the style sheet has them
_SIZE = (680, 260)  # of a curve
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 40, 44  # margins of a curve
_MOST_POINTS = 300  # steps of a curve that are drawn
_TICKS = 5
_RADIUS = 3.5


def bar(cell: Bar) -> str:
    """Return a bar; decoration, since its number stands in another cell."""
    width, height = _BAR
    share = min(abs(cell.size) / cell.most, 1.0) if cell.most > 0.0 else 0.0
    axis = width / 2.0 if cell.two_sided else 0.0
    length = share * (width - axis)
    start = axis - length if cell.size < 0.0 else axis
    side = "minus" if cell.size < 0.0 else "plus"
    return _decoration(
        f'<rect class="{side}" x="{start:.1f}" y="1" width="{length:.1f}" height="{height - 2}"/>'
        f'<line class="axis" x1="{axis:.1f}" x2="{axis:.1f}" y1="0" y2="{height}"/>'
    )


def span(cell: Span) -> str:
    """Return an interval with its value; decoration, since its numbers stand in other cells."""
    width, height = _BAR
    middle = height / 2.0
    length = cell.most - cell.least

    def across(value: float) -> float:
        share = (value - cell.least) / length if length > 0.0 else 0.5
        return _RADIUS + min(max(share, 0.0), 1.0) * (width - 2.0 * _RADIUS)

    whisker = ""
    if cell.low is not None and cell.high is not None:
        low, high = across(cell.low), across(cell.high)
        whisker = (
            f'<line class="whisker" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"/>'
        )
    point = f'<circle class="point" cx="{across(cell.value):.1f}" cy="{middle}" r="{_RADIUS}"/>'
    return _decoration(whisker + point)


def _decoration(inside: str) -> str:
    return f'<svg class="cell" aria-hidden="true">{inside}</svg>'


@dataclass(frozen=True)
class _Plane:
    """Where values are in a picture: λ on a logarithmic axis from ``least`` to ``most``, powers of ten."""

    least: float
    most: float
    floor: float
    ceiling: float

    def across(self, value: float) -> float:
        inside = _SIZE[0] - _LEFT - _RIGHT
        share = (np.log10(value) - self.least) / (self.most - self.least)
        return _LEFT + float(np.clip(share, 0.0, 1.0)) * inside

    def down(self, value: float) -> float:
        inside = _SIZE[1] - _TOP - _BOTTOM
        share = (value - self.floor) / (self.ceiling - self.floor)
        return _SIZE[1] - _BOTTOM - float(np.clip(share, 0.0, 1.0)) * inside

    def steps(self, x: Floats, y: Floats) -> str:
        """Return a curve that keeps y[k] from x[k] up to x[k − 1], going up or down, then to the left or right."""
        moves = [f"{self.across(x[0]):.1f},{self.down(y[0]):.1f}"]
        for k in range(1, len(x)):
            moves.append(f"V{self.down(y[k]):.1f}H{self.across(x[k]):.1f}")
        return "".join(moves)

    def steps_back(self, x: Floats, y: Floats) -> str:
        """Return the same curve from its end to its beginning."""
        moves = [f"{self.across(x[-1]):.1f},{self.down(y[-1]):.1f}"]
        for k in range(len(x) - 1, 0, -1):
            moves.append(f"H{self.across(x[k - 1]):.1f}V{self.down(y[k - 1]):.1f}")
        return "".join(moves)


def curve(drawn: Curve, name: str) -> str:
    """Return a step curve with its band, axes and marks; ``name`` is its own on the page."""
    kept = _thinned(np.asarray(drawn.y))
    x, y, spread = (np.asarray(values)[kept] for values in (drawn.x, drawn.y, drawn.spread))
    plane = _plane(x, y, spread)
    around = f"M{plane.steps(x, y + spread)}L{plane.steps_back(x, y - spread)}Z"
    parts = [
        f'<path class="band" d="{around}"/>',
        *_axes(drawn, plane),
        f'<path class="line" d="M{plane.steps(x, y)}"/>',
        *_marks(drawn, plane),
    ]
    width, height = _SIZE
    title = f'<title id="{name}">{_text(drawn.sentence)}</title>'
    opened = (
        f'<svg class="curve" viewBox="0 0 {width} {height}" role="img" aria-labelledby="{name}">'
    )
    return f"{opened}{title}{''.join(parts)}</svg>"


def _plane(x: Floats, y: Floats, spread: Floats) -> _Plane:
    least, most = float(np.log10(x[-1])), float(np.log10(x[0]))
    floor, ceiling = float(np.min(y - spread)), float(np.max(y + spread))
    if np.min(y) >= 0.0:
        floor = max(floor, 0.0)
    return _Plane(
        least, most if most > least else least + 1.0, floor, ceiling if ceiling > floor else floor + 1.0
    )  # fmt: skip


def _axes(drawn: Curve, plane: _Plane) -> Iterator[str]:
    width, height = _SIZE
    low, right = height - _BOTTOM, width - _RIGHT
    yield f'<line class="axis" x1="{_LEFT}" x2="{right}" y1="{low}" y2="{low}"/>'
    for value in _round_logs(plane.least, plane.most):
        at = f"{plane.across(value):.1f}"
        yield f'<line class="axis" x1="{at}" x2="{at}" y1="{low}" y2="{low + 4}"/>'
        yield f'<text x="{at}" y="{low + 17}" text-anchor="middle">{value:g}</text>'
    for value in _round_values(plane.floor, plane.ceiling):
        at = f"{plane.down(value):.1f}"
        yield f'<line class="grid" x1="{_LEFT}" x2="{right}" y1="{at}" y2="{at}"/>'
        yield f'<text x="{_LEFT - 6}" y="{at}" dy="4" text-anchor="end">{value:g}</text>'
    middle = (_LEFT + right) / 2.0
    yield f'<text x="{middle:.0f}" y="{height - 8}" text-anchor="middle">{_text(drawn.x_name)}</text>'
    yield f'<text x="4" y="14">{_text(drawn.y_name)}</text>'


def _marks(drawn: Curve, plane: _Plane) -> Iterator[str]:
    width, height = _SIZE
    for mark in drawn.marks:
        at = plane.across(mark.x)
        side, shift = ("end", -5) if at > width / 2.0 else ("start", 5)
        yield f'<line class="mark" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP - 8}" y2="{height - _BOTTOM}"/>'
        place = f'x="{at + shift:.1f}" y="{_TOP - 2}" text-anchor="{side}"'
        yield f'<text class="mark" {place}>{_text(mark.name)}</text>'


def _thinned(y: Floats) -> Indices:
    """Return places to draw: those where the curve changes, and no more than a screen shows."""
    changes = np.flatnonzero(np.r_[True, y[1:] != y[:-1]])
    before = changes[1:] - 1  # where a step ends
    places = np.unique(np.r_[changes, before, len(y) - 1])
    if len(places) <= _MOST_POINTS:
        return places
    return np.unique(places[np.linspace(0, len(places) - 1, _MOST_POINTS).round().astype(int)])


def _round_logs(least: float, most: float) -> list[float]:
    """Return round values between two powers of ten: 1, 2 and 5 of each decade, of many decades 1 alone."""
    steps = (1.0,) if most - least > 3.0 else (1.0, 2.0, 5.0)
    powers = range(int(np.floor(least)), int(np.ceil(most)) + 1)
    values = [step * 10.0**power for power in powers for step in steps]
    return [value for value in values if least <= np.log10(value) <= most]


def _round_values(least: float, most: float) -> list[float]:
    raw = (most - least) / _TICKS
    power = 10.0 ** np.floor(np.log10(raw))
    step = next(one * power for one in (1.0, 2.0, 5.0, 10.0) if one * power >= raw)
    first = np.ceil(least / step) * step
    return [float(round(value, 12)) for value in np.arange(first, most + step / 100.0, step)]


def _text(words: str) -> str:
    return escape(plain(words))
