"""How are kernels written on a command line or in a file, without being code? A closed grammar, read by hand.

    kernels    = item {"," item}
    item       = sum | family
    sum        = product {"+" product}
    product    = [number "*"] power {"*" power}
    power      = restricted [("^" | "**") number]
    restricted = atom {"." ("on" "(" block ")" | "named" "(" name ")")}
    atom       = elementary | "(" sum ")"
    elementary = "linear" ["(" ")"]
               | "constant" ["(" [["value" "="] number] ")"]
               | "polynomial" ["(" [["degree" "="] number ["," ["offset" "="] number]] ")"]
               | of_width ["(" [["width" "="] value] ")"]
    of_width   = "gaussian" | "laplacian" | "epanechnikov"

    family     = "widths" "(" value {"," value} ["," "kernel" "=" of_width] ")" ["." "on" "(" block ")"]
               | "pairs_of" "(" column "," column {"," column} "," "kernel" "=" sum ")"
               | "windows" "(" "size" "=" value "," "stride" "=" value "," "kernel" "=" sum
                           ["," "positions" "=" value] ["," "shape" "=" value] ")"

    block      = column {"," column} | window
    window     = "window" "(" "top" "=" number "," "left" "=" number "," "height" "=" number ","
                              "width" "=" number ["," "shape" "=" value] ")"
    column     = name | position
    value      = number | "(" number {"," number} ")"
    number     = ["-"] (digits ["." [digits]] [exponent] | "." digits [exponent] | "inf")
    name       = letters, digits and _, or anything in quotes, "…" or '…', where two quotes stand for one

An expression means what it means in Python, where ``linear`` is ``Linear()`` and ``^`` is ``**``. Words of the grammar
may have capitals. Parameters by name come in any order, those of an elementary kernel may be left out, and a comma may
end a list. Columns are named exactly, or by position from 0. A width per axis is a list in parentheses, with ``inf``
for an axis that does not count. A comma between two digits needs a space, since ``0,5`` might be a decimal number.
Nothing is evaluated, and `limits` has the largest text, depth and family.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from chemin.exceptions import InvalidInputError
from chemin.kernels.base import Kernel
from chemin.kernels.grammar.names import Names
from chemin.kernels.grammar.parser import Parser
from chemin.kernels.grammar.writer import write_kernel
from chemin.kernels.parameters import as_two

__all__ = ["parse_kernels", "write_kernel"]


def parse_kernels(
    text: str,
    *,
    columns: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
    image_shape: tuple[int, int] | None = None,
) -> tuple[Kernel, ...]:
    """Return the kernels that a text means.

    Parameters
    ----------
    text : str
        Kernels and families, separated by commas.
    columns : sequence or mapping, optional
        The names of the columns, or the names of the columns made of each variable. Other names are then refused, and
        a variable means all columns made of it.
    image_shape : (int, int), optional
        Numbers of rows and columns of the images, for windows.

    Raises
    ------
    InvalidInputError
        If the text is not of the grammar; the message shows the place and the remedy.

    Examples
    --------
    >>> for kernel in parse_kernels('gaussian(0.5).on(âge, "mean radius") + 2 * linear, widths(1, 2)'):
    ...     print(kernel)
    Gaussian(width=0.5) on âge, mean radius + 2 * Linear
    Gaussian(width=1)
    Gaussian(width=2)
    >>> parse_kernels("linear.on(site)", columns={"site": ["site=Lyon", "site=Nice"]})[0].name
    'Linear on site=Lyon, site=Nice'
    >>> parse_kernels("gausian(1)")
    Traceback (most recent call last):
    chemin.exceptions.InvalidInputError: there is no kernel 'gausian': did you mean gaussian?
      gausian(1)
      ^
    """
    if not isinstance(text, str):
        raise InvalidInputError(f"kernels are written as a text, and this is {type(text).__name__}")
    if not text.strip():
        raise InvalidInputError("the text has no kernel: write one, such as gaussian(width=1)")
    shape = None if image_shape is None else as_two(image_shape, "image_shape")
    return Parser(text, Names(columns), shape).kernels()
