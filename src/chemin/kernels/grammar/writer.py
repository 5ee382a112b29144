"""How is a kernel written, so that its text means the same kernel? Parentheses only where the grammar needs them."""

from __future__ import annotations

from collections.abc import Iterable

from chemin.exceptions import InvalidInputError
from chemin.kernels.base import Kernel, Named, On, Power, Product, Scaled, Sum
from chemin.kernels.blocks import Columns, Window
from chemin.kernels.elementary import (
    Constant,
    Epanechnikov,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
)
from chemin.kernels.grammar.limits import LONGEST_NUMBER
from chemin.kernels.grammar.names import Names, as_written, quoted
from chemin.kernels.grammar.parser import Parser
from chemin.kernels.grammar.size import check_size
from chemin.kernels.parameters import Width

_SUM, _PRODUCT, _POWER, _ATOM = range(4)  # how tightly a text holds together


def write_kernel(kernel: Kernel) -> str:
    """Return a text that `parse_kernels` reads as the same kernel.

    Parameters
    ----------
    kernel : Kernel
        Made of those of the grammar. Functions, matrices and kernels of other libraries have no text.

    Examples
    --------
    >>> from chemin.kernels import Gaussian, Linear
    >>> print(write_kernel(Gaussian(0.5).on(["age", "mean radius"]) + 2 * Linear() ** 2))
    gaussian(width=0.5).on(age, "mean radius") + 2 * linear^2
    """
    if not isinstance(kernel, Kernel):
        raise InvalidInputError(f"{type(kernel).__name__} is no kernel: pass one, such as Linear()")
    check_size(kernel)
    text = _written(kernel, _SUM)
    # Kernels of one's own, or a sum of one part, may be written like another one.
    if Parser(text, Names()).kernels() != (kernel,):
        raise _without_text(kernel)
    return text


def _written(kernel: Kernel, least: int) -> str:
    text, tightness = _text(kernel)
    return text if tightness >= least else f"({text})"


def _text(kernel: Kernel) -> tuple[str, int]:
    match kernel:
        case Sum():
            return " + ".join(_written(part, _PRODUCT) for part in kernel.parts), _SUM
        case Product():
            first, *others = kernel.parts
            factors = [
                _written(first, _PRODUCT),
                *(_written(other, _POWER) for other in others),
            ]
            return " * ".join(factors), _PRODUCT
        case Scaled():
            return f"{_number(kernel.factor)} * {_written(kernel.kernel, _POWER)}", _PRODUCT
        case Power():
            return f"{_written(kernel.kernel, _ATOM)}^{_whole(kernel.degree)}", _POWER
        case Named():
            return f"{_written(kernel.kernel, _ATOM)}.named({quoted(str(kernel.title))})", _ATOM
        case On():
            return f"{_written(kernel.kernel, _ATOM)}.on({_block(kernel.block)})", _ATOM
    return _elementary(kernel), _ATOM


def _elementary(kernel: Kernel) -> str:
    match kernel:
        case Linear():
            return "linear"
        case Constant():
            return f"constant(value={_number(kernel.value)})"
        case Polynomial():
            return f"polynomial(degree={_whole(kernel.degree)}, offset={_number(kernel.offset)})"
        case Gaussian():
            return f"gaussian(width={_width(kernel.width)})"
        case Laplacian():
            return f"laplacian(width={_width(kernel.width)})"
        case Epanechnikov():
            return f"epanechnikov(width={_width(kernel.width)})"
    raise _without_text(kernel)


def _without_text(kernel: Kernel) -> InvalidInputError:
    return InvalidInputError(
        f"{type(kernel).__name__} has no text: the grammar has sums, products and restrictions of "
        "its own kernels only, so keep this one in Python"
    )


def _block(block: Columns | Window) -> str:
    if isinstance(block, Window):
        sides = {name: _whole(getattr(block, name)) for name in ("top", "left", "height", "width")}
        placed = _listed(f"{name}={number}" for name, number in sides.items())
        return f"window({placed}, shape=({_listed(map(_whole, block.shape))}))"
    return _listed(_column(item) for item in block.items)


def _column(item: str | int) -> str:
    return _whole(item) if isinstance(item, int) else as_written(item)


def _width(width: Width) -> str:
    if not isinstance(width, tuple):
        return _number(width)
    comma = "," * (len(width) == 1)
    return f"({_listed(map(_number, width))}{comma})"


def _listed(texts: Iterable[str]) -> str:
    return ", ".join(texts)


def _number(value: float) -> str:
    """Return the shortest text of the same number."""
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def _whole(number: int) -> str:
    if number >= 10**LONGEST_NUMBER:  # Python refuses to write the very long ones
        raise InvalidInputError(f"a number has more than {LONGEST_NUMBER} digits: lower it")
    return str(number)
