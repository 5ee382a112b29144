"""Claims about a study's page in a browser: it computes what Python computes, asks nothing, and all can use it."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from dataclasses import replace

import numpy as np
import pytest

from browsing import WHY_NOT, Opened, chromium
from chemin.engine.further import further
from chemin.engine.proof.certificate import certificate_of
from chemin.report import html
from chemin.report.explorer import carried
from chemin.study import learn
from studied import HOSTILE, RECIPES, shared_by_processes, study_of

pytestmark = pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)

LANGUAGES = {"french": "fr"}
ASKED = 50  # values of λ₁
_DATA = re.compile(r'(<script type="application/json" id="study">)(.*?)(</script>)', re.DOTALL)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return shared_by_processes(tmp_path_factory)


@pytest.fixture(scope="module")
def browser():
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def write(base, tmp_path_factory):
    """Return a function that writes a page, and returns its study and its place."""
    folder = tmp_path_factory.mktemp("pages")

    def written(name, change=lambda page: page, **options):
        study = study_of(name, base)
        page = html(study, LANGUAGES.get(name, "en"), **options)
        place = folder / f"{name}.html"
        place.write_text(change(page), encoding="utf-8")
        return study, place

    return written


@pytest.mark.parametrize("name", RECIPES)
def test_a_page_asks_nothing_complains_of_nothing_and_fits_its_window(name, browser, write):
    _, place = write(name)
    for width in (400, 1400):
        with Opened(browser, place, width=width) as opened:
            opened.page.wait_for_selector(".proof.sure")
            assert opened.requests == []
            assert opened.errors == []
            assert opened.overflow == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", RECIPES)
def test_axe_finds_nothing_serious(name, scheme, browser, write):
    pytest.importorskip("axe_playwright_python")
    _, place = write(name)
    with Opened(browser, place, scheme=scheme) as opened:
        opened.page.wait_for_selector(".proof.sure")
        assert opened.violations() == []


def columns_of(problem):
    return problem.dictionary.columns(np.arange(problem.dictionary.shape[1]))


@pytest.mark.parametrize("model", ["linear", "basis"])
@pytest.mark.parametrize("name", RECIPES)
def test_gap_and_decisions_are_those_of_python_at_any_l1(name, model, browser, write):
    study, place = write(name)
    with Opened(browser, place) as opened:
        for number, machine in enumerate(study.model(model)[-1].estimators_[:2]):
            path = further(machine.path_, 0.25 * machine.l1_, 6000)
            problem = path.problem
            rng = np.random.default_rng(number)
            asked = np.exp(rng.uniform(np.log(path.l1[-1]), np.log(path.l1[0]), ASKED))
            found = opened.run(
                """([model, number, asked]) => {
                  const explorer = chemin.explorers.find((one) => one.element.dataset.model === model);
                  explorer.open(number);
                  const proofs = asked.map((l1) => explorer.machine.prove(l1));
                  return proofs.map((proof) => ({ ...proof, score: Array.from(proof.score) }));
                }""",
                [model, number, asked.tolist()],
            )
            coef = np.array([path.coef_at(l1) for l1 in asked])
            intercept = np.array([path.intercept_at(l1) for l1 in asked])
            dual = np.array([path.dual_at(l1) for l1 in asked])
            proved = certificate_of(problem, coef, intercept, asked, dual)
            scores = problem.label * (intercept[:, None] + coef @ columns_of(problem).T)
            size = max(1.0, np.abs(scores).max())
            np.testing.assert_allclose(
                [one["score"] for one in found], scores, rtol=0.0, atol=1e-9 * size
            )
            np.testing.assert_allclose(
                [one["gap"] for one in found], proved.gap, rtol=0.0, atol=1e-9
            )
            np.testing.assert_allclose(
                [one["objective"] for one in found], proved.primal, rtol=1e-9
            )


def tampered(page):
    """Change one number of the linear model's coefficients: the last one by a part in a thousand."""
    opening, data, closing = _DATA.search(page).groups()
    study = json.loads(data)
    value = study["models"]["linear"]["machines"][0]["coef"]["value"]
    numbers = np.frombuffer(b64decode(value["data"])).copy()
    numbers[np.argmax(np.abs(numbers))] *= 1.001
    value["data"] = b64encode(numbers.tobytes()).decode()
    changed = json.dumps(study, separators=(",", ":"))
    changed = changed.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
    return page.replace(opening + data + closing, opening + changed + closing)


