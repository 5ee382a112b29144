"""What does one event of the path cost as the data grow?

    many variables   n = 200,  p = 500 ... 16000: expected to grow as p
    many points      p = 50,   n = 500 ... 16000: expected to grow as n |E|, |E| the mean elbow

Every path stops after 400 events, so that the sets have similar sizes. Slopes of the logarithms are
printed; `scaling.json` and `scaling.png` are written.
"""

from __future__ import annotations

import one_thread  # isort: skip  # before numpy is loaded

import argparse
import json
import time
from pathlib import Path

import numpy as np
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from chemin import svm_path
from chemin.datasets import benchmark_gaussian

EVENTS, SEED = 400, 5
SIZES = tuple(500 * 2**k for k in range(6))
COLOUR, REFERENCE = "#0072B2", "0.6"


def cost_per_event(n: int, p: int, repeat: int) -> dict:
    """Median seconds per event and the elbow's mean size, without the cost of starting."""
    X, y = benchmark_gaussian(n, p, SEED)
    starts, totals = [], []
    for _ in range(repeat + 1):
        starts.append(time_call(X, y, 1)[0])
        seconds, path = time_call(X, y, EVENTS)
        totals.append(seconds)
    events = len(path.events)
    # The first run warms up and is not counted.
    seconds = max(np.median(totals[1:]) - np.median(starts[1:]), 0.0) / max(events - 1, 1)
    elbow = float(np.mean(path.events["elbow"]))
    print(f"n {n:6d}  p {p:6d}  |E| {elbow:7.1f}  {1e6 * seconds:9.1f} µs per event", flush=True)
    return {"n": n, "p": p, "events": events, "elbow": elbow, "seconds_per_event": float(seconds)}


def time_call(X: np.ndarray, y: np.ndarray, events: int) -> tuple:
    """Seconds and path of so many events."""
    start = time.perf_counter()
    path = svm_path(X, y, l2=1.0, max_events=events)
    return time.perf_counter() - start, path


def fit_slope(size: np.ndarray, seconds: np.ndarray) -> float:
    """Slope of log seconds against log size."""
    return float(np.polyfit(np.log(size), np.log(seconds), 1)[0])


def draw_curve(axes: Axes, size: np.ndarray, seconds: np.ndarray, slope: float, name: str) -> None:
    """Measured costs and a line of slope 1 through the last one."""
    axes.loglog(size, 1e6 * seconds[-1] * size / size[-1], "--", color=REFERENCE, label="slope 1")
    axes.loglog(size, 1e6 * seconds, "o-", color=COLOUR, label=f"measured, slope {slope:.2f}")
    axes.set_xlabel(name)
    axes.grid(color="0.9", which="both")
    axes.set_axisbelow(True)
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def measure(repeat: int) -> dict:
    """Both series and their slopes; the second is fitted against n |E|."""
    series = {
        "variables": [cost_per_event(200, p, repeat) for p in SIZES],
        "points": [cost_per_event(n, 50, repeat) for n in SIZES],
    }
    report: dict = {"events": EVENTS, "threads": one_thread.THREADS}
    for name, points in series.items():
        size = [k["p"] if name == "variables" else k["n"] * k["elbow"] for k in points]
        seconds = [k["seconds_per_event"] for k in points]
        slope = fit_slope(np.array(size), np.array(seconds))
        report[name] = {"size": size, "slope": slope, "points": points}
        print(f"{name}: slope {slope:.2f}")
    return report


def draw(report: dict, path: Path) -> None:
    """Both curves, side by side."""
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    labels = {"variables": "p (n = 200)", "points": "n |E| (p = 50)"}
    for axes, (name, label) in zip(panels, labels.items(), strict=True):
        points = report[name]["points"]
        seconds = np.array([point["seconds_per_event"] for point in points])
        draw_curve(axes, np.array(report[name]["size"]), seconds, report[name]["slope"], label)
    panels[0].set_ylabel("µs per event")
    figure.savefig(path, dpi=160)
    plt.close(figure)


def main() -> None:
    """Measure, save, draw."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results")
    arguments = parser.parse_args()
    report = measure(arguments.repeat)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "scaling.json").write_text(json.dumps(report, indent=1) + "\n")
    draw(report, arguments.out / "scaling.png")


if __name__ == "__main__":
    main()
