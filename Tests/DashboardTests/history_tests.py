# SPDX-License-Identifier: Apache-2.0
"""What happened before: problems that ended, the latest errors of a component, a comparison, and the page without JavaScript."""
import datetime
import json
import unittest

from sight_tests import LOOKS, violations
from support import PageTest, chromium, column, rows
import shipped
import world


class Problems(PageTest):
    def world(self):
        """The shop with a problem that ended and came back twice."""
        made = world.World("shop")
        at = made.snapshot["capturedAt"]
        last = {"kind": "bad", "panel": "circuits", "component": made.ids["UserClient"], "text": "Circuit UserClient is open", "at": at, "ended": None, "cause": None}
        made.snapshot["problems"] += [
            {**last, "id": 20, "since": at - 40}, {**last, "id": 21, "since": at - 300, "ended": at - 200, "at": at - 200, "later": 20},
            {**last, "id": 22, "since": at - 150, "ended": at - 100, "at": at - 100, "later": 20},
        ]
        return made

    def test_one_click_shows_all_problems_with_their_times_and_how_long_they_lasted(self):
        page = self.open(self.file(self.world().snapshot))
        self.click(page, "#nav a:has-text('Errors')")
        self.assertEqual(len(rows(page, "history")), 13)
        # 14:06:40 is the time of the data.
        self.assertEqual(rows(page, "history")[0][:5], ["14:06:00", "Circuit UserClient is open", "✕\u2002severe", "ongoing", "40 s"])
        self.assertIn(["14:01:40", "Circuit UserClient is open", "✕\u2002severe", "14:03:20", "1 min 40 s"], [row[:5] for row in rows(page, "history")])
        self.assertIn("4 ended, 9 ongoing", page.inner_text("#history .head"))
        self.assert_content(page)

    def test_it_can_be_sorted_by_severity_and_duration_and_leads_to_the_panel(self):
        page = self.open(self.file(self.world().snapshot) + "#tab=errors")
        self.click(page, "#history thead button:has-text('Severity')")
        self.assertEqual([text[2:] for text in column(page, "history", "Severity")], ["severe"] * 10 + ["warning"] * 3)
        self.click(page, "#history thead button:has-text('Lasted')")
        self.assertEqual(column(page, "history", "Lasted")[0], "1 min 40 s")
        self.click(page, "#history tbody a >> nth=0")
        self.until(page, "document.activeElement.id === 'circuits-title'")
        self.assertIn("UserClient", page.inner_text("#detail-title"))

    def test_the_verdict_has_a_problem_that_came_back_once(self):
        page = self.open(self.file(self.world().snapshot))
        self.assertIn("9 problems", page.inner_text("#problems"))
        self.click(page, "#more")
        self.assertEqual(sum("UserClient is open" in text for text in page.locator("#list > li > a").all_inner_texts()), 1)

    def test_a_healthy_application_has_an_empty_history(self):
        page = self.static("quiet", "#tab=errors")
        self.assertEqual(page.inner_text("#nothing"), "Errors, Problem history: nothing")
        self.click(page, "#nothing a:has-text('Problem history')")
        self.assertIn("Nothing yet.", page.inner_text("#history"))


