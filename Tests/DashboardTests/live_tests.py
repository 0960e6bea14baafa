# SPDX-License-Identifier: Apache-2.0
"""The page with a process: what it shows, what the user can do, and what happens when the process ends."""
import csv
import io
import json
import re
import unittest

import world
from support import GIVEN_URL, PageTest, column, rows
import shipped


class Reading(PageTest):
    def test_it_opens_with_the_application_and_its_problems(self):
        page = self.open(self.address())
        page.wait_for_selector("#pill.good:has-text('live')")
        self.assertRegex(page.inner_text("#problems"), r"\d+ problem|No problems|No components")
        self.assertGreater(len(rows(page, "components")), 0)
        self.assert_content(page)

    def test_the_verdict_counts_the_problems_and_links_to_each(self):
        page = self.static()
        self.assertEqual(page.inner_text("#problems").split("\u2002")[1], "8 problems")
        page.click("#list a >> nth=0")
        self.assertIn("panel=circuits", page.url)
        self.assertEqual(page.evaluate("document.activeElement.id"), "circuits-title")
        self.assertEqual(page.inner_text("#detail-title"), "PaymentClient")

    def test_an_ended_problem_shows_its_end_and_is_not_counted(self):
        page = self.static()
        problems = world.World("shop").snapshot["problems"]
        items = page.locator("#list > li > a")
        self.assertEqual([items.count(), page.inner_text("#more")], [5, "and 4 more"])
        self.click(page, "#more")
        self.assertEqual(items.count(), 9, "8 that hold, and 1 that ended in the last 5 minutes")
        past = items.nth(8)
        self.assertEqual(past.inner_text(), "Circuit UserClient was open")
        self.assertRegex(page.locator("#list > li > time").nth(8).inner_text(), r"^until \d\d:\d\d:\d\d$")
        self.assertEqual(past.get_attribute("class"), "note")
        held = sum(problem["panel"] in ("circuits", "errors") and problem["ended"] is None for problem in problems)
        self.assertEqual(page.inner_text("#nav a[href='#tab=errors'] b"), str(held))
        for problem in problems:
            problem["ended"] = problem["ended"] or problem["at"] + 1
        shot = world.World("shop").snapshot
        page = self.open(self.file({**shot, "problems": problems}))
        self.assertIn("No problems now, 9 ended in the last 5 minutes", page.inner_text("#problems"))
        self.assertEqual(page.locator("#list .bad, #list .warn").count(), 0)
        self.assertNotRegex(page.title(), r"^\(")

    def test_a_symptom_is_not_counted_and_is_listed_below_its_cause(self):
        shot = world.World("shop").snapshot
        base = {"kind": "bad", "panel": "errors", "component": None, "since": shot["capturedAt"] - 9, "at": shot["capturedAt"], "ended": None}
        texts = {7: "Network fails: 2 of 3 clients fail", 8: "Cart: TIMEOUT", 9: "Order: TIMEOUT", 10: "Disk is full"}
        problems = [{**base, "id": number, "text": text, "cause": 7 if number in (8, 9) else None} for number, text in texts.items()]
        page = self.open(self.file({**shot, "problems": problems}))
        self.assertIn("2 problems", page.inner_text("#problems"))
        self.assertEqual(page.locator("#list > li > a").all_inner_texts(), [texts[7], texts[10]])
        self.assertEqual(page.locator("#list button:visible").all_inner_texts(), ["2 symptoms"])
        self.assertEqual(page.locator("#list .symptom").count(), 0)
        self.click(page, "#list button:has-text('2 symptoms')")
        self.assertEqual(page.get_attribute("#list button >> nth=0", "aria-expanded"), "true")
        self.assertEqual(page.locator("#list .symptom b").all_inner_texts(), ["2 in Errors: "])
        self.assertEqual(page.locator("#list .symptom a").all_inner_texts(), [texts[8], texts[9]])
        self.assertEqual(page.locator("#list > li > a").all_inner_texts(), [texts[7], texts[10]])
        self.click(page, "#list button:has-text('2 symptoms')")
        self.assertEqual(page.locator("#list .symptom").count(), 0)
        self.assert_content(page)

    def test_symptoms_keep_their_order_by_kind_and_time_while_one_reads_them(self):
        shot = world.World("shop").snapshot
        base = {"kind": "bad", "component": None, "at": shot["capturedAt"], "ended": None}
        rows_of = [(7, "components", 50, None), (11, "errors", 20, 7), (12, "circuits", 40, 7), (13, "errors", 30, 7), (14, "circuits", 10, 7)]
        problems = [{**base, "id": number, "panel": panel, "since": shot["capturedAt"] - ago, "text": f"Problem {number}", "cause": cause} for number, panel, ago, cause in rows_of]
        page = self.open(self.file({**shot, "problems": problems}))
        self.click(page, "#list button:has-text('4 symptoms')")
        self.assertEqual(page.locator("#list .symptom b").all_inner_texts(), ["2 in Circuits: ", "2 in Errors: "])
        self.assertEqual(page.locator("#list .symptom a").all_inner_texts(), [f"Problem {number}" for number in (12, 14, 13, 11)])

    def test_observations_are_blue_counted_apart_and_stand_after_problems(self):
        shot = world.World("shop").snapshot
        base = {"panel": "budgets", "component": None, "at": shot["capturedAt"], "ended": None, "cause": None}
        texts = {1: ("note", "Map's state_memory is 3.2 MB at p99, 3.2× the default limit"), 2: ("note", "Saw's client_action takes 487 ms at p99"),
                 3: ("warn", "Circuit Till is half-open"), 4: ("bad", "Disk is full")}
        make = lambda *ids: [{**base, "id": number, "kind": texts[number][0], "text": texts[number][1], "since": shot["capturedAt"] - 90 + number} for number in ids]
        page = self.open(self.file({**shot, "problems": make(1, 2)}))
        self.assertEqual(page.inner_text("#problems"), "●\u2002No failures; 2 observations")
        self.assertEqual(page.get_attribute("#problems", "class"), "badge info")
        self.assertEqual(page.locator("#list a.info").count(), 2)
        self.assertNotRegex(page.title(), r"^\(")
        self.assertEqual(page.inner_text("#counts"), "")
        self.assert_content(page)
        page = self.open(self.file({**shot, "problems": make(1, 2, 3, 4)}))
        self.assertEqual(page.inner_text("#problems"), "✕\u20022 problems")
        self.assertEqual(page.inner_text("#counts"), "1 severe, 1 warning, 2 observations")
        self.assertEqual(page.locator("#list > li > a").all_inner_texts(), [texts[number][1] for number in (4, 3, 1, 2)])
        self.assertRegex(page.title(), r"^\(2\)")
        ended = [{**problem, "ended": problem["at"]} for problem in make(1)]
        page = self.open(self.file({**shot, "problems": ended}))
        self.assertIn("No problems in the last 5 minutes", page.inner_text("#problems"), "an observation that ended is none")
        self.click(page, "#nav a:has-text('Errors')")
        self.assertEqual(column(page, "history", "Severity"), ["●\u2002observation"])

    def test_a_default_limit_has_no_verdict(self):
        shown = {}
        for name, verdict, *_ in rows(self.static(), "budgets"):
            shown.setdefault(name, verdict)
        self.assertIn("no limit set", shown["state.propagation"])
        self.assertIn("missed", shown["action.processing"])

    def test_without_problems_it_says_so(self):
        self.assertIn("No problems in the last 5 minutes", self.static("quiet").inner_text("#problems"))

    def test_the_table_shows_the_numbers_of_the_snapshot(self):
        page, shot = self.static(fragment="#tab=components&cols=created,ended"), world.World("shop").snapshot
        for key, title in {"live": "Live", "created": "Created", "ended": "Ended"}.items():
            shown = dict(zip(column(page, "components", "Component"), column(page, "components", title)))
            self.assertEqual(shown, {row["name"]: f"{row[key]:,}" for row in shot["components"]})

    def test_components_in_trouble_come_first_and_failing_rows_are_tinted_with_bars(self):
        page = self.static(fragment="#tab=components")
        names = column(page, "components", "Component")
        self.assertEqual(names[0], "PaymentClient", "the one that fails")
        self.assertEqual(page.locator("#components thead [aria-sort]").count(), 0, "no column has this order")
        sick = page.locator("#components tr.sick th").all_inner_texts()
        self.assertEqual(sick, names[:len(sick)])
        part = page.evaluate("+document.querySelector('#components tr.sick td.bar').style.getPropertyValue('--part')")
        self.assertAlmostEqual(part, 0.063 / 0.2, delta=0.02)

    def test_the_verdict_is_drawn_first_and_panels_that_are_needed_earlier_are_made_at_once(self):
        address, context = self.file(world.World("shop").snapshot), self.context()
        panels = sum(len(re.findall(r"^(?:panel|tablePanel|chartPanel)\(", file.read_text(), re.M)) for file in (shipped.WEB / "panels").glob("*.js")) + len(world.World("shop").snapshot["panels"])
        # Frames are held back until the test runs them.
        context.add_init_script("window.__frames = []; window.requestAnimationFrame = (draw) => __frames.push(draw);")
        asking = {
            "frames": "while (__frames.length) __frames.shift()()", "print": "dispatchEvent(new Event('beforeprint'))", "a key": "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: 'b', bubbles: true}))",
        }
        for name, ask in asking.items():
            with self.subTest(name):
                page = context.new_page()
                page.goto(address + "#ev=hang")
                self.assertIn("8 problems", page.inner_text("#problems"))
                self.assertEqual(page.locator("main > section").count(), 0)
                self.assertEqual(page.get_attribute("main", "aria-busy"), "true")
                page.evaluate(ask)
                self.assertEqual(page.locator("main > section").count(), panels)
                self.assertGreater(page.locator("#graph .node").count(), 10)
                self.assertEqual(page.input_value("#events select"), "hang")
                page.evaluate(asking["frames"])
                self.assertIsNone(page.get_attribute("main", "aria-busy"))
                page.close()

    def test_every_panel_draws_and_none_fails(self):
        page, seen = self.static("modules"), []
        for view in page.query_selector_all("#nav a"):
            view.click()
            self.drawn(page)
            seen += page.eval_on_selector_all("main > section:not([hidden])", "(list) => list.map((section) => section.id)")
            # Those without content are in one line.
            seen += page.eval_on_selector_all("#nothing a", "(list) => list.map((link) => link.href.match(/panel=(\\w+)/)[1])")
        self.assertEqual(len(seen), len(set(seen)), "a panel is in two views")
        # That of the profile is there only with a profiler.
        alone = {"detail", "why", "state", "occurrences", "trace", "profile"}
        self.assertEqual(set(page.eval_on_selector_all("main > section", "(list) => list.map((section) => section.id)")) - alone, set(seen))
        self.assertNotIn("cannot show", page.inner_text("body"))
        self.assert_content(page)


