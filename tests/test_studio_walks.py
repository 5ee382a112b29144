"""Claims about the studio in a browser: an expert walks from a file to a script, and what she sees is what is so."""

from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("starlette")
from sklearn.datasets import load_digits

import chemin
from browsing import WHY_NOT, Opened, chromium
from chemin.datasets import toydata1
from chemin.study import read_study
from serving import Served

pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)

PATIENCE = 120_000  # milliseconds, of a machine with much else to do


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    studio = Served(tmp_path_factory.mktemp("studio") / "projects")
    yield studio
    studio.stop()


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


class Walk(Opened):
    """An expert who has opened the address that the studio told."""

    def __init__(self, browser, served, language="en", **options):
        self.served = served
        super().__init__(browser, served.address, **options)
        self.page.set_default_timeout(PATIENCE)
        self.page.locator("nav, .panes").first.wait_for()
        self.errors.clear()  # the entrance is refused until the token is handed in
        if language == "fr":
            self.click("Français")

    def __exit__(self, *error):
        outside = [
            one for one in self.requests if not one.startswith((self.served.origin, "blob:"))
        ]
        super().__exit__(*error)
        if error[0] is None:
            assert outside == []
            assert self.errors == []

    @property
    def text(self):
        return self.page.locator("main").inner_text()

    @property
    def number(self):
        return int(self.page.url.split("/p/")[1].split("/")[1])

    def click(self, name, role="button"):
        self.page.get_by_role(role, name=name, exact=True).click()

    def open(self, place, target=""):
        """Open a file, and say what is to be predicted if the file does not."""
        self.page.set_input_files("#file", place)
        self.page.locator("form:has(#file) button").click()
        self.page.locator(".preview").wait_for()
        if target:
            self.page.locator("#target").select_option(target)
            self.page.locator("form.reading button").first.click()
            self.page.wait_for_url("**/2/data")

    def kernels(self, text):
        """Type the kernels, and wait until the studio says what they are."""
        self.page.fill("#kernels", text)
        self.page.locator(".card").first.wait_for()

    def learn(self):
        """Learn, and return the number of the entry."""
        before = self.number
        self.page.locator("#learn:enabled").click()
        self.page.wait_for_url(lambda url: f"/{before}/" not in url)
        self.page.locator(".explorer .proof.sure").first.wait_for()
        return self.number

    def explorer(self, model, within="#main"):
        return self.page.locator(f"{within} .explorer[data-model={model}]").first


def patients(place):
    """Write what a French spreadsheet hands out: commas in numbers, tabs between cells."""
    rng = np.random.default_rng(0)
    lines = ["nom\tâge\ttension\tcréatinine\tavis"]
    for k in range(90):
        age, pressure = int(rng.integers(30, 80)), int(rng.integers(100, 160))
        blood = 1.1 + 0.3 * rng.random() + 0.002 * age
        ill = 0.05 * (age - 55) + 8.0 * (blood - 1.36) + 0.4 * rng.normal() > 0.0
        cells = [
            f"P{k:03d}",
            age,
            pressure,
            f"{blood:.3f}".replace(".", ","),
            "malade" if ill else "sain",
        ]
        lines.append("\t".join(map(str, cells)))
    place.write_text("\n".join(lines), encoding="cp1252")
    return place


SCRIPTED = """
import numpy
from chemin import read
table = read(study.document.recipe.source, target=study.document.recipe.target, **study.document.recipe.read)
for one in ("linear", "basis"):
    numpy.save(f"{one}.npy", study.model(one).decision_function(table.X))
"""


