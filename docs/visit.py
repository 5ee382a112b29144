"""Does the built site ask the network for anything, fit the screen, and link to what exists? Opens it from disk.

    make docs && python docs/visit.py                      # build/docs, at two widths
    python docs/visit.py --pictures somewhere              # and pictures of some pages

Needs playwright, and Chromium where the system keeps it.
"""

from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

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


def broken(pages: list[Path]) -> list[str]:
    """Return the links between pages that lead to no file, or to no place of it."""
    texts = {page.resolve(): page.read_text(encoding="utf-8") for page in pages}
    places = {page: set(re.findall(r'\bid="([^"]+)"', text)) for page, text in texts.items()}
    found = []
    for page, text in texts.items():
        for link in set(re.findall(r'(?:href|src)="(?!\w+:|//)([^"]*)"', text)):
            path, _, place = unquote(link).partition("#")
            target = (page.parent / path.partition("?")[0]).resolve() if path else page
            if not target.exists() or (place and place not in places.get(target, {place})):
                found.append(f"{page.relative_to(SITE)}: {link}")
    return sorted(found)


def main() -> None:
    """Visit the pages, and end with an error if one asks for something, is too wide, or leads nowhere."""
    parser = argparse.ArgumentParser(description="Open the built site from disk.")
    parser.add_argument("--pictures", type=Path, help="folder for pictures of some pages")
    pictures = parser.parse_args().pictures
    browser_path = shutil.which("chromium") or shutil.which("google-chrome")
    pages = sorted(page for page in SITE.rglob("*.html") if "_static" not in page.parts)
    nowhere = broken(pages)
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
    print(
        f"{len(asked)} requests to a network; {len(wide)} pages wider than the screen; "
        f"{len(nowhere)} links that lead nowhere"
    )
    if asked or wide or nowhere:
        raise SystemExit("\n".join([*asked[:20], *wide[:20], *nowhere[:20]]))


if __name__ == "__main__":
    main()
