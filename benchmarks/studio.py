"""How quickly does the studio answer, follow its slider, and give back what ten jobs have taken?

    python benchmarks/studio.py

The command itself is served, and driven in a headless Chromium (playwright, and a Chromium on the path): breast-cancer
from Learn to the first model and to the page; a slider over 2000 breakpoints of 100 variables, with the requests that
it makes; ten jobs in a row, the fifth one killed, with the processes and the memory of the server before and after.
The exit status is 1 if the slider asks for anything, a request leaves the machine, or a process stays.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil
from explorer import moved, write_large
from playwright.sync_api import sync_playwright

READING = 5.0  # seconds that somebody looks at the first page, at the least
JOBS = 10
KILLED = 4
LEARN = """async ([base, kernels]) => {
  const answer = await fetch(`${base}/learn`, { method: "POST", body: new URLSearchParams({ kernels }) });
  return new URL(answer.url).pathname.replace("/model", "");
}"""
END = (
    """async (base) => (await (await fetch(`${base}/events`)).text()).trim().split("\\n").at(-1)"""
)


def serve(folder: str) -> tuple[subprocess.Popen[str], str]:
    """Start the studio, and return it with its address."""
    command = [sys.executable, "-m", "chemin", "studio", "--no-browser", "--folder", folder]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, process.stdout.readline().split()[1]


def opened(page: Any, place: str, target: str) -> str:
    """Open a file or a bundled name, and return the beginning of its addresses."""
    page.goto("/")
    if Path(place).is_file():
        page.set_input_files("#file", place)
        page.locator("form:has(#file) button").click()
    else:
        page.get_by_role("button", name=place, exact=True).click()
    page.locator(".preview").wait_for()
    if target:
        page.locator("#target").select_option(target)
        page.locator("form.reading button").first.click()
        page.wait_for_url("**/2/data")
    return str(page.url.removesuffix("/data"))


def first_answer(page: Any) -> None:
    """Tell how long breast-cancer takes."""
    base = opened(page, "breast-cancer", "")
    page.goto(f"{base}/kernels")
    began = time.perf_counter()
    page.locator("#learn").click()
    page.locator("#steps li", has_text="linear").wait_for()
    model = time.perf_counter() - began
    page.locator(".explorer .proof.sure").first.wait_for()
    print(
        f"breast-cancer   first model {model:.1f} s, its page {time.perf_counter() - began:.1f} s"
    )


def slider(page: Any, folder: Path) -> int:
    """Tell how long a step takes, and return how many requests it makes."""
    base = opened(page, write_large(folder), "y")
    new = page.evaluate(LEARN, [base, "linear"])
    page.evaluate(END, new)
    page.goto(f"{new}/model")
    page.locator(".explorer .proof").first.wait_for()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    found = moved(page)
    alone, drawn = (statistics.median(found[name]) for name in ("alone", "drawn"))
    print(
        f"slider          {found['breakpoints']} breakpoints, {found['terms']} terms: median step {alone:.1f} ms, "
        f"with layout {drawn:.1f} ms, {len(asked)} requests"
    )
    return len(asked)


def ten_jobs(page: Any, server: psutil.Process) -> int:
    """Tell what ten jobs leave behind, and return how many processes that is."""
    base = opened(page, "iris", "")

    def learn(kernels: str, *, kill: bool = False) -> str:
        before = set(server.children(recursive=True))
        new = page.evaluate(LEARN, [base, kernels])
        if kill:
            while not (begun := set(server.children(recursive=True)) - before):
                time.sleep(0.01)
            for process in begun:
                process.kill()
        return str(page.evaluate(END, new))

    learn("gaussian(1)")
    children = set(server.children(recursive=True))
    memory = [server.memory_info().rss]
    ends = []
    for k in range(JOBS):
        ends.append(learn(f"gaussian({k + 2})", kill=k == KILLED))
        memory.append(server.memory_info().rss)
    stay = set(server.children(recursive=True)) - children
    told = ", ".join(f"{one / 2**20:.0f}" for one in memory)
    finished, killed = (sum(one in end for end in ends) for one in ("finished", "killed"))
    print(
        f"ten jobs        {finished} finished, {killed} killed; {len(stay)} processes stay; "
        f"MiB of the server after each: {told}"
    )
    return len(stay)


def main() -> int:
    """Print a line for each claim."""
    executable = shutil.which("chromium") or shutil.which("google-chrome")
    outside: list[str] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        process, address = serve(f"{folder}/projects")
        origin = address.partition("/#")[0]
        browser = playwright.chromium.launch(executable_path=executable, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1400, "height": 900}, base_url=origin)
        page.set_default_timeout(300_000)
        page.on(
            "request",
            lambda request: (
                outside.append(request.url) if not request.url.startswith(origin) else None
            ),
        )
        try:
            page.goto(address)
            page.locator(".panes").wait_for()
            time.sleep(READING)
            first_answer(page)
            asked = slider(page, Path(folder))
            stay = ten_jobs(page, psutil.Process(process.pid))
        finally:
            browser.close()
            process.terminate()
            process.communicate()
    print(f"other hosts     {len(outside)} requests")
    return int(bool(asked or stay or outside))


if __name__ == "__main__":
    sys.exit(main())
