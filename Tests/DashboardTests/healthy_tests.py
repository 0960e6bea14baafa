# SPDX-License-Identifier: Apache-2.0
"""An application without a fault has no problem on its page.

AXIOM_PLANTED_FAULTS names the program; see planted_tests. The machine should be idle: under load actions miss their limits.
"""
import unittest

from planted_tests import Application, Planted


class Healthy(Planted):
    def test_without_a_fault_there_is_no_problem(self):
        application = Application("none")
        self.addCleanup(application.end)
        page = self.show(application)
        # A shared machine may hold the main actor for a moment, also when nothing else runs on it.
        excused = lambda: page.locator("#list a:not(.note)", has_text="Main actor").count()
        for _ in range(6):
            self.until(page, lambda: page.locator("#problems.good", has_text="No problems").count() or excused())
            self.assertEqual(page.locator("#list a", has_not_text="Main actor").all_inner_texts(), [])
            self.until_update(page)
        self.assertEqual(page.locator("#errors tbody:not([aria-hidden]) tr").all_inner_texts(), [])
        self.upright(page)


if __name__ == "__main__":
    unittest.main()