def test_a_coefficient_that_was_tampered_with_turns_the_proof_red(browser, write):
    _, place = write("hostile", tampered)
    with Opened(browser, place) as opened:
        worst = opened.run(
            """() => {
              const [{ machine }] = chemin.explorers;
              const gaps = Array.from(machine.l1, (l1) => machine.prove(l1).gap);
              return machine.l1[gaps.indexOf(Math.max(...gaps))];
            }"""
        )
        opened.run("(l1) => chemin.explorers[0].move(l1)", worst)
        told = opened.page.locator(".proof.wrong").first
        told.wait_for()
        assert told.text_content().startswith("✗ Not optimal")


def test_names_and_cells_that_try_to_be_script_or_markup_stay_text(browser, write):
    _, place = write("hostile")
    with Opened(browser, place) as opened:
        assert "what tells target" in opened.page.title()
        assert opened.page.locator("img, i, b").count() == 0
        assert opened.page.locator("script").count() == 2
        text = opened.page.locator("main").inner_text()
        assert HOSTILE[0] in text
        assert HOSTILE[1] in text
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_a_page_runs_no_script_but_its_own(browser, write):
    _, place = write(
        "plane", lambda page: page.replace("</body>", "<script>window.strange = 1</script></body>")
    )
    with Opened(browser, place) as opened:
        assert opened.run("window.strange") is None
        assert any("Content Security Policy" in error for error in opened.errors)


def test_the_slider_moves_by_keys_and_everything_follows_it(browser, write):
    _, place = write("plane")
    with Opened(browser, place) as opened:
        opened.page.wait_for_selector(".proof.sure")
        slider = opened.page.locator("input[type=range]").nth(1)
        boundary = opened.page.locator(".border").nth(1)
        before = opened.page.locator(".lead").nth(2).text_content(), boundary.get_attribute("d")
        slider.focus()
        for _ in range(5):
            opened.page.keyboard.press("PageUp")
        after = opened.page.locator(".lead").nth(2).text_content(), boundary.get_attribute("d")
        assert after[0] != before[0]
        assert after[1] != before[1]
        assert slider.get_attribute("aria-valuetext").startswith("λ₁ = ")
        opened.page.keyboard.press("End")
        assert ": 0 terms" in opened.page.locator(".lead").nth(2).text_content()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("plane", r"(\d+) of the (\d+) rows learned from are on the side of their class\."),
        ("number", r"Predictions of the (\d+) rows learned from are off by [\d.]+ on average\."),
        ("images", r"(\d+) pixels speak for 8, (\d+) for 3\."),
    ],
)
def test_a_picture_is_told_in_a_sentence(name, said, browser, write):
    study, place = write(name)
    with Opened(browser, place) as opened:
        opened.page.wait_for_selector(".proof.sure")
        told = opened.page.locator(".explorer figure p").first
        told.filter(has_text=re.compile(r"\w")).wait_for()  # until the page has drawn
        found = re.fullmatch(said, told.text_content())
        assert found, told.text_content()
        model = study.model("linear")[-1].estimators_[0]
        coef = model.path_.coef_at(opened.run("chemin.explorers[0].l1"))
        if name == "images":
            assert [int(one) for one in found.groups()] == [(coef > 0).sum(), (coef < 0).sum()]
        else:
            assert int(found.groups()[-1]) == study.document.split.train


def test_events_are_told_in_words_and_buttons_go_from_one_to_the_next(browser, write):
    _, place = write("hostile")
    with Opened(browser, place) as opened:
        explorer = opened.page.locator(".explorer").first
        explorer.locator("input[type=range]").focus()
        opened.page.keyboard.press("End")
        explorer.get_by_role("button", name="next event").click()
        explorer.get_by_text("enters").wait_for()
        assert " terms" in explorer.locator(".lead").text_content()


def test_the_terms_of_a_case_add_up_to_its_decision(browser, write):
    study, place = write("hostile")
    with Opened(browser, place) as opened:
        opened.run("chemin.explorers[0].move(0.5 * chemin.explorers[0].machine.first)")
        explorer = opened.page.locator(".explorer").first
        explorer.locator("select").select_option(index=1)
        told = explorer.locator("tr:last-child .number").last.text_content()
        first = study.document.cases[0]
        l1 = opened.run("chemin.explorers[0].l1")
        machine = study.model("linear")[-1].estimators_[0]
        at = study.arrays["cases/X"][0] @ machine.path_.coef_at(l1) + machine.path_.intercept_at(l1)
        sign = float(study.arrays["linear/0/sign"])
        assert first.row in explorer.locator("option").nth(1).text_content()
        assert float(told.split("→")[1]) == pytest.approx(sign * float(at), rel=1e-3)