class Views(PageTest):
    def shown(self, page):
        return [page.inner_text("#nav [aria-current]").split(" ")[0], *page.eval_on_selector_all("main > section:not([hidden])", "(list) => list.map((section) => section.id)")]

    def test_there_are_five_and_each_is_an_address_that_survives_reload_and_back(self):
        page = self.static()
        self.assertEqual(self.shown(page), ["Health", "vitals", "graph", "trouble", "happened", "strips"])
        self.assertEqual(page.locator("#nav a").count(), 5)
        self.click(page, "#nav a:has-text('Components')")
        self.assertEqual(self.shown(page), ["Components", "components", "lifetimes"])
        self.assertIn("tab=components", page.url)
        page.focus("#nav a:has-text('Process')")
        page.keyboard.press("Enter")
        self.drawn(page)
        self.assertEqual(self.shown(page)[0], "Process")
        page.reload()
        page.wait_for_selector("#main:not([aria-busy])", state="attached")
        self.assertEqual(self.shown(page)[0], "Process")
        page.go_back()
        self.until(page, lambda: self.shown(page)[0] == "Components")
        page.go_back()
        self.until(page, lambda: self.shown(page)[0] == "Health")

    def test_an_address_of_a_panel_opens_its_view(self):
        for panel, view in {"errors": "Errors", "circuits": "Errors", "budgets": "Latency", "runtime": "Process", "lifetimes": "Components", "graph": "Health"}.items():
            with self.subTest(panel):
                page = self.static(fragment=f"#panel={panel}")
                self.assertEqual(self.shown(page)[0], view)
                self.assertTrue(page.is_visible("#" + panel))
                page.close()

    def test_the_first_view_has_four_numbers_and_what_they_were_an_hour_ago(self):
        page = self.static()
        numbers = page.locator("#vitals .number")
        self.assertEqual(numbers.count(), 4)
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('.number b')).fontSize"), "28px")
        for text in numbers.all_inner_texts():
            self.assertRegex(text, r"^[\d.,]+\S* ?\S* \w+\n[↗↘→] .* 1 h ago")
        self.assertEqual(column(page, "trouble", "Component")[0], "PaymentClient")
        self.assertEqual(page.locator("#happened li").count(), 5)

    def test_a_chosen_range_has_a_frame_and_what_is_of_now_says_so(self):
        page = self.static(fragment="#tab=latency&from=2026-11-21T14:02:00Z&to=2026-11-21T14:04:00Z")
        self.assertEqual(page.inner_text("#past").split("\n")[:2], ["You look at the past:", "14:02:00 to 14:04:00 UTC"])
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('main')).outlineStyle"), "solid")
        said = lambda panel: page.evaluate(f"getComputedStyle(document.querySelector('#{panel} h2'), '::after').content")
        self.assertEqual([said("budgets"), said("hangs")], ['"now"', "none"])
        self.assertIn("Now: 8 problems", page.inner_text("#problems"))
        self.click(page, "#past button")
        self.assertTrue(page.is_hidden("#past"))
        self.assertEqual(said("budgets"), "none")


