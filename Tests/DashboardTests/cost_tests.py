# SPDX-License-Identifier: Apache-2.0
"""The cost of the page in counts: bytes, nodes, and retained memory. benchmark.py measures times."""
import json
import unittest
import zlib

import world
from support import GIVEN_URL, PageTest, eventually, rows

# Counts the drawings of the page.
COUNTING = "window.__drawings = 0; window.requestAnimationFrame = ((ask) => (draw) => ask((at) => (__drawings++, draw(at))))(requestAnimationFrame);"


# Counts the nodes in the document, including text and comments.
HELD = "document.evaluate('count(//node())', document, null, XPathResult.NUMBER_TYPE).numberValue"


class Cost(PageTest):
    def garbage(self, page):
        """The minimum over six garbage collections of the number of detached nodes and of the heap size. The page keeps running,
        and some nodes are only freed by a second collection."""
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
        """The maximum number of elements during that many drawings. The number varies with the current problems."""
        counts, end = [], page.evaluate("__drawings") + drawings

        def look():
            drawn, elements = page.evaluate("[__drawings, document.querySelectorAll('*').length]")
            counts.append(elements)
            return drawn >= end

        eventually(look, f"{drawings} drawings", seconds=600, pause=lambda: page.wait_for_timeout(100))
        return max(counts)

    @unittest.skipIf(GIVEN_URL, "needs the fake server, which ticks fast")
    def test_a_thousand_refreshes_leave_no_node_and_no_memory_behind(self):
        context = self.context()
        context.add_init_script(COUNTING)
        page = self.open(self.serve("shop", tick=0.02).address + "#rate=0&range=60", context)
        # At first the tables fill. Panels that are not visible are drawn each tenth time.
        self.most_elements(page, 200)
        nodes, heap = self.garbage(page)
        earlier = self.most_elements(page, 500)
        nodes_between, _ = self.garbage(page)
        later = self.most_elements(page, 500)
        nodes_later, heap_later = self.garbage(page)
        self.assertLess(later - earlier, 60)
        self.assertLess(heap_later - heap, 1_500_000)
        # The number varies by some hundred. A leak of one node for each drawing is 500 in each half.
        grown = [nodes_between - nodes, nodes_later - nodes_between]
        self.assertLess(min(grown), 250, grown)
        self.assert_content(page)

    @unittest.skipIf(GIVEN_URL, "reads the fake server's own count")
    def test_a_tick_of_a_thousand_components_is_at_most_32_kB_compressed(self):
        for sample in ["shop", "storm", "thousand"]:
            made = world.World(sample)
            sizes = [len(zlib.compress(json.dumps(made.advance(made.snapshot["capturedAt"] + 1), separators=(",", ":")).encode(), 6)) for _ in range(20)]
            self.assertLessEqual(max(sizes), 32_768)

    def test_ten_thousand_rows_make_few_nodes_and_all_can_be_reached(self):
        page = self.static("large", "#tab=components&sort.components=name")
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
