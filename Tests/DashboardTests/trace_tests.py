# SPDX-License-Identifier: Apache-2.0
"""What happened: the log of actions, the spans of a trace, and the search."""
import json
import re
import unittest

import sight_tests
import world
from calm_tests import SHIFTS
from sight_tests import LOOKS
from support import GIVEN_URL, TALL, PageTest, column, rows

# A span that no recorder knows.
UNKNOWN = "0123456789abcdef" * 2


class Recorded(PageTest):
    """A page with planted traces, in a file or from the fake server."""

    def setUp(self):
        super().setUp()
        self.world = world.World("shop")
        self.shot = self.world.export()

    def trace(self, kept):
        return next(trace for trace in self.shot["traces"] if trace["kept"] == kept)

    def exported(self, fragment="", shot=None, **options):
        return self.open(self.file(shot or self.shot) + fragment, **options)

    def live(self, fragment="", tick=0.2, ready=True, **options):
        server = self.serve("shop", tick=tick)
        page = self.open(server.address + "#rate=0" + fragment, **options)
        return server, page

    def names(self, page):
        return column(page, "activity", "Action")

    def links(self, page):
        return page.eval_on_selector_all("#activity tbody a", "(links) => links.map((link) => link.getAttribute('href').match(/trace=(\\w+)/)[1])")


class Log(Recorded):
    def test_an_export_shows_its_actions_the_newest_first(self):
        page = self.exported("#panel=activity", **TALL)
        shown = rows(page, "activity")
        newest = self.shot["activity"][0]
        self.assertEqual(shown[0][1], f"{newest['component']}.{newest['name']}")
        self.assertEqual([row[0] for row in shown], sorted((row[0] for row in shown), reverse=True))
        self.assertRegex(shown[0][0], r"\d\d:\d\d:\d\d\.\d{3}$")
        refused = next(row for row in shown if "rejected" in row[3])
        self.assertEqual(refused[4], "AXIOM_CIRCUIT_001")
        self.assertIn("CheckoutContext.pay", column(page, "activity", "Sent by"))
        self.assertIn("over budget", column(page, "activity", "Trace kept"))
        self.assert_content(page)

    def test_filters_narrow_the_list_and_are_in_the_address(self):
        page = self.exported("#panel=activity", **TALL)
        page.fill("#activity [type=search]", "paymentclient.auth")
        self.drawn(page)
        self.assertEqual(set(self.names(page)), {"PaymentClient.authorize"})
        page.fill("#activity [type=search]", "")
        page.fill("#activity [type=number]", "200")
        self.drawn(page)
        self.assertEqual(set(self.names(page)), {"CheckoutContext.pay", "PricingClient.quote"})
        page.select_option("#activity select", "failures")
        self.drawn(page)
        self.assertEqual(set(self.names(page)), {"CheckoutContext.pay"})
        self.assertIn("min=200", page.url)
        self.assertIn("outcome=failures", page.url)
        page.reload()
        page.wait_for_selector("#main:not([aria-busy])", state="attached")
        self.drawn(page)
        self.assertEqual(set(self.names(page)), {"CheckoutContext.pay"})
        self.assertEqual([page.input_value("#activity [type=number]"), page.input_value("#activity select")], ["200", "failures"])
        page.select_option("#activity select", "cancelled")
        self.drawn(page)
        self.assertIn("No matches", page.inner_text("#activity .empty"))

    def test_the_page_of_a_component_has_its_actions(self):
        page = self.exported("#sel=client/PaymentClient", **TALL)
        self.assertEqual({name.split(".")[0] for name in self.names(page)}, {"PaymentClient"})

    def test_a_file_of_version_1_has_no_actions_and_others_are_rejected(self):
        page = self.static(fragment="#panel=activity")
        self.assertIn("No actions", page.inner_text("#activity .empty"))
        page = self.exported(shot={**self.shot, "version": 3})
        self.assertIn("this is version 3", page.inner_text("#banner"))
        self.assertIn("versions 1 and 2", page.inner_text("#banner"))

    def test_the_saved_snapshot_keeps_version_actions_and_traces(self):
        page = self.exported()
        page.click("summary:has-text('Settings')")
        with page.expect_download() as saved:
            page.click("button:has-text('Save JSON')")
        data = json.loads(saved.value.path().read_text())
        self.assertEqual([data["version"], len(data["activity"]), len(data["traces"])], [2, len(self.shot["activity"]), len(self.shot["traces"])])

    def test_names_that_look_like_markup_are_text(self):
        made = world.World("hostile")
        page = self.exported("#panel=activity", shot=made.export(), **TALL)
        page.click("#activity tbody a >> nth=0")
        self.drawn(page)
        self.assertNotIn("cannot show", page.inner_text("#banner"))
        self.assert_content(page)