class Occurrences(PageTest):
    def test_the_page_of_a_component_has_the_latest_errors_with_whole_messages_of_an_export(self):
        page = self.open(self.file(world.World("shop").export()) + "#sel=client/PaymentClient")
        self.assertFalse(page.is_hidden("#occurrences"))
        shown = rows(page, "occurrences")
        self.assertEqual(len(shown), 40)
        self.assertEqual({row[1] for row in shown}, {"AXIOM_NET_003", "AXIOM_CIRCUIT_001"})
        self.assertEqual({row[3] for row in shown}, {"not recovered", "recovered", "cancelled"})
        longest = max((row[4] for row in shown), key=len)
        self.assertTrue(longest.endswith("after it was sent again"))
        cut = page.eval_on_selector_all("#occurrences td", "(list) => list.filter((td) => td.scrollWidth > td.clientWidth + 1).length")
        self.assertEqual(cut, 0)
        links = page.eval_on_selector_all("#occurrences tbody a[href]", "(list) => list.map((a) => a.getAttribute('href'))")
        self.assertEqual(len(links), 20)
        self.assertEqual(sum(link.endswith("trace=00000000000000000000000000000002") for link in links), 1)
        self.assert_content(page)

    def test_a_code_of_the_framework_tells_its_meaning_and_remedy_under_the_pointer_and_in_the_open_row(self):
        help = "A circuit breaker refused a call because it is open. Try again later."
        page = self.open(self.file(world.World("shop").export()) + "#tab=errors")
        row = page.locator("#errors tbody tr:has-text('AXIOM_CIRCUIT_001')")
        self.assertEqual(row.locator("th span").get_attribute("title"), f"AXIOM_CIRCUIT_001\nAXIOM_CIRCUIT_001: {help}")
        sample = row.locator("td").last
        narrow = sample.bounding_box()["height"]
        self.assertEqual(sample.inner_text(), "The circuit PaymentClient is open for 4.2 s ▸ " + help)
        row.locator("td").nth(2).click()
        self.assertGreater(sample.bounding_box()["height"], 2 * narrow)
        # A code that is not the framework's has no more than its own text.
        other = page.locator("#errors tbody tr:has-text('AXIOM_NET_003')")
        self.assertEqual(other.locator("th span").get_attribute("title"), "AXIOM_NET_003")
        # A file has no server that explains the codes.
        self.assertEqual(page.locator("#errors tbody th a[href]").count(), 0)
        self.assertNotIn("▸", other.inner_text())
        self.click(page, "#errors tbody a >> nth=0")
        page.goto(page.url.split("#")[0] + "#sel=client/PaymentClient")
        self.drawn(page)
        codes = page.locator("#occurrences td span:text-is('AXIOM_CIRCUIT_001')")
        self.assertIn(help, codes.first.get_attribute("title"))
        failed = page.locator("#activity td span:has-text('AXIOM_CIRCUIT_001')")
        self.assertTrue(all(help in failed.nth(i).get_attribute("title") for i in range(failed.count())))
        self.assert_content(page)

    def test_an_error_with_causes_shows_their_chain_in_its_group_and_in_its_latest_errors(self):
        chain = "TRIPS_FAILED ← AXIOM_CIRCUIT_001 ← TRIPS_VAULT_KEY (Vault)"
        shot = world.World("shop").export()
        shot["errors"][0].update(code="TRIPS_FAILED", chain=chain)
        for one in shot["occurrences"]:
            if one["error"] == 0:
                one["chain"] = chain if one["id"] % 2 else None
        page = self.open(self.file(shot))
        group = page.locator("#errors tbody tr:has-text('TRIPS_FAILED')")
        self.assertEqual(group.locator("th").inner_text(), chain)
        self.assertTrue(group.locator("th span").get_attribute("title").startswith(chain + "\nAXIOM_CIRCUIT_001: "))
        self.assertEqual(page.locator("#errors tbody th span:text-is('AXIOM_CIRCUIT_001')").count(), 1)
        page.keyboard.press("Control+k")
        page.keyboard.type("TRIPS_VAULT")
        self.drawn(page)
        self.assertTrue(page.locator("#hits li").first.inner_text().startswith(chain + " of PaymentClient"))
        page.keyboard.press("Enter")
        page.goto(page.url.split("#")[0] + "#sel=client/PaymentClient")
        self.drawn(page)
        shown = [row[1] for row in rows(page, "occurrences") if row[1].startswith("TRIPS_FAILED")]
        self.assertEqual({text: shown.count(text) for text in shown}, {chain: 10, "TRIPS_FAILED": 10})
        self.assert_content(page)

    def test_the_link_of_a_chain_is_that_of_its_code_of_the_framework(self):
        chain = "TRIPS_FAILED ← AXIOM_NET_003 ← AXIOM_CIRCUIT_001"

        def chained(route):
            answer = route.fetch()
            shot = answer.json()
            shot["errors"][0].update(code="TRIPS_FAILED", chain=chain)
            route.fulfill(response=answer, json=shot)

        page = self.open(self.serve("shop").address)
        page.route(lambda url: "api/snapshot" in url, chained)
        page.reload()
        code = page.locator(f"#errors tbody th a:text-is('{chain}')")
        self.until(page, lambda: code.count())
        self.assertEqual(code.get_attribute("href"), "codes?&#AXIOM_CIRCUIT_001")
        self.assert_content(page)

    def test_a_code_of_the_framework_links_to_its_explanation_on_the_server(self):
        page = self.open(self.serve("shop", tick=0.1).address + "?token=secret")
        self.until(page, lambda: page.locator("#errors tbody tr:has-text('AXIOM_CIRCUIT_001')").count())
        code = page.locator("#errors tbody th a:text-is('AXIOM_CIRCUIT_001')")
        self.assertEqual(code.get_attribute("href"), "codes?token=secret&#AXIOM_CIRCUIT_001")
        self.assertEqual(page.locator("#errors tbody th a:text-is('AXIOM_NET_003')").get_attribute("href"), None)
        self.assert_content(page)

    def test_the_main_page_has_none_and_requests_none(self):
        server = self.serve("shop", tick=0.1)
        page = self.open(server.address + "#rate=0", self.timed())
        self.assertTrue(page.is_hidden("#occurrences"))
        self.let_pass(page, 12)
        self.assertEqual(server.get("stats")["details"], 0)

    def test_a_live_page_requests_them_when_a_component_is_chosen_and_again_only_if_there_are_new_ones(self):
        server = self.serve("shop", tick=0.1)
        page = self.open(server.address + "#rate=0&sel=client/PaymentClient", self.timed())
        self.until(page, lambda: len(rows(page, "occurrences")) == 40)
        asked = server.get("stats")["details"]
        self.assertEqual(asked, 2, "one request for each group of the component")
        # A page asks at most every five seconds.
        self.let_pass(page, 12)
        self.assertEqual(server.get("stats")["details"], asked, "nothing new happened")
        self.assert_content(page)

    def test_in_a_storm_there_are_never_more_than_20_of_a_group_and_few_requests(self):
        server = self.serve("storm", tick=0.1)
        page = self.open(server.address + "#sel=client/PaymentClient")
        self.until(page, lambda: server.get("stats")["details"] >= 4)
        self.drawn(page)
        shown = column(page, "occurrences", "Error")
        self.assertLessEqual(max(shown.count(code) for code in shown), 20)
        self.assert_content(page)

    def test_a_saved_file_contains_those_that_the_page_has(self):
        page = self.open(self.file(world.World("shop").export()))
        page.click("summary:has-text('Settings')")
        with page.expect_download() as download:
            page.click("text=Save JSON")
        saved = json.loads(download.value.path().read_text())
        self.assertEqual(len(saved["occurrences"]), 53)

    def test_axe_finds_nothing_in_any_look(self):
        for look, options in LOOKS.items():
            with self.subTest(look):
                page = self.open(self.file(world.World("shop").export()) + "#sel=client/PaymentClient&panel=occurrences", **options)
                found = violations(page, "#occurrences")
                self.assertEqual([(v["id"], [node["html"][:200] for node in v["nodes"][:3]]) for v in found], [])
                page.close()


