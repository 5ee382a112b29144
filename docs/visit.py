"""Does the built site ask the network for anything, and does it fit the screen? Opens its pages from disk in Chromium.

    make docs && python docs/visit.py                      # build/docs, at two widths
    python docs/visit.py --pictures somewhere              # and pictures of some pages

Needs playwright, and Chromium where the system keeps it.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

from playwright.sync_api import Page, Request, sync_playwright

SITE = Path(__file__).parent.parent / "build" / "docs"
WIDTHS = {"phone": 390, "desk": 1280}
SHOWN = (
    "index",
    "start",
    "fr/start",
    "course/svm",
    "fr/course/svm",
    "gallery/index",
    "reference/index",
)


def search(page: Page) -> int:
    """Return how many pages the search finds for a word, without a network."""
    page.goto(f"{(SITE / 'search.html').as_uri()}?q=certificate")
    page.wait_for_selector("#search-results p.search-summary:has-text('found')", timeout=20_000)
    return page.locator("#search-results li").count()


def main() -> None:
    """Visit the pages, and end with an error if any of them asks for something or is too wide."""
    parser = argparse.ArgumentParser(description="Open the built site from disk.")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of some pages")
    pictures = parser.parse_args().pictures
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    pages = sorted(SITE.rglob("*.html"))
    asked: list[str] = []
    wide: list[str] = []

    def note(request: Request) -> None:
        if not request.url.startswith(("file:", "data:")):
            asked.append(request.url)

    with sync_playwright() as played:
        browser = played.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        for name, width in WIDTHS.items():
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.on("request", note)
            for file in pages:
                stem = file.relative_to(SITE).with_suffix("").as_posix()
                page.goto(file.as_uri())
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    wide.append(f"{stem} at {width}")
                if pictures and stem in SHOWN:
                    pictures.mkdir(parents=True, exist_ok=True)
                    page.screenshot(path=pictures / f"{stem.replace('/', '-')}-{name}.png")
            found = search(page)
            print(f"{name}: {len(pages)} pages, {found} found by the search")
        browser.close()
    print(f"{len(asked)} requests to a network; {len(wide)} pages wider than the screen")
    if asked or wide:
        raise SystemExit("\n".join([*asked[:20], *wide[:20]]))


if __name__ == "__main__":
    main()