@unittest.skipIf(GIVEN_URL, "needs the fake server, which counts the requests")
class Live(Recorded):
    def test_new_actions_come_without_a_reload(self):
        server, page = self.live("&panel=activity")
        self.until(page, lambda: self.names(page))
        first = self.links(page)[0]
        page.mouse.move(5, 5)
        self.until(page, lambda: self.links(page)[0] != first)
        self.assert_content(page)

    def asked(self, server, ticks=5):
        server.pass_ticks(1)
        before = server.get("stats")["activities"]
        server.pass_ticks(ticks)
        return server.get("stats")["activities"] - before

    def test_nothing_is_requested_while_it_is_out_of_view_paused_or_hidden(self):
        server, page = self.live(viewport={"width": 1280, "height": 600})
        server.pass_ticks(3)
        self.assertEqual(server.get("stats")["activities"], 0, "the panel is in another view")
        self.click(page, "#nav a:has-text('Latency')")
        server.until(lambda stats: stats["activities"] > 1)
        self.assertEqual(page.inner_text("#activity .newer"), "Live")
        page.click("#pause")
        self.assertEqual(self.asked(server), 0, "the page is paused")
        self.assertEqual(page.inner_text("#activity .newer"), "Paused")
        page.click("#pause")
        server.until(lambda stats, before=server.get("stats")["activities"]: stats["activities"] > before)
        page.evaluate("Object.defineProperty(document, 'hidden', {value: true, configurable: true}); document.dispatchEvent(new Event('visibilitychange'))")
        self.assertEqual(self.asked(server), 0, "the page is hidden")
        page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
        server.until(lambda stats, before=server.get("stats")["activities"]: stats["activities"] > before)
        self.click(page, "#nav a:has-text('Health')")
        self.until(page, lambda: self.asked(server, 3) == 0)

    def test_it_requests_at_most_once_for_each_refresh(self):
        server = self.serve("shop", tick=3600)
        page = self.open(server.address + "#rate=2&panel=activity", self.timed())
        requests = lambda: server.get("stats")["activities"]
        server.until(lambda stats: stats["activities"] > 0)
        self.until(page, lambda: self.names(page))
        # From here on the clock of the page stands still, except as the test moves it.
        page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 3)
        self.until(page, f"window.__tick >= {server.step()}")
        page.clock.run_for(100)
        self.until(page, lambda: requests() >= 2)
        for _ in range(3):
            before = requests()
            # Each click draws the panels.
            for _ in range(12):
                page.click("#activity thead button >> nth=2")
                page.clock.run_for(100)
            self.until(page, f"window.__tick >= {server.step()}")
            self.assertEqual(requests(), before)
            page.clock.run_for(2000)
            server.until(lambda stats: stats["activities"] == before + 1)

    def test_the_row_under_the_pointer_stays_and_newer_ones_are_counted(self):
        server, page = self.live("&panel=activity", tick=0.1)
        self.until(page, lambda: len(self.links(page)) > 5)
        link = page.locator("#activity tbody a >> nth=3")
        link.hover()
        server.pass_ticks(2)
        self.drawn(page)
        before, name = self.links(page), link.get_attribute("href")
        for _ in range(10):
            server.pass_ticks(1)
            self.drawn(page)
            self.assertEqual(self.links(page), before)
        self.until(page, lambda: re.fullmatch(r"\d+ newer", page.inner_text("#activity .newer")))
        page.click("#activity .newer")
        self.until(page, lambda: self.links(page) != before)
        server.pass_ticks(2)
        # The same with the focus.
        page.focus("#activity tbody a >> nth=1")
        page.mouse.move(5, 5)
        self.drawn(page)
        focused = page.evaluate("document.activeElement.getAttribute('href')")
        server.pass_ticks(10)
        self.drawn(page)
        page.keyboard.press("Enter")
        self.drawn(page)
        self.assertIn(re.search(r"trace=\w+", focused)[0], page.url)

    def test_a_node_stays_with_its_action(self):
        server, page = self.live("&panel=activity", tick=0.5)
        self.until(page, lambda: len(self.links(page)) > 5)
        page.mouse.move(5, 5)
        page.evaluate("for (const link of document.querySelectorAll('#activity tbody a')) link.first = link.textContent + link.getAttribute('href')")
        first = self.links(page)[0]
        self.until(page, lambda: self.links(page)[0] != first)
        kept = page.evaluate("[...document.querySelectorAll('#activity tbody a')].filter((link) => link.first).map((link) => [link.first, link.textContent + link.getAttribute('href')])")
        self.assertGreater(len(kept), 0)
        for before, after in kept:
            self.assertEqual(before, after)

    def test_new_rows_shift_nothing(self):
        context = self.context(viewport={"width": 1280, "height": 1000})
        context.add_init_script(SHIFTS)
        server, page = self.live("&panel=activity", tick=0.5, context=context)
        self.until(page, lambda: self.links(page))
        page.mouse.move(5, 5)
        server.pass_ticks(2)
        page.evaluate("__shift = 0; __moved = []")
        first = self.links(page)[0]
        server.pass_ticks(40)
        self.assertNotEqual(self.links(page)[0], first)
        self.assertLess(page.evaluate("__shift"), 0.1, page.evaluate("__moved.slice(0, 30)"))

    def test_the_process_filters_what_the_page_does_not_have(self):
        server, page = self.live("&panel=activity&act=PaymentClient.authorize&outcome=failures")
        self.until(page, lambda: self.names(page))
        self.assertEqual(set(self.names(page)), {"PaymentClient.authorize"})
        sent = next(url for url in reversed(self.requests) if "api/activity" in url)
        self.assertIn("failures=1", sent)
        self.assertIn("q=authorize", sent)


