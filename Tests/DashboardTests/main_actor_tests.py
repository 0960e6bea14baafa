# SPDX-License-Identifier: Apache-2.0
"""The panel of the main actor: what held it, links to the component and the trace, and the waits for clients."""
import unittest

import world
from support import TALL, PageTest, rows


class MainActor(PageTest):
    def lines(self, page):
        return page.evaluate("[...document.querySelectorAll('#hangs p.warn')].map((p) => p.innerText)")

    def test_each_hang_names_its_time_its_length_and_what_held_the_main_actor(self):
        page = self.static(fragment="#tab=latency", **TALL)
        self.assertEqual(self.lines(page), [
            f"▲ {self.time(page, 0)}, blocked for 1.2 s: CartContext.sort (likely) trace",
            f"▲ {self.time(page, 1)}, blocked for 140 ms: nothing of Axiom ran: other code of the application",
            f"▲ {self.time(page, 2)}, blocked for 312 ms: CheckoutContext.pay (seen) trace",
        ])
        self.assertEqual(page.inner_text("#hangs .head .note"), "3 hangs of 100 ms or more")
        self.assert_content(page)

    def time(self, page, line):
        return self.lines(page)[line].split(" ")[1].rstrip(",")

    def test_the_links_lead_to_the_component_and_to_the_trace(self):
        page = self.static(fragment="#tab=latency", **TALL)
        trace = page.get_attribute("#hangs p:last-child a:last-child", "href")
        self.assertIn("trace=" + "0" * 32, trace)
        self.click(page, "#hangs p:last-child a:first-of-type")
        self.assertEqual(page.inner_text("#detail-title"), "CheckoutContext")
        # The page of a component has its own hangs only.
        self.assertEqual(len(self.lines(page)), 1)

    def test_a_hang_that_lasts_says_so_and_a_healthy_application_has_none(self):
        made = world.World("quiet")
        page = self.open(self.file(made.snapshot) + "#tab=latency", **TALL)
        self.assertEqual(self.lines(page), [])
        self.assertEqual(page.inner_text("#hangs .head .note"), "never blocked for 100 ms")
        made.snapshot["hangs"] = [{"id": 1, "at": made.snapshot["capturedAt"] - 0.4, "seconds": 0.4, "component": 2, "action": "sort", "trace": None, "sure": True, "lasts": True, "cause": "seen"}]
        page = self.open(self.file(made.snapshot, name="lasting.html") + "#tab=latency", **TALL)
        self.assertRegex(self.lines(page)[0], "for 400 ms now: CartContext.sort")
        self.assertFalse(page.is_visible("#hangs p a:last-child"))

    def test_the_clients_are_listed_with_the_wait_for_their_actors(self):
        page = self.static(fragment="#tab=latency", **TALL)
        region = "hangs [aria-label^=Waiting]"
        waits = {row[0]: row[1] for row in rows(page, region)}
        self.assertEqual(waits["PaymentClient"], "20 µs")
        self.assertNotIn("HTTPNetwork", waits)

    def test_a_snapshot_without_these_fields_is_still_shown(self):
        shot = world.World("shop").snapshot
        del shot["hangs"], shot["history"]["fine"]["series"]["delay"]
        for row in shot["components"]:
            del row["wait"]
        page = self.open(self.file(shot) + "#tab=latency", **TALL)
        self.assertEqual(page.inner_text("#hangs .head .note"), "never blocked for 100 ms")
        self.assertIn("Nothing yet.", page.inner_text("#hangs"))
        self.assert_content(page)


if __name__ == "__main__":
    unittest.main()