class Comparison(PageTest):
    def pages(self):
        made = world.World("shop")
        before = json.loads(json.dumps(made.snapshot))
        shot = made.snapshot
        shot["problems"] = shot["problems"][1:] + [{"id": 90, "kind": "bad", "panel": "errors", "component": 0, "text": "HTTPNetwork fails: 5 of 7 clients fail", "since": shot["capturedAt"], "at": shot["capturedAt"], "ended": None}]
        shot["problems"][3]["text"] = "PaymentClient: AXIOM_NET_003, 2,409 errors"
        shot["errors"].append({**shot["errors"][0], "id": 91, "code": "SHOP_NEW", "count": 7})
        shot["components"][0]["calls"] *= 100
        shot["components"][1]["calls"] //= 2
        return self.open(self.file({"schema": "axiom/comparison", "version": 1, "before": before, "after": shot}))

    def test_it_is_at_the_top_and_begins_with_the_problems_that_changed(self):
        page = self.pages()
        self.assertEqual(page.evaluate("scrollY"), 0)
        self.assertEqual(page.evaluate("document.querySelector('main').firstElementChild.id"), "compare")
        self.assertLess(page.locator("#compare").bounding_box()["y"], 400)
        shown = rows(page, "compare")
        self.assertEqual([row[0] for row in shown[:3]], ["Circuit PaymentClient is open", "HTTPNetwork fails: 5 of 7 clients fail", "Error SHOP_NEW in PaymentClient"])
        self.assertEqual([row[-1] for row in shown[:3]], ["gone", "new", "new"])
        self.assertIn("100×", column(page, "compare", "Change"))
        self.assertIn("−50 %", column(page, "compare", "Change"))
        self.assertNotIn("now", page.inner_text("#compare .head .note"))
        self.assertFalse(any("2,409" in row[0] for row in shown), "a problem with another number is the same problem")


class WithoutScript(PageTest):
    NOSCRIPT = ("<p>Live data needs JavaScript.</p><h2>2 problems</h2><ul><li>Severe: <bdi>HTTPNetwork fails</bdi></li></ul><h2>Component lifetimes</h2><table><thead><tr><th>Component</th>"
                + "<th class=n>Live</th>" * 8 + "</tr></thead><tbody>" + ("<tr><th><bdi>AppNavigationContext</bdi></th>" + "<td class=n>1,204</td>" * 8 + "</tr>") * 3 + "</tbody></table>")

    def test_the_tables_have_margins_and_nothing_empty_is_above_them(self):
        for width in (1280, 390):
            with self.subTest(width):
                path = self.folder / f"plain-{width}.html"
                path.write_text(shipped.page(noscript=self.NOSCRIPT))
                page = self.context(java_script_enabled=False, viewport={"width": width, "height": 800}).new_page()
                page.goto(path.as_uri())
                box = page.locator("noscript p").bounding_box()
                self.assertGreaterEqual(box["x"], 8)
                self.assertLess(box["y"], 60)
                self.assertFalse(page.is_visible("#top"))
                self.assertEqual(page.locator("noscript h2 >> nth=0").inner_text(), "2 problems")
                page.close()


class Wide(PageTest):
    def test_a_very_wide_window_has_more_columns_and_no_line_of_text_across_it(self):
        page = self.open(self.file(world.World("shop").snapshot), viewport={"width": 3840, "height": 2160})
        wide = page.eval_on_selector_all("main > section:not([hidden])", "(list) => list.map((section) => section.getBoundingClientRect().width)")
        self.assertLess(max(wide), 2000)
        self.assertGreater(len({round(x) for x in page.eval_on_selector_all("main > section:not([hidden])", "(list) => list.map((section) => section.getBoundingClientRect().left)")}), 1)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 3840)


if __name__ == "__main__":
    unittest.main()
