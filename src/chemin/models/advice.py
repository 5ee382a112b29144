"""Which model should one begin with? The advice of the course as lines: where it applies, what to take, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from chemin.models.limits import KERNEL_ROWS

_ROWS_PER_COLUMN = 10  # below, a sample is small
_MANY_COLUMNS = 1000
_NETWORK_ROWS = 1000


@dataclass(frozen=True)
class Situation:
    """What is known before anything is fitted: rows, columns, the task, and what answers must come with."""

    n: int
    p: int
    task: str
    probabilities: bool
    explain: bool

    @property
    def wide(self) -> bool:
        """Whether there are more columns than rows, or than a thousand."""
        return self.p > min(self.n, _MANY_COLUMNS)

    @property
    def small(self) -> bool:
        """Whether there are fewer than ten rows per column."""
        return self.n < _ROWS_PER_COLUMN * self.p

    @property
    def comparable(self) -> bool:
        """Whether rows are few enough to be compared with each other."""
        return self.n <= KERNEL_ROWS


@dataclass(frozen=True)
class Advice:
    """A line of the guide: ``course`` is the section it follows, ``condition`` says in words what ``when`` asks."""

    name: str
    task: str
    course: str
    condition: str
    why: str
    when: Callable[[Situation], bool]

    @property
    def reason(self) -> str:
        """The condition and what follows from it, as one sentence."""
        return f"{self.condition}: {self.why}."

    def fits(self, situation: Situation) -> bool:
        """Return whether the line applies."""
        return situation.task == self.task and self.when(situation)


ADVICE = (
    Advice(
        "svm-linear", "classes", "8.4.3", "There are very many columns",
        "among so many a plane separates the classes, and a wide margin keeps it from following single rows",
        lambda s: s.wide and not s.probabilities,
    ),
    Advice(
        "logistic", "classes", "8.4.3", "There are very many columns, and probabilities are needed",
        "among so many a linear rule is enough, and this one gives probabilities",
        lambda s: s.wide and s.probabilities,
    ),
    Advice(
        "drsvm", "classes", "1.4.2.3", "Few columns are wanted",
        "it keeps a short list of them, and proves that no other weights solve its problem better",
        lambda s: (s.wide or s.explain) and not s.probabilities,
    ),
    Advice(
        "logistic-l1", "classes", "1.4.2.3", "Few columns are wanted, and probabilities are needed",
        "it keeps some of the columns, and gives probabilities",
        lambda s: (s.wide or s.explain) and s.probabilities,
    ),
    Advice(
        "naive-bayes-gaussian", "classes", "6.5", "There are fewer than ten rows per column",
        "it has few numbers to learn, each from one column, and needs fewer rows than a logistic regression",
        lambda s: s.small,
    ),
    Advice(
        "logistic", "classes", "6.5", "There are ten rows per column or more",
        "with so many it errs less than naive Bayes, as it does not take the columns for independent",
        lambda s: not s.small and not s.wide,
    ),
    Advice(
        "tree", "classes", "7.2", "Answers must be explained",
        "each one is a short list of questions; expect more errors than from many trees",
        lambda s: s.explain,
    ),
    Advice(
        "kernel-basis", "classes", "", "If no plane separates the classes, and answers must be explained",
        "it is a short list of columns and of typical rows",
        lambda s: s.explain and not s.probabilities,
    ),
    Advice(
        "svm-rbf", "classes", "8.4.3", "If no plane separates the classes",
        "its boundary bends as smoothly as the penalty and the width of the kernel, to be chosen by folds, let it",
        lambda s: s.comparable and not s.probabilities and not s.explain,
    ),
    Advice(
        "adaboost", "classes", "8.4.3", "If no plane separates the classes",
        "votes of questions about one column each need no scaling of columns; wrong labels mislead them",
        lambda s: not s.probabilities and not s.explain,
    ),
    Advice(
        "random-forest", "classes", "7.2.2", "If no plane separates the classes, and probabilities are needed",
        "the share of its trees is a probability, and little has to be chosen",
        lambda s: s.probabilities and not s.explain,
    ),
    Advice(
        "mlp", "classes", "8.4.3", "If nothing else does well",
        "a network can follow almost any boundary, is slow to train, and has many settings",
        lambda s: s.n >= _NETWORK_ROWS and not s.explain,
    ),
    Advice(
        "lasso", "numbers", "1.4.2.3", "Few columns are wanted",
        "it sets the weights of the others to zero",
        lambda s: s.wide or s.explain,
    ),
    Advice(
        "sparse-regressor", "numbers", "1.4.2.3", "Few columns are wanted",
        "it chooses as the Lasso does, shrinks the chosen weights less, and proves its solution",
        lambda s: s.wide or s.explain,
    ),
    Advice(
        "ridge", "numbers", "1.4.2.2", "There are fewer than ten rows per column",
        "a penalty on the weights makes the solution unique and steady, even with collinear columns",
        lambda s: s.small,
    ),
    Advice(
        "ols", "numbers", "1.4.2.1", "There are ten rows per column or more",
        "the weights are well determined unless columns are collinear, and have no bias",
        lambda s: not s.small and not s.wide,
    ),
    Advice(
        "huber", "numbers", "4.2", "If some targets are outliers",
        "they pull on the weights by a bounded force, not by their distance",
        lambda s: True,
    ),
    Advice(
        "ransac", "numbers", "4.2", "If a large part of the rows are outliers",
        "it looks for the linear rule with the most rows near it, and leaves the others out",
        lambda s: not s.small,
    ),
    Advice(
        "kernel-basis-regressor", "numbers", "", "If the target is not linear, and answers must be explained",
        "it is a short list of columns and of typical rows",
        lambda s: s.explain,
    ),
    Advice(
        "svr-rbf", "numbers", "8.5", "If the target is not linear",
        "it bends as smoothly as the penalty and the width of the kernel, to be chosen by folds, let it",
        lambda s: s.comparable and not s.explain,
    ),
    Advice(
        "hist-gradient-boosting-regressor", "numbers", "7.3.2", "If the target is not linear",
        "trees that mend one another find steps and products of columns, and bear many rows",
        lambda s: not s.explain,
    ),
    Advice(
        "mlp-regressor", "numbers", "8.4.3", "If nothing else does well",
        "a network can follow almost any smooth function, is slow to train, and has many settings",
        lambda s: s.n >= _NETWORK_ROWS and not s.explain,
    ),
)  # fmt: skip
