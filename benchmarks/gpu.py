"""What does a GPU make of the MNIST dictionaries? Floors, one machine, larger ones, and all 45.

python benchmarks/gpu.py --data FOLDER [--device cuda] [--jobs 12 …] [--parts machine pixels full all]
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from dataclasses import replace

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
import torch

import chemin
from chemin.datasets import mnist
from chemin.dictionaries.places import on_device
from chemin.experiments.mnist import Settings, mnist_pair, train_pairs

TO_A_THOUSANDTH = Settings(min_ratio=1e-3)


def seconds(device: str, work, repeat: int = 5) -> float:
    """Return the median time of some work, the device waited for."""
    times = []
    for _ in range(repeat + 1):
        wait(device)
        begin = time.perf_counter()
        work()
        wait(device)
        times.append(time.perf_counter() - begin)
    return float(np.median(times[1:]))


def wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def ceilings(device: str) -> tuple[float, float]:
    """Print and return the bandwidth (bytes/s) and the float64 rate (operations/s) of the device."""
    size = 2**28 if device.startswith("cuda") else 2**24
    source = torch.rand(size, dtype=torch.float64, device=device)
    target = torch.empty_like(source)
    bandwidth = 16 * size / seconds(device, lambda: target.copy_(source))
    side = 8192 if device.startswith("cuda") else 512
    A = torch.rand((side, side), dtype=torch.float64, device=device)
    rate = 2 * side**3 / seconds(device, lambda: A @ A)
    print(
        f"ceilings of {device}: copy {bandwidth / 1e12:.2f} TB/s, float64 product {rate / 1e12:.1f} Tflop/s",
        flush=True,
    )
    return bandwidth, rate


def machine(images, device: str, bandwidth: float, rate: float) -> None:
    """Follow 4 against 7 in ordinary memory and on the device; print what no implementation could go below."""
    settings = TO_A_THOUSANDTH
    drawn = settings.draw(images, 4, 7)
    columns = settings.couples(drawn.X_train, drawn.shape, device=device).of(drawn.X_train)
    options = {"l2": settings.l2, "min_ratio": settings.min_ratio}
    begin = time.perf_counter()
    path = chemin.svm_path(columns, drawn.y_train, **options)
    report("cpu", path, time.perf_counter() - begin)
    for attempt in ("cold", "warm"):
        begin = time.perf_counter()
        there = on_device(columns, device)
        wait(device)
        built = time.perf_counter() - begin
        begin = time.perf_counter()
        path = chemin.svm_path(there, drawn.y_train, **options)
        report(
            f"{device}, {attempt}, columns built in {built:.2f} s",
            path,
            time.perf_counter() - begin,
        )
    n, p = columns.shape
    read = 8 * (
        there.entries_read + 3 * n * p
    )  # surveys, and three readings of all for norms, sums and the first l1
    print(
        f"  {there.synchronisations / path.stats['events']:.2f} synchronisations per event; floors: {read / 1e9:.1f} "
        f"GB read = {read / bandwidth:.4f} s, {read / 4e9:.1f} Gflop = {read / 4 / rate:.4f} s",
        flush=True,
    )
    certify(columns, drawn.y_train, path)


def report(where: str, path, took: float) -> None:
    events = path.stats["events"]
    print(
        f"{where}: {path.status} {events} events in {took:.2f} s = {1e6 * took / events:.0f} us each, "
        f"{path.stats['columns_per_event']:.0f} columns and {path.stats['rows_per_event']:.0f} rows per event",
        flush=True,
    )


def certify(columns, y, path, count: int = 3) -> None:
    """Print the worst gap at a few breakpoints, by the dictionary in ordinary memory."""
    if np.prod(columns.shape) > 1e9:
        return
    some = np.linspace(1, len(path.l1) - 1, count).astype(int)
    proof = chemin.certify(
        columns,
        y,
        path.coef[some],
        path.intercept[some],
        path.l1[some],
        path.l2,
        dual=path.dual[some],
    )
    print(
        f"  certified in ordinary memory at {count} breakpoints: worst relative gap {proof.worst_gap:.1e}",
        flush=True,
    )


def protocol(images, device: str, jobs: int) -> None:
    """Train the 45 machines and let them vote."""
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        result = train_pairs(images, folder, None, TO_A_THOUSANDTH, device=device, n_jobs=jobs)
        took = time.perf_counter() - begin
    events = sum(one.events for one in result.machines)
    spent = sum(one.seconds for one in result.machines)
    print(
        f"45 machines on {device}, {jobs} at a time: {took:.1f} s ({spent:.0f} s of all processes for paths and "
        f"choices), {events} events, {summary(result)}",
        flush=True,
    )


def summary(result) -> str:
    return ", ".join(f"{100 * error:.2f} % errors by {how}" for how, error in result.errors.items())


def within(budget: float):
    """Return a report that tells how far a path is, and ends it when its time is over."""
    begin = time.perf_counter()

    def report(events: int, l1: float) -> None:
        took = time.perf_counter() - begin
        if events % 2500 == 0:
            print(f"  {events} events, l1 = {l1:.4g}, {took:.0f} s", flush=True)
        if took > budget:
            raise KeyboardInterrupt

    return report


def larger(images, device: str, parts: list[str], n_train: int, budget: float) -> None:
    """Train 4 against 7 on a thousand images, with a window at every pixel, and on all its images."""
    most = 2 * int(min(np.bincount(images.y_train)[[4, 7]]))
    variants = {
        "pixels": replace(TO_A_THOUSANDTH, stride=1, positions=None),
        "full": replace(TO_A_THOUSANDTH, n_train=n_train, n_validation=min(1000, most - n_train)),
    }
    for settings in (TO_A_THOUSANDTH, *(variants[part] for part in parts)):
        begin = time.perf_counter()
        one = mnist_pair(images, 4, 7, settings, device=device, progress=within(budget))
        print(
            f"{settings.n_train} images, stride {settings.stride} on {device}: {one.events} events, "
            f"path and choice {one.seconds:.1f} s, all "
            f"{time.perf_counter() - begin:.1f} s, l1 = {one.l1:.4g} of {one.first_l1:.4g}, {one.couples} couples, "
            f"validation {100 * one.validation_error:.2f} %, test {100 * one.test_error:.2f} %, {one.status}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", type=int, nargs="*", default=[12], help="machines at once")
    parser.add_argument("--where", nargs="*", help="devices of all 45 machines")
    parser.add_argument("--images", type=int, default=11_000, help="of the large machine")
    parser.add_argument(
        "--budget", type=float, default=420.0, help="seconds for a path of the large machine"
    )
    parser.add_argument("--parts", nargs="*", default=["machine", "pixels", "full", "all"])
    given = parser.parse_args()
    images = mnist(given.data)
    bandwidth, rate = ceilings(given.device)
    if "machine" in given.parts:
        machine(images, given.device, bandwidth, rate)
    if more := [part for part in ("pixels", "full") if part in given.parts]:
        larger(images, given.device, more, given.images, given.budget)
    if "all" in given.parts:
        for device in given.where or (given.device, "cpu"):
            for jobs in given.jobs:
                protocol(images, device, jobs)


if __name__ == "__main__":
    main()
