"""Can ten digits be told apart by a few images, each seen through a few windows? The protocol of the thesis on MNIST.

One machine per pair of digits (`chemin.experiments.mnist_machine`), then a vote of their probabilities
(`chemin.experiments.mnist_report`). Machines are kept in a folder one by one, so a run that was stopped goes on where
it was, and several runs may share the pairs of one folder.

    python -m chemin.experiments.mnist --data FOLDER --out FOLDER [--pairs 4-7 4-9 …]

Reference: A. Lachaud, *Discrimination robuste par méthode à noyaux*, INSA Rouen, 2015, section 3.5.4.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import zlib
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import partial
from pathlib import Path as FilePath

import numpy as np
from joblib import Parallel, delayed

from chemin.datasets import Images, mnist
from chemin.exceptions import InvalidInputError
from chemin.experiments.mnist_machine import (
    MEMORY,
    PairResult,
    Settings,
    load_pair,
    mnist_pair,
    save_pair,
)
from chemin.experiments.mnist_report import ProtocolResult, assemble, markdown, write_report

__all__ = [
    "PairResult",
    "ProtocolResult",
    "Settings",
    "load_pair",
    "mnist_pair",
    "mnist_protocol",
    "save_pair",
    "train_pairs",
]

_USUAL = Settings()


def mnist_protocol(
    data: Images | str | os.PathLike[str] | None,
    folder: str | os.PathLike[str],
    pairs: Iterable[tuple[int, int]] | None = None,
    settings: Settings | None = None,
    *,
    memory: int = MEMORY,
    device: str = "cpu",
    n_jobs: int = 1,
    say: Callable[[str], None] | None = None,
) -> ProtocolResult:
    """Train one machine per pair of digits, let them vote on the test images, and write what was found.

    Parameters
    ----------
    data : Images or path-like, or None
        The images, digits or clothing; or where `chemin.datasets.mnist` finds them.
    folder : path-like
        Where the machines are kept (``machine-a-b.npz``) and the report is written: ``mnist.md``, ``mnist.json``,
        ``mnist.npz``, ``confusion.png`` and the couples of 4 against 7. Machines already there are not trained again.
    pairs : iterable of (int, int), optional
        The pairs to train; all of them by default. There is a vote if every two of the digits named make a pair.
    settings : Settings, optional
        Those of the thesis, with what it leaves open, if None.
    memory : int
        Bytes that the columns may take.
    device : str
        Where the columns live, as for `chemin.svm_path`.
    n_jobs : int
        Machines trained at once, each in a process of its own.
    say : callable, optional
        Called with one line per machine.

    Returns
    -------
    ProtocolResult
    """
    result = train_pairs(
        data, folder, pairs, settings, memory=memory, device=device, n_jobs=n_jobs, say=say
    )
    write_report(result, FilePath(folder))
    return result


def train_pairs(
    data: Images | str | os.PathLike[str] | None,
    folder: str | os.PathLike[str],
    pairs: Iterable[tuple[int, int]] | None = None,
    settings: Settings | None = None,
    *,
    memory: int = MEMORY,
    device: str = "cpu",
    n_jobs: int = 1,
    say: Callable[[str], None] | None = None,
) -> ProtocolResult:
    """Do what `mnist_protocol` does, but for the report: matplotlib is not needed."""
    images = data if isinstance(data, Images) else mnist(data)
    settings, place = settings or Settings(), FilePath(folder)
    place.mkdir(parents=True, exist_ok=True)
    _claim(place, images, settings)
    wanted = _ordered(images, pairs)
    train = partial(_trained, images, settings=settings, folder=place, memory=memory, device=device)
    trained = Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        delayed(train)(a, b) for a, b in (wanted if n_jobs == 1 else _hardest_first(images, wanted))
    )
    machines = {}
    for number, (machine, kept) in enumerate(trained, start=1):
        machines[machine.digits] = machine
        if say is not None:
            say(f"{number}/{len(wanted)} {_told(machine)}{' (kept)' * kept}")
    return assemble(images, [machines[digits] for digits in wanted], n_jobs)


def _trained(
    images: Images,
    a: int,
    b: int,
    *,
    settings: Settings,
    folder: FilePath,
    memory: int,
    device: str,
) -> tuple[PairResult, bool]:
    """Return a machine, and whether it had been kept."""
    file = folder / f"machine-{a}-{b}.npz"
    if file.is_file():
        return load_pair(file), True
    machine = mnist_pair(images, a, b, settings, memory=memory, device=device)
    save_pair(machine, file)
    return machine, False


def _hardest_first(images: Images, pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs by how far their mean images are apart: machines of close ones take longest."""
    digits = {digit for pair in pairs for digit in pair}
    mean = {digit: images.X_train[images.y_train == digit].mean(axis=0) for digit in digits}
    return sorted(pairs, key=lambda pair: float(np.linalg.norm(mean[pair[0]] - mean[pair[1]])))