class Choosing(PageTest):
    def test_a_click_on_a_head_sorts_and_the_address_keeps_it(self):
        page = self.static(fragment="#tab=components&cols=created")
        self.click(page, "#components thead button:has-text('Created')")
        created = [int(text.replace(",", "")) for text in column(page, "components", "Created")]
        self.assertEqual(created, sorted(created, reverse=True))
        self.click(page, "#components thead button:has-text('Created')")
        page.reload()
        self.drawn(page)
        again = [int(text.replace(",", "")) for text in column(page, "components", "Created")]
        self.assertEqual(again, sorted(created))
        self.assertEqual(page.get_attribute("#components thead th:has-text('Created')", "aria-sort"), "ascending")

    def test_the_filter_narrows_can_be_reset_and_ignores_case(self):
        page = self.static()
        page.keyboard.press("/")
        page.keyboard.type("CARTc")
        self.drawn(page)
        self.assertEqual(sorted(column(page, "components", "Component")), ["CartClient", "CartContext"])
        page.keyboard.type("zzz")
        self.drawn(page)
        self.assertIn("No component matches the filter.", page.inner_text("#components"))
        self.click(page, "text=Show all")
        self.assertEqual(len(rows(page, "components")), 19)

    def test_columns_can_be_chosen(self):
        page = self.static(fragment="#tab=components")
        page.click("summary:has-text('Columns')")
        page.check("label:has-text('Leaks') input")
        self.drawn(page)
        self.assertEqual(sum(int(n) for n in column(page, "components", "Leaks")), 2)
        self.assertIn("cols=", page.url)

    def test_a_chosen_component_is_followed_through_every_panel(self):
        page = self.static(fragment="#tab=components")
        self.click(page, "#components tbody a:has-text('PaymentClient')")
        self.assertEqual({row[1] for row in rows(page, "errors")}, {"PaymentClient"})
        self.assertEqual(sorted(row[0] for row in page.evaluate("[...document.querySelectorAll(\"#detail [aria-label='Actions table'] tbody:not([aria-hidden]) tr\")].map((tr) => [tr.children[0].innerText])")), ["authorize", "capture", "refund"])
        page.keyboard.press("Escape")
        self.drawn(page)
        self.assertTrue(page.is_hidden("#detail"))

    def test_ranges_themes_and_density_are_in_the_address(self):
        page = self.static()
        page.select_option("label:has-text('Range') select", "900")
        page.click("summary:has-text('Settings')")
        page.select_option("label:has-text('Theme') select", "dark")
        page.select_option("label:has-text('Density') select", "roomy")
        self.drawn(page)
        for part in ["range=900", "theme=dark", "density=roomy"]:
            self.assertIn(part, page.url)
        self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(14, 17, 21)")

    def test_the_graph_is_the_same_each_time_and_marks_faults(self):
        pages = [self.static(fragment="#panel=graph") for _ in range(2)]
        drawn = [page.evaluate("document.querySelector('.graph').innerHTML") for page in pages]
        self.assertEqual(drawn[0], drawn[1])
        said = pages[0].inner_text("#graph")
        self.assertIn("✕ forbidden", said)
        self.assertIn("↻ cycle", said)
        self.assertIn("2 cycles", said)

    def test_the_label_of_an_edge_that_closes_a_cycle_covers_no_box(self):
        page = self.static(fragment="#panel=graph")
        covered = page.evaluate("""[...document.querySelectorAll('#graph [text-anchor]')].filter((text) => text.textContent.includes('↻')).map((text) => {
            // The line box is empty above and below the letters.
            const {left, right, top, bottom} = text.getBoundingClientRect(), boxes = [...document.querySelectorAll('#graph rect')].map((rect) => rect.getBoundingClientRect());
            return boxes.filter((box) => left < box.right && box.left < right && top + 4 < box.bottom && box.top < bottom - 4).length;
        })""")
        self.assertEqual(covered, [0, 0])

    def test_legends_are_beside_the_title_of_their_chart(self):
        page = self.static()
        high = page.eval_on_selector_all("#vitals figcaption", "(list) => list.map((caption) => caption.offsetHeight)")
        self.assertEqual(len(set(high)), 1)

    def test_the_graph_names_every_component_and_what_its_edges_are(self):
        page = self.static()
        edges = page.eval_on_selector_all("#graph .edge title", "(list) => list.map((title) => title.textContent)")
        self.assertTrue(any("✕ forbidden, ↻ cycle, rule 4" in text for text in edges), edges)
        said = page.eval_on_selector_all("#graph a.node", "(list) => list.map((node) => node.getAttribute('aria-label'))")
        for row in world.World("shop").snapshot["components"]:
            self.assertTrue(any(text.startswith(row["name"]) for text in said), row["name"])

    def test_csv_and_json_contain_what_the_table_shows(self):
        page = self.static(fragment="#tab=errors", context=self.context(permissions=["clipboard-read", "clipboard-write"]))

        def read(kind):
            page.click("#errors .menu summary")
            page.click(f"#errors .menu button:has-text('{kind}')")
            page.wait_for_selector(f"#banner:has-text('Copied as {kind}')")
            return page.evaluate("navigator.clipboard.readText()")

        table = list(csv.reader(io.StringIO(read("CSV"))))
        self.assertEqual(table[0][:3], ["Error", "Component", "Severity"])
        self.assertEqual({row[0] for row in table[1:]}, {row[0] for row in rows(page, "errors")})
        self.assertEqual(len(json.loads(read("JSON"))), 4)
        self.assertIn("axiom_errors_total", read("PromQL"))

    def test_two_moments_compare(self):
        page = self.open(self.serve("shop", tick=0.1).address)
        page.click("#nav a:has-text('Process')")
        self.assertEqual(page.inner_text("#nothing a:has-text('Compare')").strip(", "), "Compare")
        mark = page.locator("#tools button:text-is('Mark')")
        mark.click()
        self.until(page, lambda: mark.get_attribute("aria-pressed") == "true")
        self.until(page, lambda: "calls" in column(page, "compare", "Measure"))
        self.assertIn("now", page.inner_text("#compare .head .note"))
        # The moment is a line in all charts, and the large numbers say what they were then.
        self.until(page, "document.querySelector('#runtime .ghost').getAttribute('d').startsWith('M')")
        page.click("#nav a:has-text('Health')")
        self.until(page, "document.querySelector('#vitals .number .note').textContent.includes('at the mark')")
        page.keyboard.press("p")
        page.wait_for_selector("#pill:has-text('paused')")
        page.click("#nav a:has-text('Process')")
        self.assertIn("calls", column(page, "compare", "Measure"))
        self.assertRegex(page.inner_text("#compare .head .note"), r"\d against \S*\d\d:\d\d:\d\d$")
        mark.click()
        self.until(page, lambda: mark.get_attribute("aria-pressed") == "false")
        self.until(page, "!document.querySelector('#runtime .ghost').getAttribute('d')")


