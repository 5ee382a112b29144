"""What can go wrong, and what to do then? Every error of the library; each message names the remedy."""

from __future__ import annotations

__all__ = [
    "CheckpointError",
    "CheminError",
    "ClusterError",
    "EmptyModelWarning",
    "EngineError",
    "InvalidInputError",
    "LossWarning",
    "MissingLibraryError",
    "NotNumbersError",
    "OutOfRangeError",
    "OutOfTimeError",
    "SimilarLabelsWarning",
    "StudyError",
    "TableError",
]


class CheminError(Exception):
    """Any error raised by Chemin itself: catch this one to catch them all."""


class InvalidInputError(CheminError, ValueError):
    """Data or a parameter that no path can be computed from; the message says what to change."""


class NotNumbersError(InvalidInputError, TypeError):
    """Cells that are not numbers; the message names their column and row, and how to encode them."""


class OutOfRangeError(InvalidInputError):
    """An l1 that the path does not reach; follow the path further down, or ask within its range."""


class OutOfTimeError(InvalidInputError):
    """A time limit that was reached before a path began; raise it."""


class CheckpointError(InvalidInputError):
    """A file that the path cannot be resumed from; it is left as it was, and the message says why."""


class EngineError(CheminError, RuntimeError):
    """The path lost its certificate of optimality; scaling the columns or a larger l2 usually helps."""


class MissingLibraryError(CheminError, ImportError):
    """An optional library that is not installed; the message says how to install it."""


class ClusterError(CheminError, RuntimeError):
    """A cluster that cannot be reached, or has lost its workers; the message says what to start or to change."""


class EmptyModelWarning(UserWarning):
    """A model without a variable or couple, which decides alike about every point; the message says what to change."""


class TableError(InvalidInputError):
    """A file or table that cannot be read; the message says what is wrong in it and what to pass instead."""


class StudyError(CheminError, RuntimeError):
    """A study that cannot be written, read or gone on with; what was there is left as it was."""


class LossWarning(UserWarning):
    """Rows were set aside or cells read as missing; ``table.losses`` lists them."""


class SimilarLabelsWarning(UserWarning):
    """Labels that differ only in capitals, accents or spaces; the message says how to make them one."""
