"""How are numbers shown in words? Bars made of signs for a terminal, of colour for a notebook."""

from __future__ import annotations

_HALF = 12  # signs on each side of the axis
_WIDTH = 90  # pixels on each side of the axis
_COLOURS = ("#D55E00", "#0072B2")  # of the negative and of the positive side, as in the pictures
_STYLE = (
    "<style>.chemin table{border-collapse:collapse}.chemin td,.chemin th{padding:2px 8px;text-align:left;border:0}"
    ".chemin .bar{position:relative;min-width:180px;width:180px}"
    ".chemin .bar i{position:absolute;top:20%;height:60%}</style>"
)


def text_bar(size: float, most: float) -> str:
    """Return a bar to the right of an axis for a positive size, to its left for a negative one, up to the longest.

    Examples
    --------
    >>> text_bar(0.5, 1.0), text_bar(-1.0, 1.0)
    ('            |++++++      ', '------------|            ')
    """
    count = round(_HALF * abs(size) / most) if 0.0 < abs(size) <= most else 0
    left = "-" * count if size < 0 else ""
    right = "+" * count if size > 0 else ""
    return f"{left:>{_HALF}}|{right:<{_HALF}}"


def share_bar(size: float, most: float) -> str:
    """Return a bar that begins at the left, made of the sign of the size.

    Examples
    --------
    >>> share_bar(-0.5, 1.0)
    '------      '
    """
    count = round(_HALF * abs(size) / most) if most > 0.0 else 0
    return f"{('+' if size > 0 else '-') * count:<{_HALF}}"


def bar_cell(size: float, most: float) -> str:
    """Return the cell of a table with such a bar in it."""
    count = round(_WIDTH * abs(size) / most) if 0.0 < abs(size) <= most else 0
    start = _WIDTH - count if size < 0 else _WIDTH
    colour = _COLOURS[int(size > 0)]
    return (
        f'<td class="bar"><i style="left:{start}px;width:{count}px;background:{colour}"></i>'
        f'<i style="left:{_WIDTH}px;width:1px;background:currentColor"></i></td>'
    )


def page_of(*parts: str) -> str:
    """Return pieces of HTML as one that needs nothing else."""
    return f'<div class="chemin">{_STYLE}{"".join(parts)}</div>'