def test_from_a_french_file_to_a_script_that_decides_alike(browser, served, tmp_path):
    with Walk(browser, served, "fr", width=1400) as walk:
        page = walk.page
        walk.open(patients(tmp_path / "patients.csv"))

        # Read: 1,200 is taken for a thousand and two hundred, and she says that it is not
        page.get_by_label("À prédire").select_option("avis")
        assert page.locator(".preview td").nth(3).inner_text().startswith("1")
        assert float(page.locator(".preview td").nth(3).inner_text()) > 1000.0
        page.get_by_label("marque décimale").select_option(",")
        page.get_by_label("Pourquoi").fill("la virgule est décimale")
        page.locator("form.reading button").last.click()
        page.wait_for_url("**/2/data")
        assert re.fullmatch(r"1,\d+", page.locator(".preview td").nth(3).inner_text())

        # Say what is similar: two blocks, chosen by hand, and what they would cost
        walk.click("Dire ce qui se ressemble, et apprendre", "link")
        page.get_by_label("âge", exact=True).check()
        page.get_by_label("tension", exact=True).check()
        walk.click("Ajouter une ligne")
        walk.click("n’en choisir aucune")
        page.get_by_label("créatinine", exact=True).check()
        page.get_by_label("noyau", exact=True).select_option("linear")
        walk.click("Ajouter une ligne")
        kernels = page.locator("#kernels")
        assert kernels.input_value() == "gaussian(width=1).on(âge, tension)\nlinear.on(créatinine)"
        page.locator(".card").nth(1).wait_for()
        assert page.locator(".card").all_inner_texts()[0].startswith("1. 1 noyau\u00a0: ✓")
        assert re.search(r"144 couples\s; environ", page.locator("#cost").inner_text())
        assert page.locator("#similar tbody tr").count() == 2

        # Learn, and move on the path without a request
        page.get_by_label("Pourquoi").fill("deux blocs")
        first = walk.learn()
        slider = walk.explorer("basis").get_by_role("slider")
        before = walk.explorer("basis").locator(".lead").inner_text()
        walk.requests.clear()
        slider.focus()
        for _ in range(20):
            page.keyboard.press("PageUp")
        assert walk.explorer("basis").locator(".lead").inner_text() != before
        page.wait_for_url("**#*basis-*")
        assert walk.requests == []
        l1 = walk.run("chemin.explorers[1].l1")

        # Explain a patient; where λ₁ stands stays in the address
        page.get_by_label("Expliquer la ligne").fill("P007")
        walk.click("Expliquer")
        page.locator("#asked").wait_for()
        assert "P007" in page.locator("#asked").inner_text()
        page.locator(".explorer .proof.sure").nth(1).wait_for()
        assert walk.run("chemin.explorers[1].l1") == pytest.approx(l1, rel=1e-11)

        # Change her mind
        walk.click("Changer les noyaux", "link")
        page.locator(".card input").first.fill("0,5")
        page.locator(".card input").first.press("Enter")
        page.wait_for_function(
            "document.getElementById('kernels').value.startsWith('gaussian(width=0.5)')"
        )
        second = walk.learn()
        assert (first, second) == (3, 4)

        # Compare both
        walk.click("Montrer les deux")
        page.locator(".side .explorer .proof.sure").nth(1).wait_for()
        assert [
            one.get_attribute("data-from").split("/")[3] for one in page.locator(".side").all()
        ] == ["3", "4"]
        assert "gaussian(width=1).on(âge, tension)" in walk.text
        assert "gaussian(width=0.5).on(âge, tension)" in walk.text
        page.go_back()

        # Take it away: the script decides as the models that are taken away, and as the study
        kept = {}
        page.get_by_text("Le garder").click()
        for what in ("script", "model?model=linear", "model?model=basis"):
            with page.expect_download() as waiting:
                page.locator(f'.export a[href$="export/{what}"]').click()
            kept[what] = tmp_path / waiting.value.suggested_filename
            waiting.value.save_as(kept[what])
    script = kept["script"]
    script.write_text(script.read_text("utf-8") + SCRIPTED, encoding="utf-8")
    subprocess.run([sys.executable, str(script)], cwd=tmp_path, check=True, capture_output=True)
    study = read_study(served.folder / "patients" / "entries" / "4")
    recipe = study.document.recipe
    table = chemin.read(recipe.source, target=recipe.target, **recipe.read)
    for name in ("linear", "basis"):
        found = np.load(tmp_path / f"{name}.npy")
        np.testing.assert_allclose(
            found, study.model(name).decision_function(table.X), rtol=0, atol=1e-12
        )
        loaded = chemin.load(kept[f"model?model={name}"])
        np.testing.assert_allclose(found, loaded.decision_function(table.X), rtol=0, atol=1e-12)


