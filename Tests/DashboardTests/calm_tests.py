# SPDX-License-Identifier: Apache-2.0
"""The page while everything changes: it is up to date, nothing moves, and what one reads is what one clicks."""
import re
import time
import unittest

import world
from support import GIVEN_URL, PageTest, column, rows

# Sums up layout shifts, with the nodes that moved.
SHIFTS = """window.__shift = 0; window.__moved = [];
new PerformanceObserver((list) => list.getEntries().forEach((entry) => {
    if (entry.hadRecentInput) return;
    __shift += entry.value;
    for (const {node, previousRect: a, currentRect: b} of entry.sources) __moved.push([entry.value.toFixed(4), node?.nodeName, node?.id || node?.className?.baseVal || node?.className || node?.parentNode?.className, (node?.textContent || '').slice(0, 40), [a.x, a.y, a.width, a.height].map(Math.round), [b.x, b.y, b.width, b.height].map(Math.round)].join(' '));
})).observe({type: 'layout-shift', buffered: true});"""


@unittest.skipIf(GIVEN_URL, "needs the fake server, which simulates a storm")
class Storm(PageTest):
    def storm(self, fragment="", tick=3600, server=None, **options):
        """A server that ticks as the test says, and its page, which draws each tick."""
        server = server or self.serve("storm", tick=tick)
        context = self.timed(**options)
        context.add_init_script(SHIFTS)
        page = self.open(server.address + "#rate=0" + fragment, context)
        server.until(lambda stats: stats["streams"] > 0)
        return server, page

    def looks(self, server, page, n):
        """Yields after each of `n` ticks, when the page has drawn it."""
        for _ in range(n):
            self.until_tick(page, server.step())
            yield

    def test_nothing_shifts_in_200_ticks(self):
        server = self.serve("storm", tick=0.1)
        pages = [self.storm(server=server, viewport={"width": width, "height": height})[1] for width, height in ((1280, 1000), (390, 844))]
        for page in pages:
            page.evaluate("__shift = 0; __moved = []")
        seq = server.pass_ticks(200)["seq"]
        for page in pages:
            self.until_tick(page, seq)
            self.assertLess(page.evaluate("__shift"), 0.1, [page.viewport_size, page.evaluate("__moved.slice(0, 30)")])

    def test_a_link_to_a_problem_stays_that_link_and_problems_keep_their_order(self):
        server, page = self.storm()
        page.click("#more")
        for chip in page.query_selector_all("#list > li > button:not([hidden])"):
            chip.click()
        before = []
        for _ in self.looks(server, page, 30):
            now = page.evaluate("""[...document.querySelectorAll('#list a:not(.note)')].map((link) => {
                // The numbers in the text of a problem change, its subject does not.
                const subject = link.getAttribute('href') + link.textContent.replace(/[\\d:,.]+/g, '');
                link.number ||= window.__links = (window.__links || 0) + 1;
                link.subject ||= subject;
                return [link.number, link.subject.slice(0, 60), subject.slice(0, 60)];
            })""")
            self.assertEqual([first for _, first, _ in now], [last for *_, last in now])
            kept = {number for number, *_ in before} & {number for number, *_ in now}
            order = lambda looked: [number for number, *_ in looked if number in kept]
            self.assertEqual(order(before), order(now))
            before = now
        self.assertGreater(len(before), 6)

    def test_open_transitions_stay_open_at_their_breaker(self):
        server, page = self.storm("&panel=circuits")
        page.click("article:has(h3:text-is('PaymentClient')) summary")
        shown = lambda: page.evaluate("[...document.querySelectorAll('article')].filter((card) => card.querySelector('details').open).map((card) => card.querySelector('h3').textContent)")
        for _ in self.looks(server, page, 20):
            self.assertEqual(shown(), ["PaymentClient"])

    def test_the_row_under_the_pointer_stays_and_so_does_the_row_with_the_focus(self):
        server, page = self.storm("&tab=components")
        link = page.locator("#components tbody a >> nth=4")
        link.hover()
        name = link.inner_text()
        for _ in self.looks(server, page, 20):
            self.assertEqual(link.inner_text(), name)
        link.focus()
        page.mouse.move(5, 5)
        # Without the focus the order would change after ten seconds.
        for _ in range(6):
            page.clock.fast_forward(2000)
            for _ in self.looks(server, page, 5):
                self.assertEqual(page.evaluate("document.activeElement.textContent"), name)
        page.keyboard.press("Enter")
        page.wait_for_selector(f"#detail-title:text-is('{name}')")

    def test_the_order_follows_the_numbers_after_some_seconds(self):
        server, page = self.storm("&tab=components&sort.components=-rate")
        # The first order is drawn once more.
        self.until_tick(page, server.step())
        before = column(page, "components", "Component")
        page.clock.fast_forward(2000)
        for _ in self.looks(server, page, 5):
            self.assertEqual(column(page, "components", "Component"), before)
        for _ in range(5):
            page.clock.fast_forward(2000)
            self.until_tick(page, server.step())
        self.assertNotEqual(column(page, "components", "Component"), before)