def _ordered(images: Images, pairs: Iterable[tuple[int, int]] | None) -> list[tuple[int, int]]:
    digits = np.unique(images.y_train).tolist()
    if pairs is None:
        return list(itertools.combinations(digits, 2))
    wanted = sorted({(min(a, b), max(a, b)) for a, b in pairs})
    if not wanted:
        raise InvalidInputError("pairs is empty: pass at least one pair, or None for all of them")
    return wanted


def _claim(folder: FilePath, images: Images, settings: Settings) -> None:
    """Write down what the machines of a folder have in common, or compare it with what is written there."""
    sums = [
        zlib.crc32(array.tobytes())
        for array in (images.X_train, images.y_train, images.X_test, images.y_test)
    ]
    now, file = {"settings": asdict(settings), "data": sums}, folder / "settings.json"
    if not file.exists():
        file.write_text(json.dumps(now, indent=1), encoding="utf-8")
    elif json.loads(file.read_text(encoding="utf-8")) != now:
        raise InvalidInputError(
            f"{folder} holds machines of other settings or other images: choose another folder"
        )


def _told(machine: PairResult) -> str:
    a, b = machine.digits
    return (
        f"{a} against {b}: {machine.events} events in {machine.seconds:.1f} s, {machine.couples} couples, validation "
        f"error {100 * machine.validation_error:.1f} %, test error {100 * machine.test_error:.2f} %, path "
        f"{machine.status}, {machine.peak_memory / 1e9:.2f} GB"
    )


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="One machine per pair of digits, then a vote.")
    parser.add_argument(
        "--data", help="folder of the IDX files, or npz file; OpenML is asked without it"
    )
    parser.add_argument(
        "--out", default="demo/mnist", help="folder of machines, report and pictures"
    )
    parser.add_argument("--pairs", nargs="*", metavar="A-B", help="pairs of digits; all by default")
    parser.add_argument(
        "--power", type=float, default=_USUAL.power, help="of the size that columns are divided by"
    )
    parser.add_argument(
        "--min-ratio", type=float, default=_USUAL.min_ratio, help="share of l1 where paths end"
    )
    parser.add_argument("--device", default="cpu", help="where the columns live: cpu, cuda or auto")
    parser.add_argument("--jobs", type=int, default=1, help="machines trained at once")
    parser.add_argument(
        "--seed", type=int, default=_USUAL.random_state, help="which images are drawn"
    )
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> None:
    """Run the protocol from the command line."""
    given = _parse(arguments)
    pairs = (
        None
        if given.pairs is None
        else [(int(a), int(b)) for a, b in (text.split("-") for text in given.pairs)]
    )
    settings = Settings(power=given.power, min_ratio=given.min_ratio, random_state=given.seed)
    result = mnist_protocol(
        given.data, given.out, pairs, settings, device=given.device, n_jobs=given.jobs,
        say=lambda line: print(line, flush=True),
    )  # fmt: skip
    print(f"\n{markdown(result)}")


if __name__ == "__main__":
    main()
