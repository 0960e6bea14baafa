# SPDX-License-Identifier: Apache-2.0
"""Names that look like markup, code, addresses or formulas are shown unchanged and have no effect."""
import csv
import io
import unittest

import world
from support import GIVEN_URL, PageTest

MARK = "window.alert = (x) => { window.__alerted = x; }"


class Hostile(PageTest):
    def walk(self, page):
        for link in page.query_selector_all("#nav a:not([hidden])"):
            # A link may have gone with the component that was chosen.
            if link.is_visible():
                link.click()
                self.drawn(page)
        page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
        self.drawn(page)

    def verify(self, page):
        self.assertIsNone(page.evaluate("window.__alerted ?? null"))
        self.assertEqual(page.locator("main script, main img, main base, main style, main iframe").count(), 0)
        self.assertNotIn("cannot show", page.inner_text("#banner"))
        self.assert_content(page)

    def test_in_a_file(self):
        context = self.context()
        context.add_init_script(MARK)
        page = self.static("hostile", context=context)
        self.walk(page)
        for view in page.query_selector_all("#nav a"):
            view.click()
            self.walk(page)
        self.verify(page)
        names = page.eval_on_selector_all("#components tbody a", "(list) => list.map((b) => b.textContent)")
        self.assertIn("<script>alert(1)</script>", names)

    def test_with_one_chosen(self):
        context = self.context()
        context.add_init_script(MARK)
        page = self.static("hostile", context=context)
        self.walk(page)
        self.click(page, "#nav a:has-text('Components')")
        page.locator("#components tbody a").nth(3).click()
        self.walk(page)
        self.verify(page)

    @unittest.skipIf(GIVEN_URL, "needs the fake server")
    def test_live(self):
        context = self.context()
        context.add_init_script(MARK)
        page = self.open(self.serve("hostile").address, context)
        self.walk(page)
        self.verify(page)

    def test_in_the_address(self):
        page = self.static("shop", "#sel=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&q=%3Cscript%3E&range=NaN&rate=-1&theme=%22&sort.components=__proto__&cols=constructor&kind=x&density=%22%3E&zoom=1")
        self.walk(page)
        self.verify(page)

    def test_a_formula_is_text_in_csv(self):
        page = self.static("hostile", "#tab=components", context=self.context(permissions=["clipboard-read", "clipboard-write"]))
        page.click("#components .menu summary:has-text('Copy')")
        page.click("#components .menu button:has-text('CSV')")
        page.wait_for_selector("#banner:has-text('Copied as CSV')")
        cells = [cell for row in csv.reader(io.StringIO(page.evaluate("navigator.clipboard.readText()"), newline="")) for cell in row]
        self.assertTrue(any(cell == "'=1+1" for cell in cells))
        self.assertEqual([cell for cell in cells if cell[:1] in ("=", "@", "+")], [])

    def test_without_storage_and_clipboard_everything_else_works(self):
        context = self.context()
        context.add_init_script("Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('denied', 'SecurityError'); }})")
        page = self.static(context=context)
        page.click("summary:has-text('Settings')")
        page.select_option("label:has-text('Theme') select", "dark")
        self.drawn(page)
        self.click(page, "#nav a:has-text('Errors')")
        page.click("#errors .menu summary")
        page.click("#errors .menu button:has-text('CSV')")
        page.wait_for_selector("#dialog textarea, #banner:has-text('Copied')")
        self.assert_content(page)

    def test_values_that_are_not_numbers_are_not_shown_as_numbers(self):
        shot = world.World("shop").snapshot
        shot["components"][0].update(calls=None, p50="NaN", p99=[], rate={}, errors=True)
        page = self.open(self.file(shot))
        self.assertIn("–", page.text_content("#components"))
        self.assertNotIn("NaN", page.inner_text("#components"))
        self.assertNotIn("[object", page.inner_text("#components"))


if __name__ == "__main__":
    unittest.main()
