"""How quickly does a page follow its slider, how large is it, and does it compute what Python computes?

    python benchmarks/explorer.py

Pages of bundled data and of one made-up table whose path has 2000 breakpoints over 100 variables are opened in a
headless Chromium (playwright, and a Chromium on the path). A slider step is timed with its drawing: from the call to
the second animation frame after it where that is what takes long, and alone. The exit status is 1 if a page asks for
anything, complains, or computes another gap than Python.
"""

from __future__ import annotations

import csv
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

from chemin.report import html
from chemin.study import Recipe, Study, learn

STEPS = 300
CASES = ("breast-cancer", "patients", "iris", "diabetes", "digits")
TARGETS = {"patients": "diagnostic"}
LARGE = "100 variables"


def write_large(folder: Path) -> str:
    """Write a table of 100 variables of which all come in, little by little."""
    rng = np.random.default_rng(0)
    n, p = 400, 100
    X = rng.normal(size=(n, p)) + 0.6 * rng.normal(size=(n, 1))
    slope = np.linspace(1.0, 0.1, p)
    y = X @ slope + 2.0 * rng.normal(size=n) > 0.0
    place = folder / "large.csv"
    with open(place, "w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*(f"x{j}" for j in range(p)), "y"])
        writer.writerows([[*(f"{value:.6f}" for value in X[i]), "ab"[int(y[i])]] for i in range(n)])
    return str(place)


def study_of(name: str, folder: Path) -> Study:
    """Learn from bundled data, or from the large table."""
    if name == LARGE:
        recipe = Recipe(write_large(folder), target="y", models=("linear",), against=("none",))
    else:
        recipe = Recipe(name, target=TARGETS.get(name, ""), against=("none",))
    return learn(recipe, folder / name.replace(" ", "-"))


def moved(page: Any) -> dict[str, Any]:
    """Move the first slider of a page, and return how long each step takes, in milliseconds."""
    found: dict[str, Any] = page.evaluate(
        """async (steps) => {
          const explorer = chemin.explorers[0];
          const { plane } = explorer.charts;
          const alone = [], drawn = [];
          const frame = () => new Promise(requestAnimationFrame);
          for (let k = 0; k < steps; k++) {
            const share = ((k * 37) % steps) / steps;
            await frame();
            const begin = performance.now();
            explorer.move(plane.l1(share), true);
            alone.push(performance.now() - begin);
            document.body.getBoundingClientRect();
            drawn.push(performance.now() - begin);
          }
          const begin = performance.now();
          explorer.speak();
          return { alone, drawn, proof: performance.now() - begin, said: explorer.proof.textContent,
                   breakpoints: explorer.machine.l1.length, terms: explorer.machine.coef.count };
        }""",
        STEPS,
    )
    return found


def measure(browser: Any, place: Path) -> dict[str, Any]:
    """Open a page, move its first slider, and wait for its proof."""
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    began = time.perf_counter()
    page.goto(place.as_uri())
    page.wait_for_selector(".proof.sure, .proof.word, .proof.near")
    load = time.perf_counter() - began
    found = moved(page)
    page.close()
    return found | {"load": load, "asked": asked[1:], "complained": said}


def main() -> int:
    """Print a line for each page."""
    wrong = 0
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    columns = ("page", "KB", "load s", "breakpoints", "terms", "step ms", "with layout", "proof ms")
    print("{:14} {:>6} {:>7} {:>11} {:>5} {:>8} {:>11} {:>8}".format(*columns))
    with tempfile.TemporaryDirectory() as base, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        for name in (*CASES, LARGE):
            study = study_of(name, Path(base))
            place = Path(base) / f"{name.replace(' ', '-')}.html"
            place.write_text(html(study), encoding="utf-8")
            found = measure(browser, place)
            wrong += bool(found["asked"] or found["complained"] or found["said"].startswith("✗"))
            alone = statistics.median(found["alone"])
            drawn = statistics.median(found["drawn"])
            print(
                f"{name:14} {place.stat().st_size / 1000:6.0f} {found['load']:7.2f} {found['breakpoints']:11} "
                f"{found['terms']:5} {alone:8.2f} {drawn:11.2f} {found['proof']:8.1f}  {found['said'][:60]}"
            )
        browser.close()
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
