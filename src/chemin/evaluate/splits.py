"""Which rows train, and which judge? Splits that are drawn once, have a digest, and serve every model alike.

Two models can be compared split by split only if both saw the same splits. So splits are data, and their digest is
SHA-256 of the number of rows and of all positions. Classes keep their shares in every part (stratification), and rows
of a group, such as those of one patient, are never on both sides.

References: Stone (1974) for cross-validation; Kohavi (1995) for stratified folds; Bouckaert and Frank (2004) for
repeated ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chemin.dictionaries.base import Indices
from chemin.evaluate.inputs import as_values, check_lengths, check_share, check_whole, find_labels
from chemin.exceptions import InvalidInputError
from chemin.frames import as_frame
from chemin.results import Result, plural

KINDS = ("k-fold", "leave-one-out", "holdout")
_DIGITS = 16  # of the digest


@dataclass(frozen=True, eq=False, repr=False)
class Splits(Result):
    """Rows to train on and rows to judge on, as often as asked; iterate over it for the pairs.

    Attributes
    ----------
    kind : str
        "k-fold", "leave-one-out", "holdout", or "given" for pairs that were passed.
    n : int
        Rows in all.
    pairs : tuple of (ndarray, ndarray)
        Positions of the rows to train on and of those to judge on.
    folds : int
        Splits in a repetition.
    repeats : int
        Repetitions.
    said : str
        How they were drawn.
    """

    kind: str
    n: int
    pairs: tuple[tuple[Indices, Indices], ...]
    folds: int
    repeats: int
    said: str

    @cached_property
    def digest(self) -> str:
        """The beginning of SHA-256 of the number of rows and all positions: equal if and only if the splits are."""
        made = hashlib.sha256(f"{self.n}".encode())
        for pair in self.pairs:
            for rows in pair:
                made.update(f";{len(rows)}:".encode())
                made.update(np.asarray(rows, dtype="<i8").tobytes())
        return made.hexdigest()[:_DIGITS]

    @property
    def test_share(self) -> float:
        """The mean share of the rows that judge."""
        return float(np.mean([len(test) for _, test in self.pairs]) / self.n)

    @property
    def partition(self) -> bool:
        """Whether every row judges exactly once in every repetition."""
        judged = np.concatenate([test for _, test in self.pairs])
        return bool(np.all(np.bincount(judged, minlength=self.n) == self.repeats))

    def frame(self) -> Any:
        """Return a row per split as a DataFrame."""
        made = {
            "split": np.arange(len(self.pairs)),
            "repeat": np.arange(len(self.pairs)) // self.folds,
            "training rows": [len(train) for train, _ in self.pairs],
            "test rows": [len(test) for _, test in self.pairs],
        }
        return as_frame(made, instead="pairs")

    def __iter__(self) -> Iterator[tuple[Indices, Indices]]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __str__(self) -> str:
        return f"{self.said} of {plural(self.n, 'row')}, digest {self.digest}"


def make_splits(
    n: int,
    y: Any = None,
    *,
    kind: str = "k-fold",
    folds: int = 5,
    repeats: int = 1,
    share: float = 0.2,
    groups: Any = None,
    classes: bool = True,
    random_state: int = 0,
) -> Splits:
    """Draw splits.

    Parameters
    ----------
    n : int
        Rows in all.
    y : array of shape (n,), optional
        What is to be predicted. Labels keep their shares in every part.
    kind : {"k-fold", "leave-one-out", "holdout"}, default "k-fold"
        How to split. Leave-one-out with groups leaves out one group at a time.
    folds : int, default 5
        Parts of k-fold.
    repeats : int, default 1
        How often k-fold or holdout is drawn anew.
    share : float, default 0.2
        Which share of the rows holdout keeps to judge on.
    groups : array of shape (n,), optional
        Rows of one group stay together.
    classes : bool, default True
        Whether y has labels; pass False for numbers.
    random_state : int, default 0
        Of all that is drawn.

    Returns
    -------
    Splits

    Examples
    --------
    >>> splits = make_splits(100, ["sick"] * 30 + ["healthy"] * 70, folds=5)
    >>> print(splits)
    stratified 5-fold of 100 rows, digest ...
    >>> [len(test) for train, test in splits]
    [20, 20, 20, 20, 20]
    >>> print(make_splits(100, kind="holdout", repeats=3).frame().to_string(index=False))
     split  repeat  training rows  test rows
         0       0             80         20
         1       1             80         20
         2       2             80         20
    """
    if kind not in KINDS:
        raise InvalidInputError(f"kind is {kind!r}: pass one of {', '.join(map(repr, KINDS))}")
    n = check_whole("n", n, 2)
    folds = check_whole("folds", folds, 2)
    repeats = check_whole("repeats", repeats, 1)
    seed = check_whole("random_state", random_state, 0)
    labels = as_values("y", y) if y is not None and classes else None
    members = as_values("groups", groups) if groups is not None else None
    rows = np.zeros(n)
    check_lengths(n=rows, **({} if labels is None else {"y": labels}))
    check_lengths(n=rows, **({} if members is None else {"groups": members}))
    if kind == "leave-one-out" and repeats > 1:
        raise InvalidInputError(
            "leave-one-out is the same each time: pass repeats=1, or kind='k-fold'"
        )
    if kind == "k-fold":
        _check_folds(n, labels, members, folds)
    elif kind == "holdout":
        _check_holdout(n, labels, members, check_share("share", share))
    elif members is not None:
        _check_folds(n, None, members, 2)
    drawn = np.random.default_rng(seed).integers(2**31 - 1, size=repeats).tolist()
    pairs = [
        (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
        for one in drawn
        for train, test in _draw(kind, n, labels, members, folds, share, one)
    ]
    _check_training(pairs, labels)
    said = _say(kind, folds, share, repeats, labels is not None, members is not None)
    return Splits(kind, n, tuple(pairs), len(pairs) // repeats, repeats, said)


def as_splits(
    splits: Any, n: int, y: Any = None, *, classes: bool = True, random_state: int = 0
) -> Splits:
    """Return splits of n rows: those given, pairs of positions as splits, or five folds for None.

    Examples
    --------
    >>> print(as_splits([([0, 1], [2, 3]), ([2, 3], [0, 1])], 4))
    2 given splits of 4 rows, digest f9f69bb661006941
    """
    if splits is None:
        return make_splits(n, y, classes=classes, random_state=random_state)
    if isinstance(splits, Splits):
        if splits.n != n:
            raise InvalidInputError(
                f"the splits are of {splits.n} rows, and there are {n}: pass splits=make_splits({n}, y)"
            )
        return splits
    if not isinstance(splits, Iterable) or isinstance(splits, str):
        raise InvalidInputError(
            f"splits is {splits!r}: pass splits=make_splits(n, y), or pairs of positions"
        )
    pairs = tuple(_as_pair(pair, n) for pair in splits)
    if not pairs:
        raise InvalidInputError("there are no splits: pass splits=make_splits(n, y)")
    return Splits("given", n, pairs, len(pairs), 1, plural(len(pairs), "given split"))


def _as_pair(pair: Any, n: int) -> tuple[Indices, Indices]:
    try:
        train, test = (np.asarray(rows) for rows in pair)
    except (TypeError, ValueError):
        raise InvalidInputError(
            "a split is a pair of arrays of positions: pass (training rows, test rows)"
        ) from None
    for rows in (train, test):
        if rows.ndim != 1 or rows.dtype.kind not in "iu" or not len(rows):
            raise InvalidInputError(
                "a side of a split has no positions: pass whole numbers, at least one"
            )
        if rows.min() < 0 or rows.max() >= n:
            raise InvalidInputError(
                f"a split has positions from {rows.min()} to {rows.max()}: pass some of 0 to {n - 1}"
            )
    if np.intersect1d(train, test).size:
        raise InvalidInputError(
            "rows are on both sides of a split: pass a training and a test part without common rows"
        )
    return train.astype(np.intp), test.astype(np.intp)


def _draw(
    kind: str,
    n: int,
    labels: NDArray[Any] | None,
    groups: NDArray[Any] | None,
    folds: int,
    share: float,
    seed: int,
) -> Iterator[tuple[Indices, Indices]]:
    """Return the pairs of one repetition."""
    from sklearn import model_selection as sk

    draw: dict[str, Any] = {"random_state": seed}
    splitter: Any
    if kind == "leave-one-out":
        splitter = sk.LeaveOneOut() if groups is None else sk.LeaveOneGroupOut()
    elif kind == "holdout":
        once = {"n_splits": 1, "test_size": share, **draw}
        if groups is not None:
            splitter = sk.GroupShuffleSplit(**once)
        else:
            splitter = (sk.ShuffleSplit if labels is None else sk.StratifiedShuffleSplit)(**once)
    else:
        plain, stratified = (
            (sk.KFold, sk.StratifiedKFold)
            if groups is None
            else (sk.GroupKFold, sk.StratifiedGroupKFold)
        )
        splitter = (plain if labels is None else stratified)(folds, shuffle=True, **draw)
    codes = None if labels is None else np.unique(_as_plain(labels), return_inverse=True)[1]
    return iter(splitter.split(np.zeros(n), codes, groups))


def _as_plain(labels: NDArray[Any]) -> NDArray[Any]:
    """Return labels as places in their order, which can always be sorted."""
    places = {label: place for place, label in enumerate(find_labels(labels))}
    return np.array([places[label] for label in labels.tolist()])


def _check_folds(
    n: int, labels: NDArray[Any] | None, groups: NDArray[Any] | None, folds: int
) -> None:
    if groups is not None:
        units, what = len(find_labels(groups)), "groups"
    else:
        units, what = n, "rows"
    if folds > units:
        raise InvalidInputError(
            f"there are {units} {what} and {folds} folds: pass folds={units} at most"
            if units > 1
            else "all rows are of one group: pass groups= with two at least, or none"
        )
    if labels is None:
        return
    for label in find_labels(labels):
        mine = labels == label
        units = int(mine.sum()) if groups is None else len(find_labels(groups[mine]))
        if units < folds:
            remedy = f"pass folds={units}, or" if units > 1 else "pass"
            raise InvalidInputError(
                f"class {label!r} has {plural(units, what[:-1])} and there are {folds} folds: {remedy} "
                "more rows of it, or leave it out; pass classes=False if y has numbers"
            )


def _check_holdout(
    n: int, labels: NDArray[Any] | None, groups: NDArray[Any] | None, share: float
) -> None:
    units = n if groups is None else len(find_labels(groups))
    test = int(np.ceil(share * units))
    if test >= units:
        raise InvalidInputError(
            f"a share of {share:g} of {units} leaves nothing to train on: pass a smaller share="
        )
    if labels is None or groups is not None:
        return
    found = find_labels(labels)
    for label in found:
        if int((labels == label).sum()) < 2:
            raise InvalidInputError(
                f"class {label!r} has 1 row, and both parts need one: pass more rows of it, or leave it out; "
                "pass classes=False if y has numbers"
            )
    if min(test, n - test) < len(found):
        raise InvalidInputError(
            f"a share of {share:g} of {n} rows has not a row of each of {len(found)} classes on both sides: "
            "pass another share=, or classes=False if y has numbers"
        )


def _check_training(pairs: list[tuple[Indices, Indices]], labels: NDArray[Any] | None) -> None:
    if labels is None:
        return
    found = set(labels.tolist())
    for place, (train, _) in enumerate(pairs):
        lacking = found - set(labels[train].tolist())
        if lacking:
            raise InvalidInputError(
                f"the training part of split {place} has no row of class {sorted(lacking, key=str)[0]!r}: "
                "pass more rows or groups of it, or leave it out; pass classes=False if y has numbers"
            )


def _say(kind: str, folds: int, share: float, repeats: int, stratified: bool, grouped: bool) -> str:
    told = {
        "k-fold": f"{folds}-fold",
        "leave-one-out": "leave-one-group-out" if grouped else "leave-one-out",
        "holdout": f"holdout ({share:.0%})",
    }[kind]
    if stratified and kind != "leave-one-out" and not (grouped and kind == "holdout"):
        told = f"stratified {told}"
    if grouped and kind != "leave-one-out":
        told += " by groups"
    return told if repeats == 1 else f"{told}, repeated {repeats} times,"