def test_windows_are_picked_on_the_digit_and_couples_are_drawn_on_it(browser, served, tmp_path):
    digits = load_digits()
    which = np.flatnonzero((digits.target == 3) | (digits.target == 8))[:90]
    np.savez(tmp_path / "digits.npz", X=digits.images[which], y=digits.target[which])
    with Walk(browser, served) as walk:
        page = walk.page
        walk.open(tmp_path / "digits.npz")
        walk.click("Say what is similar, and learn", "link")
        picture = page.locator("#windows svg")
        for first in (0, 4):
            box = picture.bounding_box()
            pixel = box["width"] / 8
            ends = [
                (box["x"] + (k + 0.5) * pixel, box["y"] + (k + 0.5) * pixel)
                for k in (first, first + 3)
            ]
            page.mouse.move(*ends[0])
            page.mouse.down()
            page.mouse.move(*ends[1], steps=4)
            page.mouse.up()
            walk.click("Add a line")
        assert page.locator("#kernels").input_value().splitlines() == [
            f"polynomial(degree=2, offset=1).on(window(top={first}, left={first}, height=4, width=4))"
            for first in (0, 4)
        ]
        page.locator(".card").nth(1).wait_for()
        assert picture.locator(".drawn").count() == 2
        page.get_by_label("height").fill("2")
        assert picture.locator(".window").get_attribute("height") == "2"
        walk.learn()
        frame = walk.explorer("basis").locator("tr:not([hidden]) .thumbnail .frame").first
        assert [frame.get_attribute(side) for side in ("width", "height")] == ["4", "4"]
        assert "like row" in walk.explorer("basis").inner_text()


def plane(place):
    """Write points of two classes in the plane."""
    X, y = toydata1(random_state=0)
    sides = np.where(y > 0, "plus", "minus")
    rows = [f"{a},{b},{side}" for (a, b), side in zip(X[::3], sides[::3], strict=True)]
    place.write_text("\n".join(["across,up,side", *rows]), encoding="utf-8")
    return place


def test_the_boundary_of_two_columns_moves_with_l1(browser, served, tmp_path):
    with Walk(browser, served) as walk:
        page = walk.page
        walk.open(plane(tmp_path / "plane.csv"), target="side")
        walk.click("Look at the data", "link")
        page.get_by_label("To the right").select_option("across")
        page.get_by_label("upwards").select_option("up")
        page.get_by_text("across to the right, up upwards").wait_for()
        page.get_by_label("upwards").select_option("across")
        page.get_by_text("across to the right, across upwards").wait_for()
        box = page.locator(".pictures svg").nth(1).bounding_box()
        page.mouse.move(box["x"] + 1, box["y"] + 1)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 1, steps=3)
        page.mouse.up()
        marked = int(page.get_by_text(re.compile(r"\d+ rows marked")).inner_text().split()[0])
        assert (
            marked == page.locator(".pictures .large").first.locator("svg > g > :not(.dim)").count()
        )
        assert 0 < marked < page.locator(".pictures .large").first.locator("svg > g > *").count()
        walk.click("Say what is similar, and learn", "link")
        walk.kernels("gaussian(1)")
        walk.learn()
        explorer = walk.explorer("basis")
        border = explorer.locator(".border")
        explorer.get_by_role("slider").focus()
        page.keyboard.press("Home")
        drawn = {border.get_attribute("d")}
        walk.requests.clear()
        for _ in range(5):
            page.keyboard.press("PageUp")
            drawn.add(border.get_attribute("d"))
        assert len(drawn) == 6
        assert walk.requests == []


def test_two_tabs_learn_two_branches_of_one_entry(browser, served, tmp_path):
    with Walk(browser, served) as walk:
        walk.open(plane(tmp_path / "tabs.csv"), target="side")
        walk.click("Say what is similar, and learn", "link")
        other = walk.context.new_page()
        other.set_default_timeout(PATIENCE)
        other.goto(walk.page.url)
        for page, kernel in ((walk.page, "gaussian(1)"), (other, "gaussian(2)")):
            page.fill("#kernels", kernel)
            page.locator(".card").first.wait_for()
            page.locator("#learn:enabled").click()
            page.wait_for_url("**/model")
        for page, number, kernel in ((walk.page, 3, "gaussian(1)"), (other, 4, "gaussian(2)")):
            page.locator(".explorer .proof.sure").first.wait_for()
            assert page.url.endswith(f"/{number}/model")
            assert page.locator(".kernels code").inner_text() == kernel
        walk.click("History", "link")
        shown = walk.page.locator(".history tbody tr").all_inner_texts()
        assert [row.count("from 2") for row in shown] == [0, 0, 1, 1]