@unittest.skipIf(GIVEN_URL, "needs the fake server, which counts the calls of each tick")
class Freshness(PageTest):
    def test_no_row_in_view_of_a_thousand_is_older_than_two_refreshes(self):
        server = self.serve("thousand", tick=1)
        page = self.open(server.address + "#tab=components&cols=calls")
        page.wait_for_selector("#pill:has-text('live')")
        self.until_update(page, 2)
        worst = 0
        for _ in range(10):
            latest = server.get("stats")["seq"]
            shown = dict(zip(*page.evaluate("""(() => { const heads = [...document.querySelectorAll('#components thead th')].map((th) => th.innerText), calls = heads.indexOf('Calls');
                const rows = [...document.querySelectorAll('#components tbody:not([aria-hidden]) tr')]; return [rows.map((tr) => tr.children[0].textContent), rows.map((tr) => +tr.children[calls].textContent.replaceAll(',', ''))]; })()""")))
            known = {int(seq): calls for seq, calls in server.get("rows").items()}
            for name, calls in shown.items():
                if calls < 100_000:
                    seen = [seq for seq, all in known.items() if all[name] == calls]
                    self.assertTrue(seen, f"{name}: {calls} is older than a minute")
                    worst = max(worst, latest - max(seen))
            page.wait_for_timeout(700)
        self.assertGreater(len(shown), 20)
        self.assertLessEqual(worst, 2)
        self.assertNotIn("old", page.inner_text("#components .head .note"))

    def test_a_panel_with_older_rows_says_how_old_they_are(self):
        page = self.open(self.serve("shop", tick=3600).address + "#tab=components")
        # A tick as a server sends it that cannot send everything.
        page.evaluate("""(() => { const channel = new BroadcastChannel('axiom/'); return fetch('api/snapshot').then((answer) => answer.json()).then(({seq, instance, capturedAt}) =>
            channel.postMessage({kind: 'tick', instance, data: JSON.stringify({seq: seq + 1, at: capturedAt + 1, ages: {components: 7}})})); })()""")
        page.wait_for_selector("#components .head .note:has-text('▲ rows up to 7 s old')")
        self.assertNotIn("old", page.inner_text("#errors .head .note"))


class Component(PageTest):
    def open_component(self, **options):
        # Low enough that the view of components is longer.
        page = self.static(fragment="#tab=components", **{"viewport": {"width": 1280, "height": 600}, **options})
        page.evaluate("scrollTo(0, 150)")
        self.click(page, "#components tbody a:has-text('PaymentClient')")
        return page

    def test_a_component_has_its_own_page_and_back_returns(self):
        page = self.open_component()
        self.assertIn("sel=client%2FPaymentClient", page.url)
        self.assertEqual(page.inner_text("#detail-title"), "PaymentClient")
        self.assertEqual(page.evaluate("document.activeElement.id"), "detail-title")
        box = page.locator("#detail-title").bounding_box()
        self.assertTrue(0 <= box["y"] < 400, box)
        self.assertTrue(page.is_hidden("#components"))
        page.go_back()
        self.drawn(page)
        self.assertNotIn("sel=", page.url)
        self.assertTrue(page.is_hidden("#detail"))
        self.assertTrue(page.is_visible("#components"))
        self.assertEqual(page.evaluate("scrollY"), 150)
        page.go_forward()
        self.drawn(page)
        self.assertTrue(page.is_visible("#detail"))
        page.reload()
        page.wait_for_selector("#detail-title:text-is('PaymentClient')")
        page.wait_for_selector("#main:not([aria-busy])", state="attached")
        self.click(page, "#all")
        self.assertTrue(page.is_visible("#components"))
        self.assert_content(page)

    def test_it_says_who_calls_it_whom_it_calls_and_what_failed(self):
        page = self.open_component()
        said = lambda title: page.evaluate("(name) => [...document.querySelectorAll(`#detail [aria-label='${name} table'] tbody:not([aria-hidden]) tr`)].map((tr) => tr.children[0].innerText)", title)
        self.assertEqual(said("Actions"), ["authorize", "capture", "refund"])
        self.assertEqual(said("Called by"), ["CheckoutContext", "PaymentContext"])
        self.assertEqual(said("Calls"), ["HTTPNetwork"])
        self.assertIn("6.3 %", page.inner_text("#detail .big"))
        # Messages are shown whole.
        cut = page.evaluate("[...document.querySelectorAll('#errors td span')].filter((span) => span.parentNode.scrollWidth > span.parentNode.clientWidth + 1).map((span) => span.textContent)")
        self.assertEqual(cut, [])
        self.click(page, "#detail tbody a:has-text('CheckoutContext')")
        self.assertEqual(page.inner_text("#detail-title"), "CheckoutContext")
        page.go_back()
        page.wait_for_selector("#detail-title:text-is('PaymentClient')")

    def test_what_is_cut_off_can_be_read(self):
        shot = world.World("shop").snapshot
        long = "Request 12482 for /profiles/grace failed: " + "the connection was reset, " * 9
        shot["errors"][0]["sample"] = long
        page = self.open(self.file(shot) + "#tab=errors")
        cell = page.locator("#errors td span", has_text="Request 12482")
        self.assertEqual(cell.get_attribute("title"), long)
        high = cell.bounding_box()["height"]
        cell.click()
        self.drawn(page)
        self.assertGreater(cell.bounding_box()["height"], 2 * high)
        cell.click()
        self.drawn(page)
        self.assertEqual(cell.bounding_box()["height"], high)
        self.click(page, "#errors button:has-text('Wrap')")
        self.assertGreater(cell.bounding_box()["height"], 2 * high)


