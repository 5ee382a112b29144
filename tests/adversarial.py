"""Problems on which homotopies usually break, as a table: name → (X, y, options of ``svm_path``).

A new trap is one new function; its name says what is wrong with the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

Case = tuple[np.ndarray, np.ndarray, dict[str, Any]]
TABLE: dict[str, Callable[[], Case]] = {}


def _labels(n: int, positive: int) -> np.ndarray:
    return np.where(np.arange(n) < positive, 1.0, -1.0)


def trap(build: Callable[[np.random.Generator], tuple]) -> Callable[[np.random.Generator], tuple]:
    """Register a problem; its generator is seeded by its name, so that the table's order does not matter."""

    def case() -> Case:
        seed = int.from_bytes(build.__name__.encode()[:8].ljust(8), "little")
        X, y, *options = build(np.random.default_rng(seed))
        return np.asarray(X, dtype=float), np.asarray(y, dtype=float), options[0] if options else {}

    TABLE[build.__name__] = case
    return build


@trap
def gaussian_balanced(rng):
    return rng.standard_normal((30, 8)) + 0.5 * _labels(30, 15)[:, None], _labels(30, 15)


@trap
def gaussian_unbalanced(rng):
    return rng.standard_normal((30, 8)) + 0.5 * _labels(30, 9)[:, None], _labels(30, 9)


@trap
def one_against_ninety_nine(rng):
    return rng.standard_normal((100, 6)), _labels(100, 1)


@trap
def ninety_nine_to_one_overlapping(rng):
    return rng.integers(-2, 3, (200, 5)), _labels(200, 198)


@trap
def one_point_in_a_class_inside_the_other(rng):
    X = rng.standard_normal((20, 3))
    X[0] = X[1:].mean(axis=0)
    return X, _labels(20, 1)


@trap
def many_more_variables_than_points_balanced(rng):
    return rng.standard_normal((16, 120)), _labels(16, 8)


@trap
def many_more_variables_than_points_unbalanced(rng):
    return rng.standard_normal((17, 120)), _labels(17, 5)


@trap
def many_more_points_than_variables_balanced(rng):
    return rng.standard_normal((160, 2)) + 0.3 * _labels(160, 80)[:, None], _labels(160, 80)


@trap
def many_more_points_than_variables_unbalanced(rng):
    return rng.standard_normal((160, 3)) + 0.3 * _labels(160, 50)[:, None], _labels(160, 50)


@trap
def small_integers_balanced(rng):
    return rng.integers(-2, 3, (40, 6)), _labels(40, 20)


@trap
def small_integers_unbalanced(rng):
    return rng.integers(-2, 3, (40, 6)), _labels(40, 13)


@trap
def small_integers_with_random_labels(rng):
    return rng.integers(-1, 2, (50, 9)), rng.permutation(_labels(50, 25))


@trap
def binary_balanced(rng):
    return rng.integers(0, 2, (40, 10)), _labels(40, 20)


@trap
def binary_unbalanced(rng):
    return rng.integers(0, 2, (45, 10)), _labels(45, 12)


@trap
def binary_few_distinct_points(rng):
    return rng.integers(0, 2, (60, 3)), rng.permutation(_labels(60, 30))


@trap
def binary_wide(rng):
    return rng.integers(0, 2, (20, 60)), _labels(20, 10)


@trap
def plus_minus_one_wide_unbalanced(rng):
    return 2 * rng.integers(0, 2, (21, 50)) - 1, _labels(21, 7)


@trap
def hypercube_corners(rng):
    X = np.array(np.meshgrid(*[[-1, 1]] * 4)).reshape(4, -1).T
    return X, np.where(X.sum(axis=1) >= 0, 1.0, -1.0)


@trap
def parity_of_three_bits(rng):
    X = np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T
    return X, X.prod(axis=1)


@trap
def exclusive_or(rng):
    X = np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
    return X, [1, 1, -1, -1]


@trap
def regular_grid_checkerboard(rng):
    X = np.array([(i, j) for i in range(6) for j in range(6)])
    return X, np.where(X.sum(axis=1) % 2, 1.0, -1.0)


@trap
def regular_grid_half_plane(rng):
    X = np.array([(i, j) for i in range(6) for j in range(6)])
    return X, np.where(X[:, 0] + X[:, 1] > 5, 1.0, -1.0)


@trap
def points_repeated_three_times(rng):
    return np.repeat(rng.standard_normal((12, 5)), 3, axis=0), np.repeat(_labels(12, 6), 3)


@trap
def same_point_in_both_classes(rng):
    X = rng.standard_normal((10, 4))
    return np.vstack([X, X]), _labels(20, 10)


@trap
def half_of_the_points_in_both_classes_unbalanced(rng):
    X = rng.standard_normal((14, 4))
    return np.vstack([X, X[:7]]), _labels(21, 14)


@trap
def columns_repeated_three_times(rng):
    return np.tile(rng.standard_normal((24, 4)), 3), _labels(24, 12)


@trap
def columns_repeated_and_unbalanced(rng):
    return np.tile(rng.standard_normal((25, 4)), 2), _labels(25, 8)


@trap
def columns_and_their_opposites(rng):
    X = rng.standard_normal((24, 4))
    return np.hstack([X, -X]), _labels(24, 10)