@unittest.skipIf(GIVEN_URL, "needs the fake server, which can be killed and told to misbehave")
class Living(PageTest):
    expects_failing_requests = True

    def clock(self, page):
        return page.inner_text("#age")

    def test_updates_arrive_and_are_drawn(self):
        page = self.open(self.serve("shop", tick=0.1).address + "#tab=components&cols=calls")
        before = column(page, "components", "Calls")
        self.until(page, lambda: column(page, "components", "Calls") != before)
        self.assert_content(page)

    def test_paused_it_does_not_change_or_load_anything_and_then_catches_up(self):
        server = self.serve("shop", tick=0.1)
        page = self.open(server.address, self.timed())
        server.until(lambda stats: stats["streams"] == 1)
        self.until_update(page)
        page.keyboard.press("p")
        page.wait_for_selector("#pill:has-text('paused')")
        server.until(lambda stats: stats["streams"] == 0)
        self.drawn(page)
        # The announcement of the verdict comes five seconds after it.
        page.clock.fast_forward(5000)
        self.until(page, "document.querySelector('#say').textContent")
        # Earlier requests have been answered.
        before = server.pass_ticks(5)
        frozen = page.inner_html("body")
        after = server.pass_ticks(15)
        self.assertEqual(self.drawn(page).inner_html("body"), frozen)
        self.assertEqual([after["sent"], after["asked"], after["streams"]], [before["sent"], before["asked"], 0])
        page.keyboard.press("p")
        page.wait_for_selector("#pill:has-text('live')")
        self.until_update(page)
        self.assertEqual(page.locator("#vitals rect.gap").count(), 0)
        self.assertNotEqual(page.inner_html("body"), frozen)

    def test_the_page_keeps_its_data_while_a_killed_server_is_down(self):
        server = self.serve("quiet", tick=0.1)
        page = self.open(server.address + "#cols=calls")
        self.until_update(page)
        server.kill()
        page.wait_for_selector("#pill.bad:has-text('connection lost')")
        self.assertRegex(self.clock(page), r"trying again (now|in \d+ s)")
        self.assertTrue(page.evaluate("document.documentElement.classList.contains('stale')"))
        self.assertEqual(len(rows(page, "components")), 19)
        self.assertNotEqual(set(column(page, "components", "Calls")), {"0"})
        server.restart("fresh", after=30)
        page.wait_for_selector("#pill.good:has-text('live')")
        self.until(page, lambda: set(column(page, "components", "Calls")) == {"0"})
        self.assertEqual(len(rows(page, "components")), 19)
        self.assertFalse(page.evaluate("document.documentElement.classList.contains('stale')"))

    def test_a_gap_is_hatched(self):
        shot = world.World("shop").snapshot
        for series in shot["history"]["fine"]["series"].values():
            series[700:760] = [None] * 60
        page = self.open(self.file(shot))
        self.assertGreater(page.locator("#vitals rect.gap").count(), 0)

    def test_the_history_of_a_new_run_is_appended_with_a_gap(self):
        server = self.serve("shop", tick=0.1)
        page = self.open(server.address + "#range=60")
        server.kill()
        page.wait_for_selector("#pill.bad")
        server.restart("restarted", after=20)
        page.wait_for_selector("#pill.good:has-text('live')")
        self.until(page, "document.querySelector('#vitals rect.gap')")

    def test_the_end_of_a_process_is_shown_with_its_time(self):
        server = self.serve()
        page = self.open(server.address)
        server.plant("end")
        page.wait_for_selector("#pill.bad:has-text('process ended')")
        self.assertRegex(self.clock(page), r"^\d\d:\d\d:\d\d UTC, trying again")

    def test_without_streams_it_polls_and_tries_a_stream_again_after_the_server_was_down(self):
        server = self.serve("shop", tick=0.1)
        server.plant("stream", "off")
        page = self.open(server.address)
        page.wait_for_selector("#pill.good:has-text('by polling')")
        self.until_update(page)
        self.until_update(page)
        self.assertIn("by polling", page.inner_text("#pill"))
        server.kill()
        page.wait_for_selector("#pill.bad:has-text('connection lost')")
        server.restart("restarted", after=20)
        server.until(lambda stats: stats["streams"] == 1)

    def test_nothing_moves_while_a_button_is_pressed_but_for_a_second_at_most(self):
        server = self.serve("shop", tick=3600)
        page = self.open(server.address, context=self.timed())
        shown = lambda: page.inner_html("#vitals")

        def ticks_arrive(milliseconds):
            seq = server.step(5)
            self.until(page, f"window.__tick >= {seq}")
            page.clock.run_for(milliseconds)

        page.clock.pause_at(page.evaluate("Date.now() + 1000"))
        page.mouse.move(640, 300)
        page.mouse.down()
        before = shown()
        ticks_arrive(900)
        self.assertEqual(shown(), before)
        page.clock.run_for(300)
        self.assertNotEqual(shown(), before, "a second is over")
        page.mouse.up()
        page.mouse.down()
        before = shown()
        ticks_arrive(900)
        self.assertEqual(shown(), before)
        page.mouse.up()
        page.clock.run_for(300)
        self.assertNotEqual(shown(), before, "the button is released")
        self.assert_content(page)

    def test_unreadable_data_is_reported_and_the_last_good_data_kept(self):
        server = self.serve("shop", tick=0.1)
        page = self.open(server.address)
        server.plant("malformed")
        page.wait_for_selector("#banner:has-text('cannot be read')")
        self.assertEqual(len(rows(page, "components")), 19)
        server.plant("clear")
        page.wait_for_selector("#banner:has-text('cannot be read')", state="hidden")

    def test_an_unknown_version_is_named(self):
        server = self.serve()
        server.plant("version", 3)
        page = self.open(server.address)
        page.wait_for_selector("#banner:has-text('this is version 3')")
        self.assertIn("reload the page", page.inner_text("#banner"))

    def test_an_error_of_the_server_is_named(self):
        server = self.serve()
        server.plant("status", 503)
        page = self.open(server.address)
        page.wait_for_selector("#age:has-text('the server answered 503')")

    def test_tabs_share_one_stream_and_another_takes_over(self):
        server = self.serve("shop", tick=0.1)
        context = self.context()
        first, second = self.open(server.address, context), self.open(server.address, context)
        server.until(lambda stats: stats["streams"] == 1)
        self.until_update(second)
        told = server.pass_ticks(10)
        self.assertEqual([told["streams"], told["opened"]], [1, 1])
        first.close()
        told = server.until(lambda stats: stats["opened"] == 2 and stats["streams"] == 1, "the second tab takes over")
        self.until_update(second)
        self.assertIn("live", second.inner_text("#pill"))

    def test_a_tab_that_receives_ticks_before_its_snapshot_takes_over_too(self):
        server = self.serve("shop", tick=0.05)
        context = self.context()
        first = self.open(server.address, context)
        server.until(lambda stats: stats["streams"] == 1)
        # The first tab forwards some ticks while the second waits for its snapshot.
        server.plant("slow", 10)
        second = self.open(server.address, context)
        server.plant("clear")
        first.close()
        server.until(lambda stats: stats["opened"] == 2 and stats["streams"] == 1, "the second tab takes over")
        self.until_update(second)

    def test_hidden_it_sends_no_requests(self):
        server = self.serve("shop", tick=0.1)
        page = self.open(server.address)
        server.until(lambda stats: stats["streams"] == 1)
        page.evaluate("Object.defineProperty(document, 'hidden', {configurable: true, get: () => true}); document.dispatchEvent(new Event('visibilitychange'))")
        server.until(lambda stats: stats["streams"] == 0)
        before = server.pass_ticks(5)
        after = server.pass_ticks(15)
        self.assertEqual([after["sent"], after["asked"]], [before["sent"], before["asked"]])
        page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
        page.wait_for_selector("#pill:has-text('live')")
        self.until_update(page)

    def test_a_server_that_hangs_is_detected_and_then_reconnected(self):
        server = self.serve("shop", tick=0.1)
        context = self.context()
        context.add_init_script("AbortSignal.timeout = ((patience) => (ms) => patience.call(AbortSignal, ms / 20))(AbortSignal.timeout)")
        page = self.open(server.address, context)
        server.until(lambda stats: stats["streams"] == 1)
        server.plant("hang")
        page.wait_for_selector("#pill.bad:has-text('connection lost')")
        self.assertIn("no answer", self.clock(page))
        server.plant("clear")
        page.wait_for_selector("#pill.good:has-text('live')")
        self.until_update(page)

    def test_the_export_of_a_snapshot_shows_what_the_live_page_shows(self):
        server = self.serve("shop", tick=3600)
        live = self.open(server.address)
        exported = self.open(self.file(server.get("api/snapshot")))
        for panel in ["components", "errors", "budgets", "regressions", "events"]:
            for page in (live, exported):
                page.evaluate(f"location.hash = '#panel={panel}'")
                self.until(page, f"document.activeElement.id === '{panel}-title'")
            self.assertEqual(rows(live, panel), rows(exported, panel), panel)


