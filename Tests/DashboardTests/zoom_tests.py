# SPDX-License-Identifier: Apache-2.0
"""The range of the charts: a drag, buttons, an address with a time zone, and the way back."""
import datetime
import re
import unittest
import urllib.parse

from axe_playwright_python.sync_playwright import Axe

from sight_tests import LOOKS, RULES, violations, without_scrolled_links
from support import PageTest
import world

AT = 1795270000.0


def parameters(page):
    """The settings in the URL."""
    return dict(urllib.parse.parse_qsl(page.url.partition("#")[2]))


def seconds(text):
    return datetime.datetime.fromisoformat(text).timestamp()


class Brush(PageTest):
    def drag(self, page, first, last, plot="#vitals .plot svg >> nth=0"):
        box = page.locator(plot).bounding_box()
        page.mouse.move(box["x"] + box["width"] * first, box["y"] + 30)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] * last, box["y"] + 40, steps=5)
        page.mouse.up()
        return self.drawn(page)

    def ends(self, page):
        return [page.inner_text(f"#vitals .axis >> nth=0 >> span >> nth={i}") for i in (0, 1)]

    def assert_range(self, page, first, last, slack=3):
        """Asserts that the URL has these times, in seconds before the end of the data."""
        found = parameters(page)
        self.assertAlmostEqual(seconds(found["from"]), AT - first, delta=slack)
        self.assertAlmostEqual(seconds(found["to"]), AT - last, delta=slack)

    def test_a_drag_shows_its_range_in_all_charts_and_the_address_in_either_direction(self):
        for first, last in [(0.4, 0.6), (0.6, 0.4)]:
            page = self.static()
            self.drag(page, first, last)
            self.assert_range(page, 180, 120)
            self.assertEqual([text[:5] for text in self.ends(page)], ["14:03", "14:04"])
            times = page.eval_on_selector_all("#main figure .axis", "(list) => [...new Set(list.map((axis) => axis.firstChild.textContent))]")
            self.assertEqual(len(times), 1, "the charts show different ranges")
            self.assert_content(page)
            page.close()

    def test_a_heat_map_can_be_dragged_too_and_a_click_changes_nothing(self):
        page = self.static()
        self.drag(page, 0.3, 0.301)
        self.assertNotIn("from", parameters(page))
        self.click(page, "#nav a:has-text('Latency')")
        page.locator("#latency canvas").scroll_into_view_if_needed()
        self.drag(page, 0.5, 1, "#latency canvas")
        self.assert_range(page, 150, 0)

    def test_the_brush_is_visible_during_a_drag_only(self):
        page = self.static()
        box = page.locator("#vitals .plot svg >> nth=1").bounding_box()
        page.mouse.move(box["x"] + 10, box["y"] + 30)
        page.mouse.down()
        page.mouse.move(box["x"] + 50, box["y"] + 30)
        brush = page.locator(".brush:not([hidden])").bounding_box()
        self.assertAlmostEqual(brush["x"], box["x"] + 10, delta=1)
        self.assertAlmostEqual(brush["width"], 40, delta=1)
        page.mouse.up()
        self.assertEqual(page.locator(".brush:not([hidden])").count(), 0)

    def test_a_button_and_back_return_to_the_latest_time(self):
        page = self.static()
        before = self.ends(page)
        self.drag(page, 0.4, 0.6)
        zoomed = self.ends(page)
        self.click(page, "#past button:text-is('Latest')")
        self.assertEqual(self.ends(page), before)
        page.go_back()
        self.until(page, lambda: self.ends(page) == zoomed)
        page.go_back()
        self.until(page, lambda: self.ends(page) == before)

    def test_a_chosen_range_ends_a_fixed_one(self):
        page = self.static()
        self.drag(page, 0.4, 0.6)
        page.select_option("label:has-text('Range') select", "900")
        self.drawn(page)
        self.assertEqual(parameters(page), {"range": "900"})
        self.assertFalse(page.is_visible("#fixed"))

    def test_a_fixed_range_stays_while_the_process_goes_on(self):
        page = self.open(self.serve("shop", tick=0.1).address)
        self.drag(page, 0.4, 0.6)
        before, age = self.ends(page), page.inner_text("#age")
        self.until(page, lambda: page.inner_text("#age") != age)
        self.drawn(page)
        self.assertEqual(self.ends(page), before)
        self.click(page, "text=Back to live")
        self.until_update(page, 2)
        self.assert_content(page)


class Keyboard(PageTest):
    def test_the_buttons_of_the_menu_zoom_and_move_by_keyboard(self):
        page = self.static()
        width = lambda: (seconds(parameters(page)["to"]) - seconds(parameters(page)["from"]), AT - seconds(parameters(page)["from"]))
        for name, expected in [("Zoom in", (150, 225)), ("Earlier", (150, 300)), ("Later", (150, 225)), ("Zoom out", (300, 300))]:
            page.focus("summary[aria-label='Time range']")
            page.keyboard.press("Enter")
            self.drawn(page)
            page.focus(f"button:has-text('{name}')")
            page.keyboard.press("Enter")
            self.drawn(page)
            for found, right in zip(width(), expected):
                self.assertAlmostEqual(found, right, delta=2, msg=name)

    def test_times_can_be_typed(self):
        page = self.static()
        page.click("summary[aria-label='Time range']")
        page.fill("input[aria-label=To]", "2026-11-21T14:05:00")
        page.fill("input[aria-label=From]", "2026-11-21T14:04:30")
        page.keyboard.press("Tab")
        self.drawn(page)
        self.assertEqual(parameters(page)["from"], "2026-11-21T14:04:30+00:00")
        self.assertEqual(parameters(page)["to"], "2026-11-21T14:05:00+00:00")


