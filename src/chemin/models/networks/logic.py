"""Which network computes a formula of logic? One hidden layer of steps, one neuron per clause.

With H(t) = 1 for t ≥ 0 and 0 otherwise, of values 0 and 1,

    a₁ ∨ … ∨ a_m = H(Σ a − ½),    a₁ ∧ … ∧ a_m = H(Σ a + ½ − m),    ¬a = 1 − a,

so that a clause of which q variables are negated has weights ±1 and the bias q − ½, and the output, an "and" of m
clauses, has weights 1 and the bias ½ − m.

Reference: F. Sur, *Introduction à l'apprentissage automatique*, Mines Nancy, 2022-2023, theorem 9.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Floats
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.models.networks.formulas import Clause, as_formula, clauses_of
from chemin.results import Result, plural

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LogicNetwork", "compile_formula"]

_MOST_VARIABLES = 20  # of a table of all cases


@dataclass(frozen=True, eq=False, repr=False)
class LogicNetwork(Result):
    """A network of steps that computes a formula.

    Attributes
    ----------
    formula : str
        What it computes.
    variables : tuple of str
        Its inputs.
    clauses : tuple of frozenset
        What each hidden neuron computes: variables, and whether they stand without "not".
    coefs, intercepts : tuple of ndarray
        Weights and biases of the hidden layer and of the output, in the shapes of scikit-learn's networks.
    """

    formula: str
    variables: tuple[str, ...]
    clauses: tuple[Clause, ...] = field(repr=False)
    coefs: tuple[Floats, Floats] = field(repr=False)
    intercepts: tuple[Floats, Floats] = field(repr=False)

    def __call__(self, values: Any) -> NDArray[np.bool_]:
        """Return the output of the network.

        Parameters
        ----------
        values : array or DataFrame of shape (n, variables)
            Zeros and ones, or truth values; columns in the order of ``variables``.

        Returns
        -------
        ndarray of shape (n,)
        """
        return _step(self.hidden(values) @ self.coefs[1] + self.intercepts[1])[:, 0]

    def hidden(self, values: Any) -> NDArray[np.bool_]:
        """Return which clauses hold, one column each."""
        inputs = self._read(values)
        return _step(inputs @ self.coefs[0] + self.intercepts[0])

    def truth_table(self) -> Any:
        """Return all cases, and the output for each, as a DataFrame."""
        if len(self.variables) > _MOST_VARIABLES:
            raise InvalidInputError(
                f"a table of {len(self.variables)} variables has 2^{len(self.variables)} rows: call the network with "
                "the rows of interest"
            )
        cases = np.array(list(product([False, True], repeat=len(self.variables))))
        columns = dict(zip(self.variables, cases.T, strict=True))
        return as_frame({**columns, "output": self(cases)}, instead="calling the network")

    def frame(self) -> Any:
        """Return the hidden neurons as a DataFrame: clause, weights, bias."""
        weights = dict(zip(self.variables, self.coefs[0], strict=True))
        columns = {
            "clause": [_told(clause, self.variables) for clause in self.clauses],
            **weights,
            "bias": self.intercepts[0],
        }
        return as_frame(columns, instead="clauses, coefs and intercepts")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw inputs, clauses and output, with the signs of the weights and the biases."""
        from chemin.plots.models.logic import draw_logic_network

        told = [_told(clause, self.variables) for clause in self.clauses]
        biases = (self.intercepts[0], float(self.intercepts[1][0]))
        return draw_logic_network(self.variables, told, self.coefs[0], biases, self.formula, ax=ax)

    def __str__(self) -> str:
        told = " ∧ ".join(f"({_told(clause, self.variables)})" for clause in self.clauses)
        size = (
            f"{plural(len(self.variables), 'input')}, {plural(len(self.clauses), 'hidden neuron')}"
        )
        return f"{self.formula}: {size}\n  {told or 'true'}"

    def _read(self, values: Any) -> Floats:
        if hasattr(values, "columns"):
            missing = [name for name in self.variables if name not in values.columns]
            if missing:
                raise InvalidInputError(f"values have no column {', '.join(map(repr, missing))}")
            values = values[list(self.variables)]
        try:
            inputs = np.atleast_2d(np.asarray(values, dtype=float))
        except (TypeError, ValueError) as error:
            raise InvalidInputError(
                f"values are no table of numbers ({error}): pass an array or a DataFrame of zeros and ones"
            ) from error
        if inputs.shape[1] != len(self.variables):
            raise InvalidInputError(
                f"values have {inputs.shape[1]} columns: pass {len(self.variables)}, {', '.join(self.variables)}"
            )
        if not np.isin(inputs, (0.0, 1.0)).all():
            raise InvalidInputError("values are not all 0 or 1: pass truth values")
        return inputs


def compile_formula(formula: str, variables: Sequence[str] | None = None) -> LogicNetwork:
    """Return the network of one hidden layer that computes a formula.

    Parameters
    ----------
    formula : str
        Names joined by "and", "or", "xor", "not", "implies", "iff", or by signs such as ∧, ∨, ⊕, ¬, ⇒, ⇔.
    variables : sequence of str, optional
        The inputs, in their order; by default those of the formula as they are met.

    Returns
    -------
    LogicNetwork

    Examples
    --------
    >>> network = compile_formula("x1 xor x2")
    >>> print(network)
    x1 xor x2: 2 inputs, 2 hidden neurons
      (x1 ∨ x2) ∧ (¬x1 ∨ ¬x2)
    >>> network([[0, 0], [0, 1], [1, 0], [1, 1]]).tolist()
    [False, True, True, False]
    """
    read = as_formula(formula, variables)
    inputs = read.variables if variables is None else tuple(variables)
    if len(set(inputs)) < len(inputs):
        raise InvalidInputError(f"variables are {', '.join(inputs)}: name each one once")
    clauses = tuple(clauses_of(read))
    place = {name: position for position, name in enumerate(inputs)}
    weights = np.zeros((len(inputs), len(clauses)))
    for neuron, clause in enumerate(clauses):
        for name, plain in clause:
            weights[place[name], neuron] = 1.0 if plain else -1.0
    negated = (weights < 0.0).sum(axis=0)
    hidden = (weights, negated - 0.5)
    output = (np.ones((len(clauses), 1)), np.array([0.5 - len(clauses)]))
    return LogicNetwork(
        formula=formula,
        variables=inputs,
        clauses=clauses,
        coefs=(hidden[0], output[0]),
        intercepts=(hidden[1], output[1]),
    )


def _step(activation: Floats) -> NDArray[np.bool_]:
    return activation >= 0.0


def _told(clause: Clause, variables: Sequence[str]) -> str:
    plain = dict(clause)
    signs = [("" if plain[name] else "¬") + name for name in variables if name in plain]
    return " ∨ ".join(signs) or "false"
