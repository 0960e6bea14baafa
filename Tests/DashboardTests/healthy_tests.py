# SPDX-License-Identifier: Apache-2.0
"""An application without a fault has no problem on its page. It may miss limits that nobody confirmed.

AXIOM_PLANTED_FAULTS names the program; see planted_tests. On a machine that other programs keep busy, problems about delays do
not count.
"""
import re
import time
import unittest

from planted_tests import Application, Planted


class Healthy(Planted):
    def test_without_a_fault_there_is_no_problem(self):
        application = Application("none")
        self.addCleanup(application.end)
        began = time.monotonic()
        page = self.show(application)
        found = lambda: page.locator("#list a:not(.info)").all_inner_texts()

        def unexplained(text):
            # A shared machine may hold the main actor for a moment, also when nothing else runs on it.
            if text.startswith("Main actor"):
                return False
            delayed = application.waited() > 0.02 * (time.monotonic() - began)
            return not (delayed and (text.startswith("Budget ") or " slow: " in text))

        for _ in range(6):
            self.until(page, lambda: page.locator("#problems.good, #problems.info", has_text=re.compile("No problems|No failures")).count() or found())
            self.assertEqual([text for text in found() if unexplained(text)], [])
            self.until_update(page)
        self.assertEqual(page.locator("#errors tbody:not([aria-hidden]) tr").all_inner_texts(), [])
        self.upright(page)


if __name__ == "__main__":
    unittest.main()