@unittest.skipIf(GIVEN_URL, "needs the fake server")
class Refused(Recorded):
    expects_failing_requests = True

    def test_a_bad_filter_in_the_address_says_what_is_wrong(self):
        server, page = self.live("&panel=activity&outcome=bad")
        self.until(page, lambda: "outcome" in page.inner_text("#activity .empty"))

    def test_an_unknown_trace_says_what_the_recorder_keeps(self):
        server, page = self.live("&trace=" + UNKNOWN)
        self.until(page, lambda: "no longer known" in page.inner_text("#trace"))
        asked = server.get("stats")["traces"]
        server.pass_ticks(5)
        self.assertEqual([asked, server.get("stats")["traces"]], [1, 1])
        page = self.open(server.address + "#trace=../snapshot")
        self.assertIn("no longer known", page.inner_text("#trace"))
        self.assertEqual(server.get("stats")["traces"], 1)


class Waterfall(Recorded):
    def bars(self, page):
        return page.evaluate("""[...document.querySelectorAll('#trace tbody tr')].map((tr) => {
            const box = (node) => { const {left, width} = node.getBoundingClientRect(); return [left, width]; };
            return {name: tr.querySelector('a').textContent, bar: box(tr.querySelector('rect')), all: box(tr.querySelector('svg')), cells: [...tr.children].map((cell) => cell.innerText.trim()), indent: parseFloat(tr.firstChild.style.paddingInlineStart)};
        })""")

    def test_the_bars_are_where_the_data_says(self):
        for kept in ("failed", "over_budget", "slowest"):
            with self.subTest(kept):
                trace = self.trace(kept)
                page = self.exported("#trace=" + trace["id"], viewport={"width": 1280, "height": 900})
                end = max(span["start"] + span["seconds"] for span in trace["spans"])
                shown = [bar for bar in self.bars(page) if "log" not in bar["cells"][0].split()]
                # The planted spans are in the order of the tree.
                self.assertEqual(len(shown), len(trace["spans"]))
                for bar, span in zip(shown, trace["spans"]):
                    self.assertTrue(bar["name"].endswith(span["name"]), bar)
                    left, width = bar["all"]
                    scale = width / (end - trace["start"])
                    self.assertAlmostEqual(bar["bar"][0], left + (span["start"] - trace["start"]) * scale, delta=1)
                    self.assertAlmostEqual(bar["bar"][1], span["seconds"] * scale, delta=1)
                page.close()

    def test_a_trace_is_a_tree_with_limits_records_and_reasons(self):
        trace = self.trace("failed")
        page = self.exported("#trace=" + trace["id"])
        self.assertEqual(page.inner_text("#trace-title"), "Trace of CheckoutContext.pay")
        self.assertEqual(page.evaluate("document.activeElement.id"), "trace-title")
        depth = {span["id"]: 0 for span in trace["spans"] if not span["parent"]}
        for span in trace["spans"]:
            depth.setdefault(span["id"], depth.get(span["parent"], 0) + 1)
        shown = self.bars(page)
        spans = [bar for bar in shown if "log" not in bar["cells"][0].split()]
        self.assertEqual([(bar["indent"] - 8) / 14 for bar in spans], [depth[span["id"]] for span in trace["spans"]])
        texts = [" ".join(bar["cells"]) for bar in shown]
        self.assertTrue(any("150 ms ✕ limit 50 ms" in text for text in texts), texts)
        self.assertTrue(any("160 ms ✓ limit 500 ms" in text for text in texts), texts)
        for words in ["recovery step", "retry attempt", "breaker refusal", "capability call", "AXIOM_NETWORK_003 from HTTPNetwork", "order=4711, attempt=1", "log warning, shop.payment"]:
            self.assertTrue(any(words in text for text in texts), words)
        about = page.inner_text("#trace dl")
        for words in ["failed", "UTC", "412 ms", trace["id"]]:
            self.assertIn(words, about)

    def test_a_chosen_span_has_its_details_below_and_survives_a_reload(self):
        trace = self.trace("failed")
        page = self.exported("#trace=" + trace["id"])
        self.assertEqual(page.inner_text("#trace aside h3"), "CheckoutContext.pay")
        self.click(page, "#trace tbody a:text-is('PaymentClient.authorize') >> nth=0")
        self.assertTrue(page.is_visible("#trace table"), "a click does not leave the trace")
        self.assertIn("span=", page.url)
        page.reload()
        page.wait_for_selector("#main:not([aria-busy])", state="attached")
        said = page.inner_text("#trace aside")
        for words in ["PaymentClient.authorize", "client action", "+1 ms", "AXIOM_NETWORK_003 from HTTPNetwork, ShopError", "order=4711"]:
            self.assertIn(words, said)
        self.assertEqual(page.locator("#trace tr.on").count(), 1)
        self.click(page, "#trace aside a")
        self.assertEqual(page.inner_text("#detail-title"), "PaymentClient")

    def test_a_button_chooses_one_failed_span_after_the_other(self):
        trace = self.trace("failed")
        page = self.exported("#trace=" + trace["id"], viewport={"width": 390, "height": 844})
        failed, seen = [span for span in trace["spans"] if span["outcome"] in ("failure", "rejected")], []
        for _ in range(len(failed) + 1):
            self.click(page, "#trace button:has-text('Next error')")
            seen.append(page.inner_text("#trace aside h3"))
        self.assertEqual(seen, [f"{span['component']}.{span['name']}" for span in [*failed, failed[0]]])
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 390)
        frame = page.locator("#trace .scroll")
        self.assertEqual(frame.evaluate("(node) => node.scrollWidth - node.clientWidth"), 0, "outcome and duration are in view")

    def test_waits_and_retries_are_hatched(self):
        page = self.exported("#trace=" + self.trace("failed")["id"])
        fill = page.evaluate("getComputedStyle(document.querySelector('#trace rect.again')).fill")
        self.assertIn("#hatch", fill)

    def test_back_and_escape_leave_the_trace(self):
        page = self.exported("#panel=activity", **TALL)
        self.click(page, "#activity tbody a >> nth=0")
        self.assertTrue(page.is_visible("#trace"))
        self.assertEqual(page.locator("main > section:not([hidden])").count(), 1)
        page.go_back()
        self.drawn(page)
        self.assertFalse(page.is_visible("#trace"))
        self.assertTrue(page.is_visible("#activity"))
        page.go_forward()
        self.drawn(page)
        self.assertTrue(page.is_visible("#trace"))
        page.keyboard.press("Escape")
        self.drawn(page)
        self.assertEqual(page.evaluate("document.activeElement.id"), "activity-title")
        self.assertNotIn("trace=", page.url)

    def test_the_text_is_an_indented_tree(self):
        trace = self.trace("failed")
        page = self.exported("#trace=" + trace["id"], context=self.context(permissions=["clipboard-read", "clipboard-write"]))
        page.click("#trace summary:has-text('Copy')")
        self.assertEqual(page.locator("#trace .menu button:visible").all_inner_texts(), ["Text"])
        page.click("#trace button:has-text('Text')")
        page.wait_for_selector("#banner:has-text('Copied as Text')")
        lines = page.evaluate("navigator.clipboard.readText()").split("\n")
        self.assertEqual(lines[0], "Reason kept: failed")
        self.assertIn("CheckoutContext.pay, context action, +0 s, 412 ms, AXIOM_NETWORK_003 from HTTPNetwork, failure", lines)
        self.assertIn("  PaymentClient.authorize, client action, +1 ms, 150 ms ✕ limit 50 ms, AXIOM_NETWORK_003 from HTTPNetwork, failure", lines)
        self.assertIn("    HTTPNetwork.post, capability call, +1.2 ms, 150 ms, AXIOM_NETWORK_003, failure", lines)
        self.assertIn("    The connection to 127.0.0.1:8081 was reset, order=4711, attempt=1, log warning, shop.payment, +151 ms", lines)

    def test_a_trace_that_a_file_does_not_have_says_so(self):
        page = self.exported("#trace=" + UNKNOWN)
        self.assertIn("This trace is not in this file", page.inner_text("#trace"))
        self.assertFalse(page.is_visible("#trace table"))

    def test_spans_without_a_known_parent_and_many_spans_are_shown(self):
        trace = json.loads(json.dumps(self.trace("failed")))
        first = trace["spans"].pop(0)
        trace["spans"] += [{**first, "id": f"{n:016x}", "parent": trace["spans"][0]["id"]} for n in range(600)]
        page = self.exported("#trace=" + trace["id"], shot={**self.shot, "traces": [trace]})
        self.assertEqual(page.locator("#trace tbody tr").count(), 500)
        self.assertIn("the first 500 of 609 rows", page.inner_text("#trace .head .note"))

    @unittest.skipIf(GIVEN_URL, "needs the fake server")
    def test_a_live_trace_is_requested_once_and_again_while_it_runs(self):
        server, page = self.live("&panel=activity")
        known = server.get("recorder")["traces"]
        done = next(trace for trace in reversed(known) if trace["kept"] == "failed")
        running = next(trace for trace in reversed(known) if not trace["complete"])
        page.evaluate(f"location.hash = '#rate=0&trace={done['id']}'")
        self.until(page, lambda: page.locator("#trace tbody tr").count() == len(done["spans"]) + len(done["logs"]))
        server.pass_ticks(5)
        self.assertEqual(server.get("stats")["traces"], 1)
        page.evaluate(f"location.hash = '#rate=0&trace={running['id']}'")
        server.until(lambda stats: stats["traces"] > 3)
        self.assertIn("some run or are forgotten", page.inner_text("#trace dl"))
        activities = server.get("stats")["activities"]
        server.pass_ticks(5)
        self.assertEqual(server.get("stats")["activities"], activities, "the log is not in view")
        self.assert_content(page)


    @unittest.skipIf(GIVEN_URL, "needs the fake server")
    def test_a_late_response_does_not_replace_another_trace(self):
        server, page = self.live()
        first, second = [trace for trace in server.get("recorder")["traces"] if trace["kept"] in ("failed", "over_budget")][-2:]
        held = []
        page.route(lambda url: first["id"] in url, lambda route: held.append(route))
        page.evaluate(f"location.hash = '#rate=0&trace={first['id']}'")
        self.until(page, lambda: held)
        page.evaluate(f"location.hash = '#rate=0&trace={second['id']}'")
        self.until(page, lambda: page.locator("#trace tbody tr").count() == len(second["spans"]) + len(second["logs"]))
        held[0].continue_()
        server.pass_ticks(5)
        self.drawn(page)
        self.assertIn(second["id"], page.inner_text("#trace dl"))
        self.assertNotIn(first["id"], page.inner_text("#trace"))