class Charts(PageTest):
    def test_axes_have_three_values_with_a_unit_and_a_logarithmic_one_says_so(self):
        page = self.static()
        said = page.evaluate("[...document.querySelectorAll('#vitals figure, #latency figure')].map((figure) => [figure.querySelector('b').textContent, [...figure.querySelectorAll('.ticks span')].map((span) => span.textContent), figure.innerText.includes('logarithmic')])")
        self.assertEqual({title: log for title, _, log in said}, {"Calls": False, "Errors": False, "Latency": True, "Live components": False, "Percentiles": True, "Calls by duration": False})
        for title, ticks, _ in said:
            self.assertEqual(len(set(ticks)), 3, title)
        self.assertEqual(dict((title, ticks) for title, ticks, _ in said)["Calls"][2], "0/s")
        cut = page.evaluate("[...document.querySelectorAll('.ticks span')].filter((span) => span.scrollWidth > span.parentNode.clientWidth).map((span) => span.textContent)")
        self.assertEqual(cut, [])

    def test_the_pointer_shows_the_time_and_the_values_below_it(self):
        page = self.static()
        box = page.locator("#vitals .plot svg >> nth=0").bounding_box()
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 20)
        shot = world.World("shop").snapshot
        middle = time.strftime("%H:%M:%S", time.gmtime(shot["capturedAt"] - 150))
        self.assertEqual(page.inner_text("#vitals .cursor >> nth=0")[:7], middle[:7])
        calls = shot["history"]["fine"]["series"]["calls"]
        shown = int(page.inner_text("#vitals .keys b >> nth=0").removesuffix("/s"))
        self.assertTrue(any(abs(value - shown) < 1 for value in calls[-153:-147]), shown)

    def test_a_long_range_keeps_the_highest_values(self):
        shot = world.World("shop").snapshot
        shot["history"]["coarse"]["series"]["errors"][700] = 99
        page = self.open(self.file(shot) + "#range=86400")
        self.assertIn("highest 99/s", page.text_content("#vitals"))
        self.assertIn("highest of 6 min 00 s", page.inner_text("#vitals"))

    def test_a_range_that_is_longer_than_the_run_shows_the_run(self):
        shot = world.World("shop").snapshot
        for ring, size in (("fine", 600), ("coarse", 10)):
            ring = shot["history"][ring]
            for key, values in ring["series"].items():
                ring["series"][key] = values[-size:]
            ring["start"] = shot["capturedAt"] - size * ring["step"]
        page = self.open(self.file(shot) + "#range=86400")
        first = page.inner_text("#vitals .axis span >> nth=0")
        self.assertEqual(first, time.strftime("%H:%M:%S", time.gmtime(shot["capturedAt"] - 600)))


