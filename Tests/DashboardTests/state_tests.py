# SPDX-License-Identifier: Apache-2.0
"""The panel with the state of a client: its tree, its updates and what each changed."""
import json
import unittest

import jsonschema
from axe_playwright_python.sync_playwright import Axe

from support import PageTest, rows
import shipped
import states

PANEL = "#sel=client/CartClient&panel=state"


class StatePanel(PageTest):
    def shown(self, fragment=PANEL, tick=0.2, **options):
        server = self.serve("shop", tick=tick, inspects=1)
        page = self.open(server.address + fragment, **options)
        return server, page

    def ready(self, **options):
        server, page = self.shown(**options)
        page.wait_for_selector("#state .tree summary")
        return server, page

    def test_it_shows_the_state_as_a_tree_that_stays_open_while_the_state_changes(self):
        _, page = self.ready()
        parts = lambda: page.inner_text("#state .tree").split("\n")
        self.assertEqual(parts()[0], "CartState")
        self.assertIn("items: Array<Item>", parts())
        self.assertIn('script: "</script><img src=x onerror=alert(1)>"', parts())
        self.assertIn("token: <redacted>", parts())
        self.assertNotIn("0: Item", parts())
        page.focus("#state .tree li li summary")
        page.keyboard.press("Enter")
        self.until(page, lambda: "0: Item" in parts())
        count = lambda: next(line for line in parts() if line.startswith("count: "))
        before = count()
        self.until(page, lambda: count() != before)
        self.assertIn("0: Item", parts())
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "items: Array<Item>")
        self.assert_content(page)

    def test_it_lists_the_updates_with_their_causes_and_scrubs_through_them_by_keyboard(self):
        _, page = self.ready()
        self.until(page, lambda: len(rows(page, "state")) > 8)
        page.focus("#state input[type=range]")
        page.keyboard.press("Home")
        self.until(page, lambda: "count: 0" in page.inner_text("#state .tree"))
        self.assertIn("There is no earlier state", page.inner_text("#state"))
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        self.until(page, lambda: "count: 2" in page.inner_text("#state .tree"))
        self.assertIn("Update 2 by CartClient.add", page.inner_text("#state"))
        self.assertEqual(page.evaluate("[...document.querySelectorAll('#state tbody:not([aria-hidden]) tr')].slice(0, 2).map((tr) => tr.children[0].innerText)"), ["count", "items › 0 › price"])
        self.assertRegex(page.get_attribute("#state input[type=range]", "aria-valuetext"), r"^Update 2, CartClient.add, \d\d:\d\d:\d\d$")
        self.assertIn("trace=" + "2".zfill(32), page.get_attribute("#state a[href*=trace]", "href"))
        # The state that one reads stays while new updates come.
        newest = page.inner_text("#state .note")
        self.until(page, lambda: page.inner_text("#state .note") != newest)
        self.assertIn("count: 2", page.inner_text("#state .tree"))
        self.click(page, "#state button:has-text('Latest')")
        self.until(page, lambda: "count: 2\n" not in page.inner_text("#state .tree"))
        self.assert_content(page)

    def test_a_click_on_an_update_shows_it(self):
        server, page = self.ready(tick=3600)
        server.step(4)
        numbers = lambda: page.evaluate("[...document.querySelectorAll('#state tbody:not([aria-hidden]) tr')].map((tr) => tr.row.update).filter((n) => n != null)")
        self.until(page, lambda: len(numbers()) > 3)
        number = numbers()[1]
        page.click(f"#state tbody:not([aria-hidden]) tr:has(th span:text-is('{number}'))")
        self.until(page, lambda: f"count: {number}\n" in page.inner_text("#state .tree"))

    def test_subscribers_have_their_lag(self):
        _, page = self.ready()
        said = page.inner_text("#state dl")
        self.assertIn("CartContext\nup to date", said)
        self.assertIn("another subscriber\n4 pending, 1.5 s behind", said)

    def test_it_reads_states_only_while_it_is_in_view(self):
        server, page = self.ready(viewport={"width": 1280, "height": 700})
        page.evaluate("window.scrollTo(0, 0)")
        reads = lambda: len(server.get("state_reads"))
        self.until(page, lambda: page.evaluate("document.querySelector('#state').getBoundingClientRect().top > innerHeight + 150"))
        def rest():
            """Whether no more reads come: of those that were on their way, the last has arrived."""
            before = reads()
            server.pass_ticks(3)
            return reads() == before

        self.until(page, rest)
        before = reads()
        server.pass_ticks(24)
        self.drawn(page)
        self.assertEqual(reads(), before)
        page.evaluate("document.querySelector('#state').scrollIntoView()")
        self.until(page, lambda: reads() > before)

    def test_there_is_no_such_panel_without_the_option_and_for_other_components(self):
        server = self.serve("shop")
        page = self.open(server.address + "#sel=client/CartClient")
        self.assertTrue(page.is_hidden("#state"))
        self.assertEqual(server.get("state_reads"), [])
        for fragment in ("#sel=context/CartContext", ""):
            server, page = self.shown(fragment)
            self.assertTrue(page.is_hidden("#state"))
            self.assertEqual(server.get("state_reads"), [])

    def test_it_is_accessible_and_fits_a_narrow_screen(self):
        for options in ({}, {"color_scheme": "dark"}, {"viewport": {"width": 390, "height": 844}}):
            with self.subTest(**options):
                _, page = self.ready(**options)
                self.until(page, lambda: len(rows(page, "state")) > 4)
                found = Axe().run(page, context="#state")
                self.assertEqual([(v["id"], v["nodes"][0]["html"]) for v in found.response["violations"]], [])
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), page.evaluate("innerWidth"))

    def test_the_fake_states_fit_the_schema(self):
        schema = json.loads((shipped.WEB / "state-1.schema.json").read_text())
        made = states.States()
        for number in range(250):
            made.advance(1795270000 + number)
        for path, query in (("/api/state", {}), ("/api/state/3", {}), ("/api/state/3", {"update": "240"}), ("/api/state/9", {})):
            jsonschema.Draft202012Validator(schema).validate(made.answer(path, query)[1])


if __name__ == "__main__":
    unittest.main()
