"""Which kernels does a text mean? One method per rule of the grammar, each reading its words from left to right."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

from chemin.exceptions import InvalidInputError
from chemin.kernels.base import Kernel, Power, Product, Scaled, Sum
from chemin.kernels.blocks import Columns, Window
from chemin.kernels.elementary import (
    Constant,
    Epanechnikov,
    Gaussian,
    Laplacian,
    Linear,
    Polynomial,
)
from chemin.kernels.families import widths, windows
from chemin.kernels.grammar.limits import DEEPEST, MOST_KERNELS
from chemin.kernels.grammar.names import Names, nearest
from chemin.kernels.grammar.refusals import refusal
from chemin.kernels.grammar.size import check_size
from chemin.kernels.grammar.tokens import Token, read_tokens
from chemin.kernels.parameters import as_two

T = TypeVar("T")
Reader = Callable[[], Any]


class _Elementary(NamedTuple):
    """A kernel by name, what it takes, and an example."""

    make: Callable[..., Kernel]
    parameters: tuple[str, ...]
    example: str


_ELEMENTARY = {
    "constant": _Elementary(Constant, ("value",), "constant(2)"),
    "epanechnikov": _Elementary(Epanechnikov, ("width",), "epanechnikov(width=2)"),
    "gaussian": _Elementary(Gaussian, ("width",), "gaussian(0.5), or gaussian((1, 8)) per axis"),
    "laplacian": _Elementary(
        Laplacian, ("width",), "laplacian(0.5), or laplacian((1, 8)) per axis"
    ),
    "linear": _Elementary(Linear, (), "linear"),
    "polynomial": _Elementary(Polynomial, ("degree", "offset"), "polynomial(degree=3, offset=1)"),
}
_OF_WIDTHS = {"gaussian": Gaussian, "laplacian": Laplacian, "epanechnikov": Epanechnikov}
_FAMILIES = {
    "pairs_of": "pairs_of(age, weight, size, kernel=gaussian(1))",
    "widths": "widths(0.5, 1, 2, kernel=laplacian)",
    "windows": "windows(size=7, stride=3, kernel=polynomial(3))",
}
_METHODS = {"on": '.on(age, "mean radius")', "named": '.named("upright")'}
_WINDOW = "window(top=0, left=3, height=7, width=7)"
_EXAMPLE = "gaussian(0.5).on(age) + 2 * linear"


class Parser:
    """A text being read: its words, the next of them, and what it may name.

    Parameters
    ----------
    text : str
        The kernels.
    names : Names
        The columns that may be named.
    image_shape : (int, int), optional
        Numbers of rows and columns of the images that windows are cut from.
    """

    def __init__(self, text: str, names: Names, image_shape: tuple[int, int] | None = None) -> None:
        self._text = text
        self._names = names
        self._shape = image_shape
        self._words = iter(read_tokens(text))
        self._token = next(self._words)
        self._after = next(self._words, self._token)
        self._open = 0
        self._found: list[Kernel] = []

    def kernels(self) -> tuple[Kernel, ...]:
        """Return the kernels of the whole text."""
        self._found.extend(self._item())
        while self._accept(","):
            self._found.extend(self._item())
        if self._token.kind != "end":
            raise self._no_operation("a comma or the end")
        return tuple(self._found)

    def _item(self) -> tuple[Kernel, ...]:
        start = self._token
        families = {"pairs_of": self._pairs_of, "widths": self._widths, "windows": self._windows}
        family = families.get(start.value.lower()) if start.kind == "name" else None
        kernels = (self._sum(),) if family is None else family()
        self._build(start, check_size, kernels[0])
        if family is not None and self._token.kind not in {",", "end"}:
            raise self._refusal(
                f"a family stands alone, and here goes on with {self._token}: separate it by commas"
            )
        return kernels

    # Kernels

    def _sum(self) -> Kernel:
        parts = [self._product()]
        while self._accept("+"):
            parts.append(self._product())
        return parts[0] if len(parts) == 1 else Sum(tuple(parts))

    def _product(self) -> Kernel:
        start = self._token
        factor = self._number() if start.kind in {"number", "-"} else None
        if factor is not None and not self._accept("*"):
            raise self._refusal("a number is no kernel: write 2 * linear, or constant(2)", start)
        first = self._power()
        parts = [first if factor is None else self._build(start, Scaled, first, factor)]
        while self._accept("*"):
            parts.append(self._power())
        return parts[0] if len(parts) == 1 else Product(tuple(parts))

    def _power(self) -> Kernel:
        kernel = self._restricted()
        if not self._accept("^"):
            return kernel
        start = self._token
        power = self._build(start, Power, kernel, self._number())
        if self._token.kind in {"^", "."}:
            raise self._refusal("put parentheses around the power: (linear^2).on(age)")
        return power

    def _restricted(self) -> Kernel:
        kernel = self._atom()
        while self._accept("."):
            kernel = self._method(kernel)
        return kernel

    def _method(self, kernel: Kernel) -> Kernel:
        call = self._name("on or named", "linear.on(age)")
        method = call.value.lower()
        if method == "on":
            return kernel.on(self._block(call))
        if method == "named":
            _, titles = self._arguments(call, _METHODS[method], {}, rest=self._title)
            if len(titles) == 1:
                return kernel.named(titles[0])
            raise self._refusal(f"a kernel has one name: {_METHODS[method]}", call)
        remedy = nearest(call.value, _METHODS, "methods")
        raise self._refusal(f"kernels have no {call}: {remedy}", call)

    def _atom(self) -> Kernel:
        if self._token.kind == "(":
            return self._parentheses()
        if self._token.kind == "number":
            raise self._refusal(
                "expected a kernel, found a number: factors stand in front, 2 * linear"
            )
        call = self._name("a kernel", _EXAMPLE)
        name = call.value.lower()
        if name in _FAMILIES:
            raise self._refusal(
                f"{call} makes several kernels and stands alone, between commas: {_FAMILIES[name]}",
                call,
            )
        if name not in _ELEMENTARY:
            raise self._unknown(call)
        make, parameters, example = _ELEMENTARY[name]
        if self._token.kind != "(":
            return make()
        readers = dict.fromkeys(parameters, self._value)
        values, _ = self._arguments(call, example, readers, ordered=parameters)
        return self._build(call, make, **values)

    def _parentheses(self) -> Kernel:
        if self._open == DEEPEST:
            raise self._refusal(f"at most {DEEPEST} parentheses stand inside one another")
        self._accept("(")
        self._open += 1
        kernel = self._sum()
        self._open -= 1
        if not self._accept(")"):
            raise self._no_operation("')'")
        return kernel

    # Families

    def _widths(self) -> tuple[Kernel, ...]:
        call = self._advance()
        values, several = self._arguments(
            call, _FAMILIES["widths"], {"kernel": self._kind_of_width}, rest=self._value
        )
        family = self._build(call, widths, several, values.get("kernel", Gaussian))
        if not self._accept("."):
            return family
        method = self._name("on", "widths(0.5, 1).on(age)")
        if method.value.lower() != "on":
            raise self._refusal("a family takes .on(columns) only", method)
        block = self._block(method)
        return tuple(kernel.on(block) for kernel in family)

    def _pairs_of(self) -> tuple[Kernel, ...]:
        call = self._advance()
        example = _FAMILIES["pairs_of"]
        values, variables = self._arguments(
            call, example, {"kernel": self._sum}, rest=self._column, needed=("kernel",)
        )
        self._check_count(call, len(variables) * (len(variables) - 1) // 2)
        if len(variables) < 2:
            raise self._refusal(f"a pair needs two columns: {example}", call)
        return tuple(
            values["kernel"].on(self._build(call, Columns, first + second))
            for first, second in itertools.combinations(variables, 2)
        )

    def _windows(self) -> tuple[Kernel, ...]:
        call = self._advance()
        readers: dict[str, Reader] = {
            "size": self._value, "stride": self._value, "kernel": self._sum,
            "positions": self._value, "shape": self._value,
        }  # fmt: skip
        needed = ("size", "stride", "kernel")
        values, _ = self._arguments(call, _FAMILIES["windows"], readers, needed=needed)
        values["shape"] = self._shape_of_images(call, values)
        self._check_count(call, self._build(call, _count_windows, values))
        return self._build(call, windows, **values)

    def _check_count(self, call: Token, count: int) -> None:
        if len(self._found) + count > MOST_KERNELS:
            raise self._refusal(
                f"{call} makes {count} kernels, and a text at most {MOST_KERNELS}: offer fewer",
                call,
            )

    def _kind_of_width(self) -> Callable[[Any], Kernel]:
        token = self._name("a kernel that has a width", _FAMILIES["widths"])
        kind = _OF_WIDTHS.get(token.value.lower())
        if kind is None:
            remedy = nearest(token.value, _OF_WIDTHS, "kernels of widths")
            raise self._refusal(f"{token} has no width: {remedy}", token)
        return kind

    # Columns and windows

    def _block(self, call: Token) -> Columns | Window:
        _, items = self._arguments(call, _METHODS["on"], {}, rest=self._column_or_window)
        if any(isinstance(item, Window) for item in items):
            if len(items) > 1:
                raise self._refusal("a kernel is restricted to columns or to one window", call)
            return items[0]
        return self._build(call, Columns, tuple(itertools.chain.from_iterable(items)))

    def _column_or_window(self) -> tuple[str | int, ...] | Window:
        token = self._token
        is_name = token.kind == "name" and token.value.lower() == "window"
        is_window = is_name and self._after.kind == "("
        return self._window() if is_window else self._column()

    def _column(self) -> tuple[str | int, ...]:
        token = self._token
        if token.kind in {"name", "quoted"}:
            return self._build(self._advance(), self._names.columns_of, token.value)
        if token.kind == "number" and token.value.isdecimal():
            return self._build(self._advance(), self._names.at, int(token.value))
        raise self._refusal(
            f"expected a column, found {token}: write its name, its name in quotes, or its position "
            "from 0"
        )

    def _window(self) -> Window:
        call = self._advance()
        needed = ("top", "left", "height", "width")
        readers = dict.fromkeys((*needed, "shape"), self._value)
        values, _ = self._arguments(call, _WINDOW, readers, needed=needed)
        values["shape"] = self._shape_of_images(call, values)
        return self._build(call, Window, **values)

    def _shape_of_images(self, call: Token, values: Mapping[str, Any]) -> tuple[int, int]:
        if "shape" not in values and self._shape is None:
            raise self._refusal("how large are the images? Add their shape=(28, 28)", call)
        shape = self._build(call, as_two, values.get("shape", self._shape), "shape")
        if self._shape is not None and shape != self._shape:
            rows, columns = self._shape
            raise self._refusal(f"images are {rows} × {columns} here: leave shape out", call)
        return shape

    # Values

    def _arguments(
        self,
        call: Token,
        example: str,
        readers: Mapping[str, Reader],
        *,
        ordered: tuple[str, ...] = (),
        rest: Reader | None = None,
        needed: tuple[str, ...] = (),
    ) -> tuple[dict[str, Any], list[Any]]:
        """Read what stands in parentheses: values by name, and before them values in order or the rest."""
        values: dict[str, Any] = {}
        others: list[Any] = []
        by_name = False
        self._expect("(", call, example)
        while self._token.kind != ")":
            start = self._token
            if start.kind == "name" and self._after.kind == "=":
                by_name = True
                name = self._parameter(call, readers)
                if name in values:
                    raise self._refusal(f"{name} is given twice, write {example}", start)
                values[name] = readers[name]()
            elif rest is not None and not by_name:
                others.append(rest())
            elif len(values) < len(ordered) and not by_name:
                name = ordered[len(values)]
                values[name] = readers[name]()
            else:
                raise self._refusal(f"{call} takes no such value here, write {example}", start)
            if not self._accept(","):
                break
        self._expect(")", call, example)
        missing = [name for name in needed if name not in values]
        if missing:
            raise self._refusal(f"{call} needs {' and '.join(missing)}, write {example}", call)
        return values, others

    def _parameter(self, call: Token, known: Iterable[str]) -> str:
        """Read a parameter and the = behind it."""
        token = self._advance()
        name = token.value.lower()
        if name not in known:
            remedy = nearest(name, known, "parameters") if known else "write its values only"
            raise self._refusal(f"{call} has no parameter {token}: {remedy}", token)
        self._advance()
        return name

    def _value(self) -> Any:
        """Read a number, or numbers in parentheses."""
        if not self._accept("("):
            return self._number()
        values = [self._number()]
        several = False
        while self._accept(","):
            several = True
            if self._token.kind != ")":
                values.append(self._number())
        if not self._accept(")"):
            raise self._refusal(f"expected ',' or ')', found {self._token}: write (1, 8)")
        return tuple(values) if several else values[0]

    def _number(self) -> float:
        """Read a number: whole if it has only digits, or infinite."""
        sign = -1 if self._accept("-") else 1
        token = self._token
        if token.kind == "name" and token.value.lower() == "inf":
            number = math.inf
        elif token.kind == "number":
            number = int(token.value) if token.value.isdecimal() else float(token.value)
        else:
            remedy = ": write -1 * linear" if sign == -1 else ""
            raise self._refusal(f"expected a number, found {token}{remedy}")
        self._advance()
        return sign * number

    def _title(self) -> str:
        if self._token.kind not in {"name", "quoted"}:
            raise self._refusal(f"expected a name in quotes, found {self._token}")
        return self._advance().value

    # Words

    def _advance(self) -> Token:
        token = self._token
        self._token = self._after
        self._after = next(self._words, self._after)
        return token

    def _accept(self, kind: str) -> bool:
        if self._token.kind != kind:
            return False
        self._advance()
        return True

    def _expect(self, kind: str, call: Token, example: str) -> None:
        if not self._accept(kind):
            wanted = "'('" if kind == "(" else "',' or ')'"
            raise self._refusal(
                f"expected {wanted} after {call}, found {self._token}: write {example}"
            )

    def _name(self, what: str, example: str) -> Token:
        if self._token.kind != "name":
            raise self._refusal(f"expected {what}, found {self._token}: write {example}")
        return self._advance()

    # Refusals

    def _build(self, start: Token, make: Callable[..., T], *values: Any, **named: Any) -> T:
        """Return what is made of these values; if they are refused, show where they stand."""
        try:
            return make(*values, **named)
        except InvalidInputError as error:
            raise self._refusal(str(error), start) from error

    def _refusal(self, message: str, token: Token | None = None) -> InvalidInputError:
        return refusal(message, self._text, (token or self._token).place)

    def _no_operation(self, wanted: str) -> InvalidInputError:
        if self._token.kind == "-":
            return self._refusal("kernels are not subtracted: write + -1 * linear")
        return self._refusal(f"expected +, *, ^, .on(…) or {wanted}, found {self._token}")

    def _unknown(self, call: Token) -> InvalidInputError:
        known = (*_ELEMENTARY, *_FAMILIES)
        remedy = nearest(call.value, known, "kernels")
        if not remedy.startswith("did"):
            remedy = (
                f"write {', '.join(known[:-1])} or {known[-1]}; kernels of scikit-learn and "
                "functions are for Python only"
            )
        return self._refusal(f"there is no kernel {call}: {remedy}", call)


def _count_windows(values: Mapping[str, Any]) -> int:
    """Return how many windows are asked for: as many as there are positions, or as fit into the image."""
    if "positions" in values:
        return math.prod(as_two(values["positions"], "positions"))
    sides = zip(
        values["shape"],
        as_two(values["size"], "size"),
        as_two(values["stride"], "stride"),
        strict=True,
    )
    return math.prod(max((side - own) // step + 1, 0) for side, own, step in sides)