def test_a_page_in_french_has_french_words_and_decimals(browser, write):
    _, place = write("french")
    with Opened(browser, place) as opened:
        assert opened.run("document.documentElement.lang") == "fr"
        explorer = opened.page.locator(".explorer").first
        explorer.locator(".proof").first.filter(has_text="Optimal").wait_for()
        text = explorer.inner_text()
        assert re.search(r"λ₁ = \d+,\d", text)
        assert not re.search(r"\d\.\d", text)


def test_of_several_classes_one_picks_the_machine(browser, write):
    _, place = write("three")
    with Opened(browser, place) as opened:
        explorer = opened.page.locator(".explorer").first
        choice = explorer.get_by_label("Which machine")
        assert choice.locator("option").count() == 3
        first = explorer.locator(".lead").text_content()
        choice.select_option(index=2)
        assert explorer.locator(".lead").text_content() != first
        explorer.locator(".proof.sure").first.wait_for()


def test_couples_of_images_are_drawn_with_the_window_that_their_kernel_sees(browser, write):
    _, place = write("images")
    with Opened(browser, place) as opened:
        explorer = opened.page.locator(".explorer").nth(1)
        frame = explorer.locator("tr:not([hidden]) .thumbnail .frame").first
        assert [frame.get_attribute(side) for side in ("width", "height")] == ["4", "4"]


def test_a_redacted_page_takes_pythons_word_and_says_so(browser, write):
    _, place = write("hostile", redact=True)
    with Opened(browser, place) as opened:
        told = opened.page.locator(".proof.word").first
        told.wait_for()
        assert told.text_content().startswith("Python’s word")
        assert opened.run("chemin.page.learned") is None
        assert opened.errors == []


def test_where_breakpoints_were_left_out_the_page_says_so_between_them_and_proves_the_others(
    browser, write, monkeypatch
):
    monkeypatch.setattr(carried, "_MOST_NUMBERS", 2000)
    _, place = write("hostile")
    with Opened(browser, place) as opened:
        kinds = opened.run(
            """() => {
              const { machine, teller } = chemin.explorers[1];
              const middles = Array.from(machine.l1.slice(1), (l1, k) => Math.sqrt(l1 * machine.l1[k]));
              const kinds = (places) => Array.from(places, (l1) => teller.verdict(l1).kind);
              return { at: kinds(machine.l1), between: kinds(middles) };
            }"""
        )
        assert set(kinds["at"]) == {"sure"}
        assert "near" in kinds["between"]
        assert "wrong" not in kinds["between"]


def test_a_path_to_a_tolerance_is_said_to_be_one(browser, tmp_path, monkeypatch):
    monkeypatch.setattr("chemin.estimators.plan._MANY_ROWS", 50)
    recipe = replace(RECIPES["hostile"](tmp_path), models=("linear",))
    study = learn(recipe, tmp_path / "study")
    place = tmp_path / "redacted.html"
    place.write_text(html(study, redact=True), encoding="utf-8")
    with Opened(browser, place) as opened:
        opened.page.get_by_text("Python’s word: a path to a tolerance of 0.001").wait_for()
    place = tmp_path / "loose.html"
    place.write_text(html(study), encoding="utf-8")
    with Opened(browser, place) as opened:
        opened.page.get_by_text("✓ A path to a tolerance of 0.001").wait_for()
        kinds = opened.run(
            """() => {
              const { machine, teller } = chemin.explorers[0];
              const range = Math.log(machine.first / machine.last);
              const asked = Array.from({ length: 50 }, (_, k) => machine.first * Math.exp((-range * k) / 49.5));
              return asked.map((l1) => teller.verdict(l1).kind);
            }"""
        )
        assert set(kinds) == {"sure"}


def test_on_paper_there_is_a_still_curve_instead_of_a_slider(browser, write):
    _, place = write("plane")
    with Opened(browser, place) as opened:
        opened.page.emulate_media(media="print")
        assert opened.page.locator("figure.still").first.is_visible()
        assert not opened.page.locator(".slider").first.is_visible()