class Reachable(Recorded):
    def test_other_panels_lead_to_traces_and_actions(self):
        page = self.exported("#tab=latency", **TALL)
        slowest = next(row for row in self.shot["slowest"] if row["trace"])
        self.click(page, f"#latency tbody a[href*='{slowest['trace']}']")
        self.assertTrue(page.is_visible("#trace table"))
        page.go_back()
        self.drawn(page)
        without = page.locator("#latency tbody a:not([href*=trace])").first.get_attribute("href")
        self.assertIn("panel=activity", without)
        self.assertIn("min=", without)
        for panel, name, parts in [("errors", "AXIOM_CIRCUIT_001", ["sel=client%2FPaymentClient", "act=AXIOM_CIRCUIT_001", "outcome=failures"]), ("budgets", "PaymentClient.authorize", ["act=authorize", "min=449.55"]), ("regressions", "PricingClient.quote", ["act=quote", "min="])]:
            href = page.locator(f"#{panel} tr:has-text('{name}') a").first.get_attribute("href")
            for part in ["panel=activity", *parts]:
                self.assertIn(part, href)
        self.click(page, "#nav a:has-text('Errors')")
        self.click(page, "#errors tr:has-text('AXIOM_CIRCUIT_001') a")
        self.assertEqual(page.evaluate("document.activeElement.id"), "activity-title")
        self.assertEqual(set(column(page, "activity", "Error")), {"AXIOM_CIRCUIT_001"})


