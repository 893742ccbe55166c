"""Walks a running app as a visitor does: by the menu and the tabs, never by typing an address.

    python -m tests.browser.visitor http://localhost:8501 [--sizes desktop phone]
        [--themes light dark] [--fold] [--only journeys tabs] [--shots FOLDER]

Journeys go from every page to every other by the menu: a third of them from a fresh start, a third
from a link with a review in it, a third with a review typed. No error box may stand there, and the
review has to stay. Then every tab and button group of every page is clicked: no error box, nothing
scrolls sideways.
Nothing may be asked of another host. With ``--fold``, the first result of a page (a chart, a table,
a metric, or a container whose key begins with "result") has to begin within the first screen when
the page is opened for its tabs.

Prints one line a finding; exit status 1 when there is one.
"""

import argparse
import itertools
import shutil
import sys
from pathlib import Path
from urllib.parse import quote, urlsplit

from playwright.sync_api import Browser, BrowserContext, Error, Page, Request, sync_playwright

SIZES = {"desktop": {"width": 1280, "height": 800}, "phone": {"width": 390, "height": 844}}
FOLD = {"desktop": 330, "phone": 480}  # pixels within which the first result has to begin
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
LINKS = "[data-testid=stSidebarNavLink], [data-testid=stTopNavLink]"
ERRORS = "[data-testid=stException], [data-testid=stAlertContentError]"
RESULTS = ", ".join(
    (
        ".js-plotly-plot",
        "[data-testid=stVegaLiteChart]",
        "[data-testid=stDataFrame]",
        "[data-testid=stMetric]",
        "[data-testid=stTable]",
        "iframe",
        "[class*=st-key-result]",
    )
)
GROUPS = "[data-testid=stButtonGroup]:visible, [role=tablist]:visible"
BUSY = "[data-testid=stStatusWidget], [data-testid=stSkeleton], [data-test-script-state=running]"
TYPED, LINKED = "A quiet film that I loved, boring title aside", "Not a bad film, is it?"
TOO_WIDE = """() => {
  const main = document.querySelector('[data-testid=stMain]') || document.documentElement
  return main.scrollWidth - main.clientWidth
}"""
NOWHERE = 9999.0
HIGHEST = """(selector) => Math.min(9999, ...[...document.querySelectorAll(selector)]
  .map((element) => element.getBoundingClientRect())
  .filter((box) => box.height > 30)
  .map((box) => box.top))"""


