"""The page in a real browser: it loads without a word of complaint, and people can work with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satchel import Problem, ReportOptions, SolveOptions, report_page, solve
from satchel.beside import PackFiles
from satchel.report import Step

Show = Callable[..., Any]
ROWS = 20_500


@pytest.fixture(scope="module")
def page(linkbox: PackFiles) -> str:
    """The page of the small project."""
    return report_page(linkbox)


def complaints(browser: Any) -> list[str]:
    return [entry["message"] for entry in browser.get_log("browser")]


def cells(browser: Any, host: str, column: int) -> list[str]:
    rows = f"[...document.querySelectorAll('#{host} tr[data-row]')]"
    found: list[str] = browser.execute_script(f"return {rows}.map(r => r.children[{column}].innerText)")
    return found


def press(browser: Any, *keys: str) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


def focus(browser: Any, selector: str) -> None:
    browser.execute_script(f"document.querySelector({selector!r}).focus()")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (400, False), (400, True)])
def test_it_loads_in_each_size_and_theme_without_a_complaint(
    show: Show, page: str, width: int, dark: bool
) -> None:
    browser = show(page, width=width, dark=dark)
    assert complaints(browser) == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    paper = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert (sum(int(part) for part in paper[4:-1].split(",")) < 200) == dark
    drawn = browser.execute_script(
        "return [...document.querySelectorAll('.chart svg')].filter(s => s.clientWidth).length"
    )
    assert drawn == 2  # budget and files, once each
    fill = browser.execute_script(
        "return getComputedStyle(document.querySelector('.tree [data-i]')).fill"  # a variable of the page
    )
    assert fill.startswith("rgb")


def test_text_stands_out_from_what_is_behind_it(show: Show, page: str) -> None:
    """WCAG AA: 4.5 to 1 for text, in both themes."""
    script = """
      const canvas = document.createElement('canvas').getContext('2d');
      const rgb = (colour) => {
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
      };
      const linear = (v) => v / 255 <= 0.03928 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4;
      const light = (colour) => {
        const [r, g, b] = rgb(colour).map(linear);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const probe = document.body.appendChild(document.createElement('p'));
      const real = (name) => { probe.style.color = `var(${name})`; return getComputedStyle(probe).color; };
      const ratios = [];
      for (const text of ['--ink', '--soft', '--accent', '--good', '--warn', '--bad'])
        for (const back of ['--paper', '--card', '--track']) {
          const [a, b] = [light(real(text)), light(real(back))].sort((x, y) => y - x);
          ratios.push([text, back, (a + 0.05) / (b + 0.05)]);
        }
      probe.remove();
      return ratios;
    """
    for dark in (False, True):
        for text, back, ratio in show(page, dark=dark).execute_script(script):
            assert ratio >= 4.5, (dark, text, back, ratio)


def test_search_filter_and_sort_work_by_keyboard(show: Show, page: str, linkbox: PackFiles) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = show(page)
    tokens = sorted((unit.token_estimate for unit in linkbox.context.accepted_units), reverse=True)
    shown = [int(text.replace(",", "")) for text in cells(browser, "t-accepted", 4)]
    assert shown == tokens[: len(shown)]

    focus(browser, "#t-accepted thead th:nth-child(5) button")
    press(browser, Keys.ENTER)
    shown = [int(text.replace(",", "")) for text in cells(browser, "t-accepted", 4)]
    assert shown == tokens[::-1][: len(shown)]
    sort = browser.execute_script(
        "return document.querySelector('#t-accepted th:nth-child(5)').getAttribute('aria-sort')"
    )
    assert sort == "ascending"

    focus(browser, "#t-accepted input[type=search]")
    press(browser, "service.py")
    wanted = [u for u in linkbox.context.accepted_units if "service.py" in f"{u.id} {u.source_refs}"]
    assert wanted
    assert len(cells(browser, "t-accepted", 0)) == len(wanted)
    press(browser, "nothing at all")
    assert cells(browser, "t-accepted", 0) == []
    assert browser.find_element("css selector", "#t-accepted .none").is_displayed()

    focus(browser, "#t-left .chip")
    press(browser, Keys.SPACE)
    chip = browser.find_element("css selector", "#t-left .chip")
    assert chip.get_attribute("aria-pressed") == "true"
    count = int(chip.find_element("css selector", "b").text)
    status = browser.find_element("css selector", "#t-left .count").text
    assert f"of {count} " in status
    assert complaints(browser) == []


def test_a_row_opens_by_keyboard_and_arrows_move_between_rows(show: Show, page: str) -> None:
    from selenium.webdriver.common.keys import Keys

    browser = show(page)
    focus(browser, "#t-left .open")
    press(browser, Keys.ENTER)
    active = "return document.activeElement.getAttribute('aria-expanded')"
    assert browser.execute_script(active) == "true"
    more = browser.find_element("css selector", "#t-left .more")
    assert "satchel explain --why-rejected" in more.text
    assert "Scores" in more.text
    press(browser, Keys.ARROW_DOWN)
    assert browser.execute_script(active) == "false"
    assert browser.execute_script("return document.activeElement.closest('tr').sectionRowIndex") == 2


def test_a_tile_leads_to_what_is_in_from_its_file(show: Show, page: str) -> None:
    browser = show(page)
    tile = "document.querySelector('.wide.tree [data-i=\"0\"]')"
    browser.execute_script(f"{tile}.dispatchEvent(new MouseEvent('click', {{bubbles: true}}))")
    wanted = browser.execute_script("return document.querySelector('button[data-path]').dataset.path")
    field = browser.find_element("css selector", "#t-accepted input[type=search]")
    assert field.get_attribute("value") == wanted
    assert cells(browser, "t-accepted", 0)


def test_the_theme_can_be_chosen(show: Show, page: str) -> None:
    browser = show(page)
    button = browser.find_element("css selector", "#theme")
    paper = "return getComputedStyle(document.body).backgroundColor"
    light = browser.execute_script(paper)
    button.click()
    assert browser.execute_script(paper) == light
    button.click()
    assert browser.execute_script(paper) != light
    button.click()
    assert button.text == "Theme: system"


def test_each_control_has_a_name(show: Show, page: str) -> None:
    browser = show(page)
    tree = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})
    controls = ("button", "searchbox", "combobox", "link", "table", "image", "region")
    nameless = [
        node["role"]["value"]
        for node in tree["nodes"]
        if not node["ignored"]
        and node.get("role", {}).get("value") in controls
        and not node.get("name", {}).get("value")
    ]
    assert nameless == []


@pytest.mark.parametrize("solver", [False, True])
def test_a_hostile_repository_runs_nothing(show: Show, hostile: PackFiles, solver: bool) -> None:
    """Names and contents that are markup, script, links and templates stay text, wherever they are shown."""
    browser = show(report_page(hostile, ReportOptions(ask_solver=solver)))
    browser.execute_script(
        """
        const all = (selector) => document.querySelectorAll(selector);
        for (let n = 0; n < 9; n++) for (const b of all('.open[aria-expanded=false]')) b.click();
        for (const d of all('details')) d.open = true;
        for (const b of all('button[data-path]')) b.click();
        const over = new PointerEvent('pointermove', {bubbles: true});
        for (const m of all('[data-tip]')) m.dispatchEvent(over);
        """
    )
    assert browser.execute_script("return window.owned") is None
    assert complaints(browser) == []
    assert (
        browser.execute_script("return document.querySelectorAll('img, iframe, [onerror], [onload]').length")
        == 0
    )
    assert browser.execute_script("return document.scripts.length") == 2
    links = browser.execute_script("return [...document.links].map(a => a.getAttribute('href'))")
    assert all(link.startswith("#") for link in links)
    assert "onerror=" in browser.execute_script("return document.body.innerText")


@pytest.mark.parametrize(
    "attempt",
    [
        "document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=window.owned=1>')",
        "document.body.setAttribute('onclick', 'window.owned=1'); document.body.click()",
        "const s = document.createElement('script'); s.text = 'window.owned=1'; document.body.append(s)",
        "const a = document.createElement('a'); a.href = 'javascript:window.owned=1'; a.click()",
        "const i = new Image(); i.src = 'http://127.0.0.1:9/x.png'; document.body.append(i)",
        "fetch('http://127.0.0.1:9/x').catch(() => {})",
    ],
)
def test_the_policy_stops_what_would_get_in(show: Show, page: str, attempt: str) -> None:
    """Were something to slip through, it would still neither run nor reach a network."""
    browser = show(page)
    refused = browser.execute_script(f"try {{ {attempt} }} catch (e) {{ return e.message }}")
    assert browser.execute_script("return window.owned") is None
    words = " ".join([refused or "", *complaints(browser)])
    assert "Content Security Policy" in words or "Trusted" in words


def test_twenty_thousand_rows_stay_usable(show: Show) -> None:
    sizes = [10 + number % 90 for number in range(ROWS)]
    problem = Problem.build(400, sizes, [1 + number % 7 for number in range(ROWS)])
    context = solve(problem, SolveOptions(solver="greedy"))
    assert context.counts.rejected > 20_000
    page = report_page(
        PackFiles(Path("a.json"), context, problem, text=None, lacking=()),
        ReportOptions(ask_solver=False),
    )
    browser = show(page)
    assert complaints(browser) == []
    assert browser.execute_script("return document.querySelectorAll('tr').length") < 400
    script = """
      const field = document.querySelector('#t-left input[type=search]');
      const times = [];
      for (const text of ['u1', 'u12', 'u1234', '']) {
        const begin = performance.now();
        field.value = text; field.dispatchEvent(new Event('input'));
        document.querySelector('#t-left table').getBoundingClientRect();
        times.push(performance.now() - begin);
      }
      for (const head of document.querySelectorAll('#t-left thead button')) {
        const begin = performance.now();
        head.click();
        document.querySelector('#t-left table').getBoundingClientRect();
        times.push(performance.now() - begin);
      }
      return times;
    """
    assert max(browser.execute_script(script)) < 1_000  # milliseconds, on a busy machine
    focus(browser, "#t-left input[type=search]")
    press(browser, "u01234")
    assert cells(browser, "t-left", 0)[0].startswith("u01234")


def test_hostile_names_of_a_problem_run_nothing(show: Show, tmp_path: Path) -> None:
    """A problem file may come from anywhere: names of zones, dimensions and groups are text, too."""
    bad = "</script><script>window.owned=1</script><img src=x onerror=window.owned=1>"
    bad += "\"'`${7*7}{{7*7}}\u202e\x07"
    units = [
        {
            "id": f"{bad}{n}",
            "title": bad,
            "tokenEstimate": 10,
            "relevanceScore": 0.5,
            "zone": bad,
            "coverage": {bad: 0.5},
            "redundancyGroups": [bad],
            "tags": [bad],
            "sourceRefs": [{"path": f"{bad}/{bad}{n}"}],
            **({"dependencies": [f"{bad}{n - 1}"]} if n else {}),
        }
        for n in range(4)
    ]
    problem = Problem.from_data(
        {
            "schemaVersion": "packing-problem.v1",
            "task": {"kind": bad, "about": bad},
            "envelope": {"availableInputTokens": 25, "zones": [{"name": bad, "maxTokens": 20}]},
            "coverage": [{"name": bad}],
            "redundancyGroups": [{"id": bad, "members": [], "policy": "keep_all", "penalty": 1}],
            "units": units,
        }
    )
    files = PackFiles(Path("a.json"), solve(problem), problem, text=None, lacking=(bad,))
    steps = [Step(0.0, bad, 1.0, 2.0), Step(1.0, bad, 2.0, 2.0)]
    browser = show(report_page(files, ReportOptions(named=bad, timeline=steps)))
    browser.execute_script("for (const b of document.querySelectorAll('.open')) b.click()")
    assert browser.execute_script("return window.owned") is None
    assert complaints(browser) == []
    assert browser.execute_script("return document.querySelectorAll('img, main script').length") == 0
    shown = browser.execute_script("return document.body.innerText")
    assert "<img src=x" in shown
    assert "\u202e" not in shown
    assert "49" not in browser.execute_script("return document.querySelector('h1').innerText")


def test_the_menu_begins_at_the_top_and_zones_have_one_spelling(show: Show, page: str) -> None:
    browser = show(page)
    current = browser.find_elements("css selector", "nav a[aria-current]")
    assert [link.get_attribute("href").partition("#")[2] for link in current] == ["overview"]
    names = set(cells(browser, "t-accepted", 2))
    table = "return [...document.querySelectorAll('#budget tbody th')].map((cell) => cell.textContent)"
    assert names
    assert names <= set(browser.execute_script(table))
