"""Who opens a page in the tests? A headless Chromium that is found on the machine; nothing is downloaded."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

CHROMIUM = next(
    filter(
        None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"))
    ),
    None,
)  # fmt: skip
WHY_NOT = (
    "" if CHROMIUM and find_spec("playwright") else "needs a Chromium on the path, and playwright"
)
_QUIET = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
)  # fmt: skip


@contextmanager
def chromium() -> Iterator[Any]:
    """Hand out a browser."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_QUIET))
        try:
            yield browser
        finally:
            browser.close()


class Opened:
    """A page, what it asked for beside itself, and what went wrong in it."""

    def __init__(
        self, browser: Any, place: Path | str, *, width: int = 1000, scheme: str = "light"
    ):
        self.context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme
        )
        self.page = self.context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.errors.append(message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        address = place if isinstance(place, str) else place.absolute().as_uri()
        self.page.goto(address, wait_until="load")
        self.requests.pop(0)  # the page itself

    def __enter__(self) -> Opened:
        return self

    def __exit__(self, *error: object) -> None:
        self.context.close()

    def run(self, script: str, given: Any = None) -> Any:
        """Return what a script finds in the page."""
        return self.page.evaluate(script, given)

    @property
    def overflow(self) -> int:
        """How many pixels the page is wider than its window."""
        return int(self.run("document.documentElement.scrollWidth - innerWidth"))

    def violations(self) -> list[str]:
        """Return what axe-core finds to be serious or critical, with the place."""
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(self.page).response["violations"]
        return [
            f"{one['id']}: {node['html']}"
            for one in found
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ]