class Visitor:
    """One size and theme of a browser; what is wrong gathers in ``findings``."""

    def __init__(
        self,
        browser: Browser,
        address: str,
        size: str,
        theme: str,
        shots: Path | None = None,
        *,
        fold: bool = False,
    ) -> None:
        self.browser, self.address = browser, address.rstrip("/")
        self.size, self.theme, self.shots, self.fold = size, theme, shots, fold
        self.findings: list[str] = []
        self.strayed: set[str] = set()
        self.clicked = 0

    def fresh(self) -> tuple[BrowserContext, Page]:
        """A browser that has never been here."""
        phone = self.size == "phone"
        context = self.browser.new_context(
            viewport=SIZES[self.size], color_scheme=self.theme, is_mobile=phone, has_touch=phone
        )
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("request", self._watch)
        return context, page

    def _watch(self, request: Request) -> None:
        home = urlsplit(self.address).netloc
        if request.url.startswith(("http", "ws")) and urlsplit(request.url).netloc != home:
            self.strayed.add(request.url[:120])

    def settle(self, page: Page, patience: int = 40_000) -> None:
        """Wait until the page stands; a page that polls is left alone after ``patience``."""
        page.wait_for_selector("h1, h2", timeout=60_000)
        quiet = f"() => !document.querySelector('{BUSY}')"
        for _ in range(5):
            try:
                page.wait_for_function(quiet, timeout=patience)
            except Error:
                break
            page.wait_for_timeout(400)
            if page.evaluate(quiet):
                break

    def menu(self, page: Page) -> list[str]:
        self._open_menu(page)
        return [name.strip() for name in page.locator(LINKS).all_inner_texts()]

    def _open_menu(self, page: Page) -> None:
        link = page.locator(LINKS).first
        expand = page.locator("[data-testid=stExpandSidebarButton]")
        box = link.bounding_box() if link.count() and link.is_visible() else None
        if (box is None or box["x"] + box["width"] <= 0) and expand.count():
            expand.first.click()
            link.wait_for(state="visible")
            page.wait_for_timeout(500)

    def click_menu(self, page: Page, name: str) -> None:
        self._open_menu(page)
        page.locator(LINKS).filter(has_text=name).first.click()
        page.wait_for_timeout(700)
        collapse = page.locator("[data-testid=stSidebarCollapseButton] button")
        if self.size == "phone" and collapse.count() and collapse.first.is_visible():
            collapse.first.click()  # the menu lies over the page until it is closed
            page.wait_for_timeout(500)
        self.settle(page)

    def review(self, page: Page) -> str | None:
        """The review in the bar; None on a page without one."""
        box = page.get_by_label("Review", exact=True)
        return box.first.input_value() if box.count() and box.first.is_visible() else None

    def type_review(self, page: Page, text: str) -> None:
        box = page.get_by_label("Review", exact=True).first
        box.fill(text)
        box.press("Enter")
        self.settle(page)

    def note(self, where: str, what: str, page: Page) -> None:
        self.findings.append(f"{self.size} {self.theme} | {where} | {what}")
        if self.shots:
            self.shots.mkdir(parents=True, exist_ok=True)
            name = f"{len(self.findings):03d}-{self.size}-{self.theme}.png"
            page.screenshot(path=self.shots / name)

    def look(self, page: Page, where: str) -> None:
        boxes = page.locator(ERRORS)
        if boxes.count():
            self.note(where, f"error box: {boxes.first.inner_text()[:100]!r}", page)
        if page.get_by_text("WebGL is not supported").count():
            self.note(where, "an empty figure: it needs WebGL, which not every browser has", page)
        over = page.evaluate(TOO_WIDE)
        if over > 2:
            self.note(where, f"scrolls sideways by {over} px", page)

    def journeys(self) -> None:
        """From every page to every other by the menu: a walk from each page, in a new session."""
        context, page = self.fresh()
        page.goto(self.address)
        self.settle(page)
        names = self.menu(page)
        ways = itertools.cycle(("fresh", "link", "typed"))
        for start, way in zip(range(len(names)), ways, strict=False):
            self._journey(page, names, start, way)
        context.close()

    def _journey(self, page: Page, names: list[str], start: int, way: str) -> None:
        """Walk on by one place of the menu, then by two, then by three, round and round: the walks
        from all pages together take each way from one page to another once.
        """
        query = f"?text={quote(LINKED)}" if way == "link" else ""
        page.goto(f"{self.address}/{quote(names[start]) if start else ''}{query}")
        self.settle(page)
        kept = self.review(page)
        if way == "typed" and kept is not None:
            self.type_review(page, TYPED)
            kept = self.review(page)
        at = start
        for places in range(1, len(names)):
            here, at = at, (at + places) % len(names)
            self.click_menu(page, names[at])
            where = f"{names[here]} ({way}) → {names[at]}"
            self.look(page, where)
            shown = self.review(page)
            if shown is not None and (not shown.strip() or kept not in (None, shown)):
                self.note(where, f"the review was {kept!r} and became {shown!r}", page)
            kept = shown or kept

    def tabs(self) -> None:
        """Every choice of every button group, one after the other, from a fresh page."""
        context, page = self.fresh()
        page.goto(self.address)
        self.settle(page)
        for name in self.menu(page):
            self.click_menu(page, name)
            self.look(page, name)
            if self.fold:
                self._look_at_fold(page, name)
            for group in range(page.locator(GROUPS).count()):
                self._click_through(page, name, group)
            page.goto(self.address)
            self.settle(page)
        context.close()

    def _click_through(self, page: Page, name: str, group: int) -> None:
        for choice in range(16):
            if group >= page.locator(GROUPS).count():
                return
            choices = page.locator(GROUPS).nth(group).locator("button, [role=tab]")
            if choice >= choices.count():
                return
            label = choices.nth(choice).inner_text().strip()[:30]
            try:
                choices.nth(choice).click(timeout=10_000)
            except Error:
                continue
            self.clicked += 1
            self.settle(page, 15_000)
            self.look(page, f"{name}: {label}")

    def _look_at_fold(self, page: Page, name: str) -> None:
        """How far down the first result of a page begins."""
        top, limit = self._highest(page), FOLD[self.size]
        where = f"{self.size} {self.theme} | {name}"
        print(f"{where} | first result begins {top:.0f} px down", flush=True)
        if top > limit:
            self.note(name, f"the first result begins {top:.0f} px down, not {limit}", page)

    def _highest(self, page: Page) -> float:
        """Where the first result begins, as soon as it stays there."""
        top, before = NOWHERE, -1.0
        for _ in range(20):
            if top == before != NOWHERE:
                break
            page.wait_for_timeout(700)
            before, top = top, page.evaluate(HIGHEST, RESULTS)
        return top


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("address")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=list(SIZES))
    parser.add_argument("--themes", nargs="+", choices=("light", "dark"), default=["light"])
    parser.add_argument("--fold", action="store_true")
    parser.add_argument("--only", nargs="+", choices=("journeys", "tabs"), default=None)
    parser.add_argument("--shots", type=Path)
    options = parser.parse_args()
    findings: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        for number, way in enumerate(itertools.product(options.sizes, options.themes)):
            visitor = Visitor(browser, options.address, *way, options.shots, fold=options.fold)
            for what in options.only or ("journeys", "tabs"):
                if what != "journeys" or number == 0:  # they depend on neither size nor theme
                    getattr(visitor, what)()
            strayed = sorted(visitor.strayed)
            findings += visitor.findings
            findings += [f"{' '.join(way)} | asked another host: {url}" for url in strayed]
            print(f"{' '.join(way)} | {visitor.clicked} tabs and choices clicked", flush=True)
        browser.close()
    print("\n".join(findings) or "nothing found")
    print(f"{len(findings)} findings")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