class Address(PageTest):
    def test_the_address_and_the_page_name_the_time_zone_and_mean_the_same_moment_in_another(self):
        for zone, offset, name in [("Asia/Kolkata", "+05:30", "UTC+5:30"), ("America/St_Johns", "-03:30", "UTC−3:30"), ("UTC", "+00:00", "UTC")]:
            page = self.open(self.file(world.World("shop").snapshot), timezone_id=zone)
            self.click(page, "summary[aria-label='Time range']")
            self.click(page, "button:has-text('Zoom in')")
            found = parameters(page)
            self.assertTrue(found["from"].endswith(offset), found)
            self.assertAlmostEqual(seconds(found["from"]), AT - 225, delta=1)
            self.assertTrue(page.inner_text("#fixed").endswith(name), page.inner_text("#fixed"))
            other = self.open(self.file(world.World("shop").snapshot) + "#" + page.url.partition("#")[2], timezone_id="UTC")
            self.assertEqual(other.inner_text("#vitals .axis span >> nth=0"), "14:02:55")

    def test_a_link_that_was_written_by_hand_works_and_a_wrong_one_is_ignored(self):
        file = self.file(world.World("shop").snapshot)
        page = self.open(file + "#from=2026-11-21T15:02:00+01:00&to=2026-11-21T14:04:00Z")
        self.assertEqual(page.inner_text("#fixed"), "14:02:00 to 14:04:00 UTC")
        page.close()
        for wrong in ["from=soon&to=2026-11-21T14:04:00Z", "from=2026-11-21T14:04:00Z", "from=2026-11-21T14:04:00Z&to=2026-11-21T14:03:00Z", "from=%00&to=Infinity"]:
            page = self.open(file + "#" + wrong)
            self.assertFalse(page.is_visible("#fixed"), wrong)
            self.assertIn("5 min", page.inner_text("label:has-text('Range') option:checked"))
            self.assert_content(page)
            page.close()

    def test_a_very_long_range_is_cut_and_one_without_data_says_so(self):
        file = self.file(world.World("shop").snapshot)
        page = self.open(file + "#from=1970-01-01T00:00:00Z&to=2026-11-21T14:04:00Z")
        self.assertTrue(page.inner_text("#fixed").startswith("2026-11-19 14:04:00 to "))
        page = self.open(file + "#from=2026-11-10T00:00:00Z&to=2026-11-10T01:00:00Z")
        self.assertIn("nothing measured yet", page.text_content("#vitals"))
        self.assert_content(page)


class Peaks(PageTest):
    def test_a_peak_of_one_point_in_24_hours_is_drawn_at_its_height_and_can_be_zoomed_into(self):
        shot = world.World("shop").snapshot
        shot["history"]["coarse"]["series"]["errors"][700] = 99
        at = shot["history"]["coarse"]["start"] + 700 * 60
        page = self.open(self.file(shot) + "#range=86400")
        self.assertIn("highest 99/s", page.text_content("#vitals"))
        stamp = lambda t: datetime.datetime.fromtimestamp(t, datetime.timezone.utc).isoformat().replace("+00:00", "Z")
        page = self.open(self.file(shot) + f"#from={stamp(at - 1800)}&to={stamp(at + 1800)}")
        self.assertIn("highest 99/s", page.text_content("#vitals"))
        drawn = page.locator("#vitals figure:has-text('Errors')").locator("path.line, path.band").evaluate_all("(list) => list.map((path) => path.getAttribute('d')).join('')")
        # The axis ends at 120/s, so that the peak does not touch its top.
        self.assertAlmostEqual(min(float(text) for text in re.findall(r" ([\d.]+)", drawn)), (1 - 99 / 120) * 100, delta=0.1)


class Look(PageTest):
    def test_axe_finds_nothing_while_a_range_is_fixed_and_the_menu_is_open(self):
        for look, options in LOOKS.items():
            with self.subTest(look):
                page = self.static("shop", "#from=2026-11-21T14:02:00Z&to=2026-11-21T14:04:00Z", **options)
                found = violations(page, "#top", "figure")
                # The open menu covers parts of what is below it.
                self.click(page, "summary[aria-label='Time range']")
                options = {"runOnly": RULES, "resultTypes": ["violations"]}
                found += Axe().run(page, context="#top", options=options).response["violations"]
                self.assertEqual([(v["id"], [node["html"][:200] for node in v["nodes"][:3]]) for v in without_scrolled_links(found)], [])
                page.close()


if __name__ == "__main__":
    unittest.main()