class Search(Recorded):
    def hits(self, page):
        return page.locator("#hits li").all_inner_texts()

    def find(self, page, text):
        page.keyboard.press("Control+k")
        page.keyboard.type(text)
        self.drawn(page)

    def test_it_finds_everything_by_keyboard(self):
        cases = {
            "cartcl": ("CartClient", "client", "#detail-title"), "regressio": ("Regressions", "panel", "#regressions-title"), "AXIOM_AUTH": ("AXIOM_AUTH_002 ← AXIOM_TLS_004 (HTTPNetwork) of UserClient", "error", "#errors-title"),
            "pricingclient.quote": ("PricingClient.quote", "action", "#activity-title"), "must not depend": ("ResponseCache must not depend on PricingClient", "problem", "#graph-title"),
            self.trace("failed")["id"]: ("CheckoutContext.pay", "trace", "#trace-title"),
        }
        for text, (said, kind, focus) in cases.items():
            with self.subTest(text):
                page = self.exported()
                self.find(page, text)
                self.assertEqual(page.evaluate("document.activeElement.getAttribute('aria-activedescendant')"), "hit0")
                self.assertTrue(self.hits(page)[0].startswith(said) and self.hits(page)[0].endswith(kind), self.hits(page))
                page.keyboard.press("Enter")
                self.drawn(page)
                self.assertEqual("#" + page.evaluate("document.activeElement.id"), focus)
                self.assertFalse(page.is_visible("#dialog"))
                page.close()

    def test_it_finds_panels_by_the_words_that_people_use_and_commands(self):
        page = self.exported()
        for word, panel in {"slow": "Latency", "memory": "Runtime", "leak": "Lifetimes", "retry": "Circuits", "cpu": "Runtime", "queue": "Main actor"}.items():
            self.find(page, word)
            self.assertTrue(any(hit.startswith(panel) for hit in self.hits(page)), (word, self.hits(page)))
            page.keyboard.press("Escape")
        self.find(page, "dark")
        page.keyboard.press("Enter")
        self.drawn(page)
        self.assertIn("theme=dark", page.url)
        self.find(page, "export")
        with page.expect_download():
            page.keyboard.press("Enter")
        self.find(page, "pause")
        self.assertIn("Pause or resume", self.hits(page)[0])

    def test_arrows_choose_and_nothing_found_does_nothing(self):
        page = self.exported()
        self.click(page, "button:has-text('Search')")
        page.keyboard.type("client")
        self.drawn(page)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowUp")
        self.assertEqual(page.locator("#hits [aria-selected=true]").count(), 1)
        self.assertEqual(page.get_attribute("#hits [aria-selected=true]", "id"), "hit1")
        page.fill("#dialog input", "zzzz")
        self.assertEqual(self.hits(page)[0].strip(), "No matches")
        page.keyboard.press("Enter")
        self.assertTrue(page.is_visible("#dialog"))
        page.fill("#dialog input", UNKNOWN)
        page.keyboard.press("Enter")
        self.drawn(page)
        self.assertIn("trace=" + UNKNOWN, page.url)

    def test_a_click_opens_and_the_key_works_on_the_empty_page(self):
        page = self.exported()
        self.find(page, "profilecl")
        self.click(page, "#hits li >> nth=0")
        self.assertEqual(page.inner_text("#detail-title"), "ProfileClient")
        page = self.static("empty")
        self.find(page, "zz")
        self.assertEqual(self.hits(page)[0].strip(), "No matches")


class Axes(Recorded):
    maxDiff = None
    check = sight_tests.Axes.check

    def test_axe_finds_nothing_in_any_look(self):
        for look, options in {**LOOKS, "390 px": {"viewport": {"width": 390, "height": 844}}}.items():
            context = self.context(**options)
            for place in ("#panel=activity", "#trace=" + self.trace("failed")["id"], "#trace=" + UNKNOWN, "search"):
                with self.subTest(f"{look}, {place}"):
                    page = self.exported("" if place == "search" else place, context=context)
                    if place == "search":
                        page.keyboard.press("Control+k")
                        page.keyboard.type("pay")
                        self.drawn(page)
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), page.viewport_size["width"])
                    self.check(page, f"{look} {place}", "#activity", "#trace", "#dialog")
                    page.close()


if __name__ == "__main__":
    unittest.main()