def test_reloaded_killed_and_started_again_nothing_is_lost_and_the_page_says_what_happened(
    browser, tmp_path
):
    first = Served(tmp_path / "projects")
    with Walk(browser, first) as walk:
        page = walk.page
        walk.open(plane(tmp_path / "lasting.csv"), target="side")
        walk.click("Say what is similar, and learn", "link")
        walk.kernels("gaussian(1)")
        page.get_by_label("compare with other models").check()
        page.get_by_label("Why").fill("to be killed")
        page.locator("#learn").click()
        page.locator("#steps li").nth(1).wait_for()
        told = page.locator("#steps li").all_inner_texts()
        page.reload()
        page.locator("#steps li").nth(1).wait_for()
        assert page.locator("#steps li").all_inner_texts()[:2] == told[:2]
        first.kill()
        page.get_by_text("The studio does not answer.").wait_for()
        stopped = page.locator("#time").inner_text()
        left = page.url
        again = Served(tmp_path / "projects", port=first.port)
        try:
            page.get_by_text("The studio was started again").wait_for()
            assert page.locator("#time").inner_text() == stopped
            page.reload()
            page.get_by_text("This page does not belong to the studio that is running.").wait_for()
            walk.errors.clear()  # of answers that did not come, or were refused
            page.goto(f"{left}#{again.address.partition('#')[2]}")
            page.get_by_text(
                "The studio ended while it was learning. What was done is kept."
            ).wait_for()
            walk.errors.clear()
            assert "to be killed" in page.locator("header").inner_text()
            walk.click("Go on with it")
            page.locator("#steps li", has_text="as before").first.wait_for()
            walk.click("Cancel: what is done is kept")
            page.get_by_text("It was cancelled. What was done is kept.").wait_for()
        finally:
            again.stop()


PAGES = {  # page → what is there once its scripts have run
    "/": ".panes",
    "/p/all/1/data": "form.reading",
    "/p/all/2/data": ".preview",
    "/p/all/2/look": "#pictures figure",
    "/p/all/3/kernels": ".card",
    "/p/all/3/model?row=3": ".explorer .proof.sure",
    "/p/all/history": ".history",
    "/p/all/compare?a=3&b=4": ".side .explorer .proof.sure",
    "/p/all/99/model": ".caution",
}


@pytest.fixture(scope="module")
def all_pages(browser, served, tmp_path_factory):
    """Learn two entries, so that every page has something to show."""
    with Walk(browser, served) as walk:
        walk.open(plane(tmp_path_factory.mktemp("all") / "all.csv"), target="side")
        for kernel in ("gaussian(1)", "gaussian(0.5).on(across) * linear.on(up)"):
            walk.page.goto(f"{served.origin}/p/all/2/kernels")
            walk.kernels(kernel)
            walk.learn()


@pytest.mark.parametrize("width", [1000, 1400])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_page_is_for_all_fits_its_window_and_asks_its_own_server_alone(
    language, scheme, width, browser, served, all_pages
):
    pytest.importorskip("axe_playwright_python")
    with Walk(browser, served, language, width=width, scheme=scheme) as walk:
        found = {}
        for path, sign in PAGES.items():
            walk.page.goto(f"{served.origin}{path}")
            walk.page.locator(sign).first.wait_for()
            assert walk.overflow == 0, path
            found[path] = walk.violations() if (width == 1000) == (language == "en") else []
        assert not any(found.values()), found
        assert all("422" in error for error in walk.errors)
        walk.errors.clear()  # of the entry that is not there


def test_a_model_is_learned_and_read_with_the_keyboard_alone(browser, served, all_pages):
    with Walk(browser, served) as walk:
        keys = walk.page.keyboard

        def tab_to(selector):
            for _ in range(150):
                keys.press("Tab")
                if walk.run("(selector) => document.activeElement.matches(selector)", selector):
                    return
            raise AssertionError(f"{selector} is not reached")

        walk.page.goto(f"{served.origin}/p/all/2/data")
        keys.press("Tab")
        assert walk.run("document.activeElement.className") == "skip"
        keys.press("Enter")
        tab_to("a[href$='/kernels']")
        keys.press("Enter")
        walk.page.wait_for_url("**/kernels")
        for name in ("across", "up"):
            tab_to(f"#variables input[value={name}]")
            keys.press("Space")
        tab_to("#add")
        keys.press("Enter")
        walk.page.locator(".card").wait_for()
        tab_to(".atom input")
        keys.press("Control+a")
        keys.type("2")
        keys.press("Enter")
        walk.page.wait_for_function(
            "document.getElementById('kernels').value.startsWith('gaussian(width=2)')"
        )
        walk.page.locator("#learn:enabled").wait_for()
        tab_to("#learn")
        keys.press("Enter")
        walk.page.locator(".explorer .proof.sure").first.wait_for()
        before = walk.explorer("linear").locator(".lead").inner_text()
        tab_to(".explorer input[type=range]")
        keys.press("Home")
        assert walk.explorer("linear").locator(".lead").inner_text() != before
        walk.page.locator("#row").focus()
        keys.type("7")
        keys.press("Enter")
        walk.page.locator("#asked").wait_for()
