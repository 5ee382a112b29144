"""How deeply are kernels built on one another? Counted without recursion, which a deep one would exhaust."""

from __future__ import annotations

from chemin.exceptions import InvalidInputError
from chemin.kernels.base import Kernel, Named, On, Power, Product, Scaled, Sum
from chemin.kernels.grammar.limits import DEEPEST, LONGEST_TEXT


def check_size(kernel: Kernel) -> None:
    """Refuse a kernel that no text within the limits could hold.

    Examples
    --------
    >>> from chemin.kernels import Linear
    >>> check_size(2 * Linear() + Linear().on("age"))
    """
    level = [kernel]
    for _ in range(DEEPEST + 1):
        level = [part for outer in level for part in _parts(outer)]
        if not level:
            return
        if len(level) > LONGEST_TEXT:
            raise InvalidInputError(
                f"at most {LONGEST_TEXT} kernels are joined in a text: use fewer"
            )
    raise InvalidInputError(
        f"at most {DEEPEST} kernels are built on one another in a text: simplify this one"
    )


def _parts(kernel: Kernel) -> tuple[Kernel, ...]:
    if isinstance(kernel, Sum | Product):
        return kernel.parts
    return (kernel.kernel,) if isinstance(kernel, Named | On | Power | Scaled) else ()