@trap
def columns_and_points_repeated(rng):
    return np.tile(np.repeat(rng.integers(-1, 2, (10, 4)), 2, axis=0), 2), np.repeat(
        _labels(10, 5), 2
    )


@trap
def exactly_collinear_columns(rng):
    X = rng.integers(-3, 4, (26, 4))
    return np.hstack([X, X[:, :2] + X[:, 2:], 2 * X[:, :1]]), _labels(26, 13)


@trap
def rank_one(rng):
    return np.outer(rng.standard_normal(20), rng.standard_normal(7)), _labels(20, 9)


@trap
def constant_columns(rng):
    X = rng.standard_normal((22, 5))
    X[:, 1], X[:, 3] = 1.0, -7.0
    return X, _labels(22, 11)


@trap
def zero_columns(rng):
    X = rng.standard_normal((22, 5))
    X[:, [0, 4]] = 0.0
    return X, _labels(22, 8)


@trap
def nothing_but_constant_columns(rng):
    return np.tile([1.0, -2.0, 0.0], (12, 1)), _labels(12, 5)


@trap
def one_hot_columns_that_sum_to_one(rng):
    return np.eye(4)[rng.integers(0, 4, 30)], rng.permutation(_labels(30, 15))


@trap
def identity(rng):
    return np.eye(18), _labels(18, 9)


@trap
def identity_unbalanced(rng):
    return np.eye(18), _labels(18, 5)


@trap
def sparse_counts(rng):
    return rng.poisson(0.3, (40, 25)), rng.permutation(_labels(40, 14))


@trap
def one_variable_separated(rng):
    return np.array([[-5, -4, -3, -2, -1, 1, 2, 3, 4, 5.0]]).T, -_labels(10, 5)


@trap
def one_variable_overlapping_ties(rng):
    return np.array([[0, 0, 1, 1, 2, 2, 3, 3, 1, 2]]).T, [-1, -1, -1, 1, -1, 1, 1, 1, 1, -1]


@trap
def two_points(rng):
    return [[0.0, 1.0], [2.0, 1.0]], [1, -1]


@trap
def two_points_alike(rng):
    return [[1.0, 2.0], [1.0, 2.0]], [1, -1]


@trap
def separable_with_a_wide_margin(rng):
    y = _labels(24, 12)
    return rng.standard_normal((24, 5)) + 6 * y[:, None], y


@trap
def nearly_collinear_columns(rng):
    x = rng.standard_normal((25, 1))
    return x + 1e-5 * rng.standard_normal((25, 5)), _labels(25, 12)


@trap
def nearly_repeated_points(rng):
    X = np.repeat(rng.standard_normal((10, 4)), 3, axis=0)
    return X + 1e-9 * rng.standard_normal(X.shape), np.repeat(_labels(10, 4), 3)


@trap
def columns_of_very_different_scales(rng):
    return rng.standard_normal((30, 5)) * [1e-4, 1e-2, 1, 1e2, 1e4], _labels(30, 15)


@trap
def huge_values(rng):
    return 1e8 * rng.standard_normal((24, 4)), _labels(24, 11)


@trap
def tiny_values(rng):
    return 1e-8 * rng.standard_normal((24, 4)), _labels(24, 11)


@trap
def far_from_the_origin(rng):
    return 1e4 + rng.standard_normal((24, 4)), _labels(24, 12)


@trap
def one_outlier(rng):
    X = rng.standard_normal((30, 4))
    X[3] *= 1e5
    return X, _labels(30, 15)


@trap
def integer_weights_with_zeros(rng):
    return (
        rng.integers(-2, 3, (30, 5)),
        _labels(30, 15),
        {"sample_weight": np.tile([0.0, 1, 2], 10)},
    )


@trap
def weights_that_balance_the_classes(rng):
    y = _labels(32, 8)
    return rng.standard_normal((32, 5)), y, {"sample_weight": np.where(y > 0, 3.0, 1.0)}


@trap
def random_weights(rng):
    return rng.standard_normal((30, 6)), _labels(30, 15), {"sample_weight": rng.uniform(0.1, 5, 30)}


@trap
def some_columns_never_penalised(rng):
    return (
        rng.standard_normal((40, 6)),
        rng.permutation(_labels(40, 17)),
        {"l1_weight": [0, 1, 1, 0, 2, 0.5]},
    )


@trap
def no_column_penalised(rng):
    return rng.standard_normal((40, 3)), rng.permutation(_labels(40, 20)), {"l1_weight": [0, 0, 0]}


@trap
def discrete_with_free_columns(rng):
    return (
        rng.integers(-1, 2, (36, 6)),
        rng.permutation(_labels(36, 18)),
        {"l1_weight": [0, 1, 1, 1, 1, 1]},
    )


@trap
def digits_like(rng):
    return rng.integers(0, 17, (40, 30)) * (rng.random((40, 30)) < 0.4), _labels(40, 20)


@trap
def kernels_on_thin_bands(rng):
    points = np.concatenate(
        [rng.standard_normal((20, 2)) * [0.05, 2.0] - [x, 0.0] for x in (4.9, 4.1)]
    )
    away = points[:, None] - points
    widths = ([1.5, 1.5], [1.0, 12.0], [0.2, 12.0])
    columns = [np.exp(-0.5 * np.sum((away / width) ** 2, axis=2)) for width in widths]
    return np.hstack(columns), np.repeat([1.0, -1.0], 20), {}
