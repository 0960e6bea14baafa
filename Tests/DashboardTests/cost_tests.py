# SPDX-License-Identifier: Apache-2.0
"""What the page costs, in counts: bytes, nodes, and memory that stays. Times are measured by benchmark.py."""
import json
import unittest

import world
from support import GIVEN_URL, PageTest, eventually, rows

# Counts what the page does in its frames.
COUNTING = "window.__drawings = 0; window.requestAnimationFrame = ((ask) => (draw) => ask((at) => (__drawings++, draw(at))))(requestAnimationFrame);"


# Counts the nodes that the document holds, text and comments included.
HELD = "document.evaluate('count(//node())', document, null, XPathResult.NUMBER_TYPE).numberValue"


class Cost(PageTest):
    def garbage(self, page):
        """The fewest nodes that are in memory and not in the document, and the smallest heap, of six collections: the page
        lives on meanwhile, and a collection frees some nodes at its second pass only."""
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        detached, heaps = [], []
        for _ in range(6):
            session.send("HeapProfiler.collectGarbage")
            held = page.evaluate(HELD)
            values = {entry["name"]: entry["value"] for entry in session.send("Performance.getMetrics")["metrics"]}
            detached.append(values["Nodes"] - held)
            heaps.append(values["JSHeapUsedSize"])
        session.detach()
        return min(detached), min(heaps)

    def most_elements(self, page, drawings):
        """The most elements that the page has during so many drawings: rows come and go with what is wrong at the moment."""
        counts, end = [], page.evaluate("__drawings") + drawings

        def look():
            drawn, elements = page.evaluate("[__drawings, document.querySelectorAll('*').length]")
            counts.append(elements)
            return drawn >= end

        eventually(look, f"{drawings} drawings", seconds=600, pause=lambda: page.wait_for_timeout(100))
        return max(counts)

    @unittest.skipIf(GIVEN_URL, "needs the made-up server, which ticks fast")
    def test_a_thousand_refreshes_leave_no_node_and_no_memory_behind(self):
        context = self.context()
        context.add_init_script(COUNTING)
        page = self.open(self.serve("shop", tick=0.02).address + "#rate=0&range=60", context)
        # Tables first fill up to what they show at once. What is out of sight is drawn each tenth time.
        self.most_elements(page, 200)
        nodes, heap = self.garbage(page)
        earlier = self.most_elements(page, 500)
        later = self.most_elements(page, 500)
        nodes_later, heap_later = self.garbage(page)
        self.assertLess(later - earlier, 60)
        self.assertLess(heap_later - heap, 1_500_000)
        self.assertLess(nodes_later - nodes, 200)
        self.assert_content(page)

    @unittest.skipIf(GIVEN_URL, "reads the made-up server's own count")
    def test_a_tick_is_at_most_4_kB(self):
        for sample in ["shop", "large"]:
            made = world.World(sample)
            sizes = [len(json.dumps(made.advance(made.snapshot["capturedAt"] + 1), separators=(",", ":"))) for _ in range(120)]
            self.assertLessEqual(max(sizes), 4096)

    def test_ten_thousand_rows_make_few_nodes_and_all_can_be_reached(self):
        page = self.static("large", "#sort.components=name")
        self.assertLess(len(rows(page, "components")), 60)
        self.assertLess(page.evaluate("document.querySelectorAll('*').length"), 5000)
        self.assertEqual(page.get_attribute("#components table", "aria-rowcount"), "10001")
        page.evaluate("document.querySelector('#components .scroll').scrollTop = 1e9")
        self.drawn(page)
        self.assertEqual(page.get_attribute("#components tbody:not([aria-hidden]) tr:last-child", "aria-rowindex"), "10001")
        page.fill("#find", "Feature09999")
        self.drawn(page)
        self.assertEqual(len(rows(page, "components")), 1)


if __name__ == "__main__":
    unittest.main()