class Export(PageTest):
    def test_an_export_works_from_a_file_with_its_interactions_and_without_live_controls(self):
        page = self.static()
        self.assertIn("Static export of 2026-11-21", page.inner_text("#banner"))
        self.assertEqual(page.locator("#pause").count(), 0)
        self.click(page, "#nav a:has-text('Components')")
        page.click("#components thead button:has-text('Live')")
        page.select_option("label:has-text('Range') select", "86400")
        self.drawn(page)
        self.assertEqual(self.requests, [page.url.split("#")[0]])
        self.assert_content(page)

    def test_a_comparison_shows_before_and_after(self):
        made = world.World("shop")
        before = json.loads(json.dumps(made.snapshot))
        for _ in range(20):
            made.advance(made.snapshot["capturedAt"] + 1)
        page = self.open(self.file({"schema": "axiom/comparison", "version": 1, "before": before, "after": made.snapshot}))
        self.assertIn("Before: 2026", page.inner_text("#banner"))
        self.assertIn("calls", column(page, "compare", "Measure"))

    def test_a_file_of_another_version_or_with_broken_data_says_so(self):
        shot = world.World("empty").snapshot
        page = self.open(self.file({**shot, "version": 9}))
        self.assertIn("this is version 9", page.inner_text("#banner"))
        page = self.open(self.file({**shot, "components": "none"}))
        self.assertIn('"components" is not a list', page.inner_text("#banner"))

    def test_empty_and_new_applications_say_what_is_missing(self):
        page = self.static("empty")
        self.assertIn("No components yet", page.inner_text("#problems"))
        page = self.static("fresh", "#tab=errors")
        self.assertEqual(page.inner_text("#nothing"), "Errors, Problem history: nothing")
        self.assertEqual(page.locator("main > section:not([hidden])").count(), 1)
        self.assertIn("No circuit breakers", page.inner_text("#circuits"))
        self.click(page, "#nothing a:has-text('Errors')")
        self.assertIn("Nothing yet.", page.inner_text("#errors"))
        self.assertEqual(page.inner_text("#nothing"), "Problem history: nothing")
        page = self.static("fresh", "#tab=latency")
        said = page.inner_text("main")
        for words in ["not measured yet", "–"]:
            self.assertIn(words, said)
        self.assertEqual(page.inner_text("#nothing"), "Activity, Regressions: nothing")
        self.click(page, "#nothing a:has-text('Regressions')")
        self.assertIn("No baseline is loaded", page.inner_text("#regressions"))

    def test_charts_with_one_point_and_with_none_are_drawn(self):
        shot = world.World("shop").snapshot
        for ring in shot["history"].values():
            ring["series"] = {"calls": [5]}
            ring["start"] = shot["capturedAt"] - 1
        page = self.open(self.file(shot))
        self.assertRegex(page.get_attribute("#vitals path.line", "d"), "^M")
        self.assertIn("Errors: nothing measured yet.", page.text_content("#vitals"))
        self.assert_content(page)


if __name__ == "__main__":
    unittest.main()