class Graph(PageTest):
    def test_it_fits_the_panel_and_no_edge_or_label_crosses_a_box(self):
        for sample in ("shop", "large"):
            with self.subTest(sample):
                page = self.static(sample, "#panel=graph", viewport={"width": 1280, "height": 1000})
                wide = page.evaluate("(() => { const frame = document.querySelector('.graph').parentNode; return [frame.scrollWidth, frame.clientWidth]; })()")
                self.assertLessEqual(wide[0], wide[1])
                crossed = page.evaluate(r"""(() => {
                    const boxes = [...document.querySelectorAll('.node')].map((node) => ({name: node.querySelector('title').textContent, ...node.getAttribute('transform').match(/(?<x>[\d.]+),(?<y>[\d.]+)/).groups}));
                    const found = [];
                    for (const path of document.querySelectorAll('.graph .edge')) for (let at = 0, all = path.getTotalLength(); at < all; at += 3) {
                        const {x, y} = path.getPointAtLength(at);
                        for (const box of boxes) if (x > +box.x + 1 && x < +box.x + 171 && y > +box.y + 1 && y < +box.y + 39) found.push(path.textContent + ' crosses ' + box.name);
                    }
                    return [...new Set(found)];
                })()""")
                self.assertEqual(crossed, [])
                covered = page.evaluate("""[...document.querySelectorAll('#graph [text-anchor]')].filter((text) => {
                    const {left, right, top, bottom} = text.getBoundingClientRect();
                    return [...document.querySelectorAll('#graph rect')].map((rect) => rect.getBoundingClientRect()).some((box) => left < box.right - 2 && box.left < right - 2 && top + 4 < box.bottom && box.top < bottom - 4);
                }).map((text) => text.textContent)""")
                self.assertEqual(covered, [])

    def test_it_can_be_enlarged_moved_and_fitted_again(self):
        page = self.static(fragment="#panel=graph")
        view = lambda: page.evaluate("(() => { const {scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth} = document.querySelector('.graph').parentNode; return [scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth]; })()")
        full = view()
        self.click(page, "#graph button:has-text('+')")
        self.click(page, "#graph button:has-text('+')")
        near = view()
        self.assertAlmostEqual(near[2], page.locator(".graph").bounding_box()["width"], delta=1)
        self.assertGreater(near[2], 1.5 * full[2])
        self.assertAlmostEqual(near[0] + near[4] / 2, near[2] / 2, delta=3)
        box = page.locator("[aria-label='Drawing of the component graph']").bounding_box()
        # A place without a component, which is a link.
        y = next(y for y in range(int(box["y"]) + 5, int(box["y"]) + 300) if page.evaluate(f"document.elementFromPoint({box['x'] + 5}, {y}).tagName") == "svg")
        page.mouse.move(box["x"] + 5, y)
        page.mouse.down()
        page.mouse.move(box["x"] + 105, y, steps=4)
        page.mouse.up()
        self.assertAlmostEqual(view()[0], near[0] - 100, delta=2)
        self.click(page, "#graph button:has-text('Fit')")
        self.assertEqual(view(), full)

    def test_a_component_s_graph_has_its_neighbours(self):
        page = self.static(fragment="#sel=client/PaymentClient")
        names = page.evaluate("[...document.querySelectorAll('.node title')].map((title) => title.textContent)")
        self.assertEqual(sorted(names), ["CheckoutContext", "HTTPNetwork", "PaymentClient", "PaymentContext"])


class Words(PageTest):
    def test_budgets_that_were_not_measured_are_shown_on_request(self):
        page = self.static(fragment="#tab=latency")
        self.assertNotIn("macro.expansion", column(page, "budgets", "Budget"))
        self.assertEqual(column(page, "budgets", "Of limit")[column(page, "budgets", "Budget").index("action.processing")], "6.2× over")
        self.click(page, "#budgets button:has-text('Not measured')")
        self.assertIn("macro.expansion", column(page, "budgets", "Budget"))

    def test_times_name_their_zone_and_durations_have_two_units(self):
        page = self.static(timezone_id="Asia/Kolkata")
        self.assertRegex(page.inner_text("#age"), r"^\d\d:\d\d:\d\d UTC\+5:30$")
        self.assertRegex(page.inner_text("#facts"), r"^up 1 h 10 min, ")

    def test_leak_suspects_are_listed_with_their_age(self):
        page = self.static(fragment="#tab=components")
        said = page.inner_text("#lifetimes .leaks").split("\n")
        self.assertEqual(len(said), 2)
        self.assertRegex(said[0], r"^▲ CheckoutContext #901, leak suspect, alive for 5 min 10 s, since \d\d:\d\d:\d\d$")

    def test_the_meaning_of_failing_is_in_a_tooltip_everywhere(self):
        page = self.static(fragment="#sel=client/PaymentClient")
        said = page.evaluate("[...document.querySelectorAll('thead th')].filter((th) => th.textContent === 'Failing').map((th) => th.title)")
        self.assertGreaterEqual(len(said), 3)
        self.assertEqual(set(said), {"Failed and rejected calls, of all calls of the last 60 s"})

    def test_a_lost_connection_is_the_headline(self):
        self.expects_failing_requests = True
        # Without ticks: nothing but the loss makes the page draw.
        server = self.serve("shop", tick=3600)
        page = self.open(server.address)
        self.assertEqual(page.inner_text("#problems"), "✕\u20028 problems")
        server.kill()
        page.wait_for_selector("#pill.bad")
        self.until(page, lambda: re.match(r"^–\u2002At \d\d:\d\d:\d\d: 8 problems$", page.inner_text("#problems")))
        self.assertTrue(page.title().startswith("(–)"))


if __name__ == "__main__":
    unittest.main()
