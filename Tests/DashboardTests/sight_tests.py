# SPDX-License-Identifier: Apache-2.0
"""Accessibility of the page: axe-core in every theme, use by keyboard only, and a text for every chart."""
import unittest

from axe_playwright_python.sync_playwright import Axe

from support import TALL, PageTest

LOOKS = {
    "light": {"color_scheme": "light"}, "dark": {"color_scheme": "dark"}, "forced colours": {"forced_colors": "active"},
    "320 px": {"viewport": {"width": 320, "height": 800}},
}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PLACES = [("shop", ""), *((("shop", f"#tab={view}")) for view in ("components", "errors", "latency", "process")), ("shop", "#sel=client/PaymentClient&density=roomy")]
CONTRAST = "color-contrast"
EMPTY = [("fresh", "#range=86400"), ("empty", "")]


def violations(page, *changed):
    """What axe-core finds on a page. `changed` selects what differs from the pages of this file: only there it looks at contrasts,
    which takes most of its time."""
    def found(context, options):
        return Axe().run(page, context, {"resultTypes": ["violations"], **options}).response["violations"]

    if not changed:
        return found(None, {"runOnly": RULES})
    shown = [[one] for one in changed if page.locator(one).count()]
    return found(None, {"runOnly": RULES, "rules": {CONTRAST: {"enabled": False}}}) + found({"include": shown}, {"runOnly": {"type": "rule", "values": [CONTRAST]}})


def without_scrolled_links(violations):
    """Axe takes a link that its scroller moved out of view to the left for a skip link. The graph has such links."""
    for found in violations:
        nodes = [node for node in found["nodes"] if found["id"] != "skip-link" or 'class="node ' not in node["html"]]
        if nodes:
            yield {**found, "nodes": nodes}


class Axes(PageTest):
    maxDiff = None

    def check(self, page, where, *changed):
        found = violations(page, *changed)
        self.assertEqual([(where, v["id"], v["help"], [node["html"][:200] + str(node["any"][:1])[:300] for node in v["nodes"][:3]]) for v in without_scrolled_links(found)], [])

    def test_axe_finds_nothing_in_any_look(self):
        for look, options in LOOKS.items():
            context = self.context(device_scale_factor=TALL["device_scale_factor"], **options)
            for sample, place in PLACES + (EMPTY if look == "light" else []):
                with self.subTest(f"{look}, {sample} {place}"):
                    page = self.static(sample, place, context=context)
                    # A panel is drawn when it becomes visible.
                    page.set_viewport_size({"width": page.viewport_size["width"], "height": 6000})
                    self.drawn(page)
                    self.check(page, f"{look} {place}")
                    page.close()

    def test_axe_finds_nothing_in_the_help_and_in_open_menus_and_tables(self):
        page = self.static()
        page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
        self.drawn(page)
        self.check(page, "opened")
        page.keyboard.press("?")
        self.drawn(page)
        self.check(page, "help")


class Keyboard(PageTest):
    def test_tab_reaches_every_control_and_the_focus_is_visible(self):
        reached, seen = set(), 0
        for place in ("", "#tab=components", "#tab=latency"):
            seen += self.walk(self.static(fragment=place), reached)
        self.assertGreater(seen, 60)
        self.assertTrue({"A", "BUTTON", "SELECT", "INPUT", "SUMMARY", "DIV", "a"} <= reached, reached)

    def walk(self, page, reached):
        """Adds the kinds of the elements that the tab key reaches, and returns how many show their focus."""
        seen = 0
        for _ in range(400):
            page.keyboard.press("Tab")
            about = page.evaluate("(() => { const e = document.activeElement, s = getComputedStyle(e); return [e.tagName, e.innerText?.slice(0, 20) || e.id || e.getAttribute('aria-label'), s.outlineStyle, e === document.body] })()")
            if about[3]:
                break
            reached.add(about[0])
            seen += about[2] != "none" or about[0] == "a"
        self.assertTrue(about[3], "the walk did not end")
        return seen

    def test_the_keys_do_what_the_help_says(self):
        page = self.static()
        page.keyboard.press("?")
        self.drawn(page)
        self.assertTrue(page.is_visible("#dialog"))
        for key in page.eval_on_selector_all("#dialog dt", "(list) => list.map((dt) => dt.textContent)"):
            self.assertIn(key, "/ p m Escape Ctrl-K ? a c l e b o g v".split())
        page.keyboard.press("Escape")
        self.until(page, "!document.querySelector('#dialog').open")
        page.keyboard.press("e")
        self.until(page, "document.activeElement.id === 'errors-title'")

    def test_a_key_right_after_a_dialog_was_closed_is_not_lost(self):
        page = self.static()
        page.keyboard.press("?")
        self.drawn(page)
        page.evaluate("const key = new KeyboardEvent('keydown', {key: 'e', bubbles: true}); const box = document.activeElement; document.querySelector('#dialog').close(); box.dispatchEvent(key)")
        self.until(page, "document.activeElement.id === 'errors-title'")

    def test_single_keys_can_be_turned_off(self):
        page = self.static(fragment="#keys=0")
        page.keyboard.press("e")
        self.drawn(page)
        self.assertNotIn("errors", page.url)

    def test_sorting_choosing_and_the_graph_work_by_keyboard(self):
        page = self.static(fragment="#tab=components")
        page.focus("#components thead button:has-text('Errors')")
        page.keyboard.press("Enter")
        self.drawn(page)
        self.assertEqual(page.get_attribute("#components thead th:has-text('Errors')", "aria-sort"), "descending")
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Errors")
        page.keyboard.press("g")
        self.drawn(page)
        page.focus(".node >> nth=3")
        page.keyboard.press("Enter")
        self.drawn(page)
        self.assertTrue(page.is_visible("#detail"))
        self.assertEqual(page.text_content(".node.on title"), page.inner_text("#detail-title"))


class Words(PageTest):
    def test_every_chart_has_a_sentence_and_a_table(self):
        page = self.static(**TALL)
        for view in page.query_selector_all("#nav a"):
            view.click()
            self.drawn(page)
            for figure in page.query_selector_all("main section:not([hidden]) figure"):
                said = figure.text_content()
                self.assertRegex(said, "now .*(rising|falling|steady)|nothing measured yet|calls, most|none in this range")
                figure.query_selector("details.as > summary").click()
                # The table is created when its element is opened.
                self.drawn(page)
                self.assertGreater(len(figure.query_selector_all("tr")), 1)

    def test_changes_are_announced_once_and_charts_are_not_live_regions(self):
        context = self.context()
        context.clock.install()
        page = self.static(context=context)
        self.assertEqual(page.locator("[aria-live]").count(), 1)
        page.clock.fast_forward(5000)
        self.until(page, lambda: "8 problems" in page.text_content("#say"))

    def test_nothing_overflows_at_320_px_and_at_4k(self):
        for width in (320, 640, 3840):
            page = self.static(viewport={"width": width, "height": 900})
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)

    def test_targets_are_at_least_24_px(self):
        page = self.static()
        small = page.evaluate("""[...document.querySelectorAll('button, select, summary, input[type=search], label, .node rect')].filter((e) => e.offsetParent !== null || e.tagName === 'rect')
            .map((e) => [e.textContent.slice(0, 20), e.getBoundingClientRect().height]).filter(([, high]) => high > 0 && high < 23.5)""")
        self.assertEqual(small, [])


if __name__ == "__main__":
    unittest.main()
