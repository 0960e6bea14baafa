# SPDX-License-Identifier: Apache-2.0
"""The actions of developers on the page of a component."""
import json
import unittest

import jsonschema
from sight_tests import violations
from support import PageTest
import shipped

CLIENT = "#sel=client/CartClient"


class Actions(PageTest):
    def shown(self, fragment=CLIENT, **options):
        server = self.serve("shop", tick=1, allows=1)
        return server, self.open(server.address + "?token=s3cret" + fragment, **options)

    def menu(self, page):
        return page.locator("#detail details.menu:has(summary[aria-label=Actions])")

    def choose(self, page, label):
        self.menu(page).locator("summary").click()
        self.menu(page).locator(f"button:text-is('{label}')").click()
        page.wait_for_selector("#dialog[open]")

    def done(self, page, server, count=1):
        self.until(page, lambda: len(server.get("actions")) == count)
        return server.get("actions")[-1]

    def test_latency_is_injected_after_a_confirmation_and_the_result_is_announced(self):
        server, page = self.shown(context=self.timed())
        self.choose(page, "Inject latency")
        self.assertEqual(page.inner_text("#titled"), "Inject latency: CartClient?")
        self.assertEqual(server.get("actions"), [])
        page.get_by_label("Seconds").fill("2.5")
        page.get_by_label("Minutes").fill("3")
        page.click("#dialog form button")
        made = self.done(page, server)
        self.assertEqual(made["path"], "/api/actions/fault")
        self.assertEqual(made["body"], {"component": "CartClient", "set": "latency", "value": 2.5, "seconds": 180})
        self.assertEqual((made["type"], made["site"]), ("application/json", "same-origin"))
        self.assertIn("token=s3cret", made["query"])
        self.assertEqual(made["origin"], server.address.rstrip("/"))
        self.until(page, lambda: "latency of CartClient until" in page.inner_text("#banner"))
        # What is announced waits for five seconds.
        page.clock.fast_forward(5000)
        self.until(page, lambda: "latency of CartClient until" in page.inner_text("#say"))
        self.assert_content(page)

    def test_what_was_pressed_is_chosen_though_the_page_changes_before_the_release(self):
        server, page = self.shown(context=self.timed())
        place = lambda: self.menu(page).bounding_box()
        before = place()
        self.choose(page, "End faults")
        page.click("#dialog form button")
        self.until(page, lambda: page.is_visible("#banner p"))
        self.assertEqual(place(), before, "a confirmation moves nothing")
        self.menu(page).locator("summary").click()
        entry = self.menu(page).locator("button:text-is('Shadow')").bounding_box()
        page.mouse.move(entry["x"] + 4, entry["y"] + 4)
        page.mouse.down()
        # The confirmation ends.
        page.clock.run_for(4000)
        page.mouse.up()
        page.wait_for_selector("#dialog[open]")
        self.assertEqual(page.inner_text("#titled"), "Shadow: CartClient?")

    def test_a_cancelled_or_invalid_action_does_nothing(self):
        server, page = self.shown()
        self.choose(page, "Inject errors")
        page.get_by_label("Share from 0 to 1").fill("2")
        page.click("#dialog form button")
        self.assertTrue(page.is_visible("#dialog"))
        page.keyboard.press("Escape")
        self.until(page, lambda: not page.is_visible("#dialog"))
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Actions")
        self.assertEqual(server.get("actions"), [])

    def test_the_keyboard_resets_a_breaker(self):
        server, page = self.shown()
        self.menu(page).locator("summary").focus()
        page.keyboard.press("Enter")
        for _ in range(3):
            page.keyboard.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Reset")
        page.keyboard.press("Enter")
        page.wait_for_selector("#dialog[open]")
        self.assertEqual(page.locator("#dialog input").count(), 0)
        page.locator("#dialog form button").focus()
        page.keyboard.press("Enter")
        self.assertEqual(self.done(page, server)["body"], {"component": "CartClient", "set": "reset"})

    def test_a_refusal_is_shown(self):
        self.expects_failing_requests = True
        server, page = self.shown()
        server.plant("refuse")
        self.choose(page, "End faults")
        page.click("#dialog form button")
        self.until(page, lambda: "There is no such component." in page.inner_text("#banner"))

    def test_each_kind_of_component_has_its_actions(self):
        server, page = self.shown()
        labels = lambda: [b.text_content() for b in self.menu(page).locator("button").all()]
        self.assertEqual(labels(), ["Force open", "Shadow", "Reset", "Inject latency", "Inject errors", "End faults"])
        capability = page.evaluate("[...document.querySelectorAll('#edges-to a, #detail a')].map((a) => a.hash).find((h) => h.includes('capability'))")
        self.assertTrue(capability)
        page.goto(server.address + "?token=s3cret" + capability)
        self.until(page, lambda: labels() == ["Take away", "Bring back"])

    def test_there_are_none_unless_the_process_allows_them(self):
        page = self.open(self.serve("shop").address + CLIENT)
        self.assertFalse(self.menu(page).is_visible())
        page = self.static(fragment=CLIENT)
        self.assertFalse(self.menu(page).is_visible())

    def test_the_menu_and_the_dialog_are_accessible(self):
        for options in ({}, {"color_scheme": "dark"}, {"forced_colors": "active"}, {"viewport": {"width": 390, "height": 844}}):
            with self.subTest(**options):
                _, page = self.shown(**options)
                self.menu(page).locator("summary").click()
                for opened in (lambda: None, lambda: self.menu(page).locator("button:text-is('Inject errors')").click()):
                    opened()
                    found = violations(page, "#detail", "#dialog")
                    self.assertEqual([(v["id"], v["nodes"][0]["html"]) for v in found], [])
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), page.evaluate("innerWidth"))

    def test_why_calls_are_slow_is_requested_and_shown(self):
        page = self.open(self.serve("shop").address + CLIENT)
        page.click("#why button:text-is('Why slow?')")
        self.until(page, lambda: "71 % of the excess is in HTTPNetwork.post" in page.inner_text("#why"))
        self.assertIn("15 above 200 ms, else about 30 ms", page.inner_text("#why"))
        self.assert_content(page)

    def test_the_bodies_that_the_page_sends_fit_the_schema(self):
        schema = json.loads((shipped.WEB / "actions-1.schema.json").read_text())
        fits = lambda part, body: jsonschema.Draft202012Validator({**schema["$defs"][part], "$defs": schema["$defs"]}).is_valid(body)
        self.assertTrue(fits("fault", {"component": "A", "set": "latency", "value": 2.5, "seconds": 180}))
        self.assertTrue(fits("breaker", {"component": "A", "set": "reset"}))
        self.assertFalse(fits("fault", {"component": "A", "set": "latency", "value": 0, "seconds": 180}))
        self.assertFalse(fits("capability", {"component": "A", "set": "away"}))


if __name__ == "__main__":
    unittest.main()
