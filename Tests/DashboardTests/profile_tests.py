# SPDX-License-Identifier: Apache-2.0
"""The view of the profile: its flame graph and its table."""
import gzip
import json
import re
import unittest

import profiles
import shipped
import world
from sight_tests import LOOKS, violations
from support import GIVEN_URL, PageTest, column, rows

# The most bytes of the second script, compressed.
LIMIT = 8_000
# Browsers keep six digits of a style.
ROUNDING = 1e-3
# What is known of each box: its place, its level, and what it says.
BOXES = """[...document.querySelectorAll('.flames > div')].map((box) => ({
    x: parseFloat(box.style.left), width: parseFloat(box.style.width), level: +box.ariaLevel, text: box.textContent, kind: box.className, says: box.ariaLabel,
}))"""


class Weight(unittest.TestCase):
    def test_the_second_script_takes_at_most_8_kB_compressed(self):
        self.assertLessEqual(len(gzip.compress(shipped.PARTS["profile"].encode(), 9, mtime=0)), LIMIT)

    def test_the_first_script_shares_what_the_second_one_imports_and_no_more(self):
        first = (shipped.WEB / "panels/profile.js").read_text()
        shared = set(re.findall(r"\w+", re.search(r"window\.shared = \[(.*?)\];", first, re.S)[1]))
        texts = [path.read_text() for path in (shipped.WEB / "profile").glob("*.js")]
        imported = {name for text in texts for names in re.findall(r"^import \{([^}]*)\} from '\.\./", text, re.M) for name in re.findall(r"\w+", names)}
        self.assertEqual(imported, shared)

    def test_only_a_page_with_a_profile_contains_it(self):
        shot = world.World("shop").snapshot
        script = f"<script>{shipped.PARTS['profile']}</script>"
        self.assertNotIn(script, shipped.page())
        self.assertNotIn(script, shipped.page(shot))
        self.assertIn(script, shipped.page({**shot, "app": {**shot["app"], "profile": True}}))


class Profiled(PageTest):
    def shot(self, profile):
        shot = world.World("shop").export()
        shot["app"]["profile"] = True
        return {**shot, "profile": profile}

    def exported(self, profile=None, fragment="", **options):
        """A file with a profile."""
        return self.ready(self.open(self.file(self.shot(profile or profiles.make())) + "#tab=profile" + fragment, **options))

    def live(self, fragment="", faults=(), ready=True, **options):
        server = self.serve("shop", profiles=1)
        for fault in faults:
            server.plant(*fault)
        page = self.open(server.address + "#tab=profile" + fragment, **options)
        return server, self.ready(page) if ready else page

    def ready(self, page):
        self.until(page, lambda: page.locator(".flames > div").count() > 0 or page.locator("#profile [role=status].empty:visible", has_not_text="Reading").count() > 0)
        return self.drawn(page)

    def boxes(self, page):
        return page.evaluate(BOXES)

    def box(self, page, text):
        return page.locator(".flames > div", has_text=text).first

    def says(self, page):
        return page.inner_text("#profile .about")

    def asked(self, server, path="/api/profile"):
        return [url for url in server.get("profile_reads") if url.startswith(path)]


@unittest.skipIf(GIVEN_URL, "needs the fake server")
class Layout(Profiled):
    def test_children_are_within_their_parents_and_take_no_more(self):
        for measure in ("time", "processor", "waiting", "allocated", "live"):
            with self.subTest(measure):
                page = self.exported(profiles.make(allocations=True), f"&value={measure}")
                boxes = self.boxes(page)
                self.assertGreater(len(boxes), 3)
                path, used = [], {}
                for box in boxes:
                    del path[box["level"] - 1:]
                    if path:
                        parent = path[-1]
                        self.assertGreaterEqual(box["x"], parent["x"] - ROUNDING)
                        self.assertLessEqual(box["x"] + box["width"], parent["x"] + parent["width"] + ROUNDING)
                        used[id(parent)] = used.get(id(parent), 0) + box["width"]
                        self.assertLessEqual(used[id(parent)], parent["width"] + ROUNDING)
                    path.append(box)
                top = sum(box["width"] for box in boxes if box["level"] == 2)
                self.assertAlmostEqual(top, 100, delta=1.5)

    def test_widths_are_those_of_the_chosen_value(self):
        page = self.exported(profiles.make([([("client", "A.a"), ("function", "f")], 30, 0), ([("client", "A.a"), ("wait", "w")], 0, 30 / 97), ([("client", "B.b"), ("function", "g")], 60, 0)]))
        widths = lambda: {box["text"]: round(box["width"], 1) for box in self.boxes(page)}
        self.assertEqual(widths(), {"All": 100, "◆ A.a": 50, "f": 25, "◷ w": 25, "◆ B.b": 50, "g": 50})
        page.select_option("label:has-text('Width') select", "processor")
        self.until(page, lambda: widths() == {"All": 100, "◆ A.a": 33.3, "f": 33.3, "◆ B.b": 66.7, "g": 66.7})
        page.select_option("label:has-text('Width') select", "waiting")
        self.until(page, lambda: widths() == {"All": 100, "◆ A.a": 100, "◷ w": 100})
        self.assertEqual(page.locator("label:has-text('Width') option").count(), 3)
        self.assert_content(page)

    def test_the_width_is_the_processor_time_if_waits_are_missing_unless_it_is_chosen(self):
        profile = {**profiles.make(), "waitsSince": 1795269980}
        for fragment, measure in (("", "processor"), ("&value=time", "time")):
            page = self.exported(profile, fragment)
            self.assertEqual(page.input_value("label:has-text('Width') select"), measure)
            self.assertRegex(page.inner_text("#profile .body > .note"), r", waits before \S+ are not known$")

    def test_lost_samples_are_told(self):
        page = self.exported({**profiles.make(lost=3), "lostAllocated": 1, "lostLive": 20})
        self.assertIn("3 lost, 1 sample of allocations lost, 20 live blocks lost", page.inner_text("#profile .body > .note"))

    def test_an_end_of_the_sampling_and_threads_that_are_not_sampled_are_told(self):
        page = self.exported({**profiles.make(), "unsampled": 2, "ended": "The program handles SIGPROF."})
        self.assertIn("2 threads not sampled, the sampling ended: The program handles SIGPROF.", page.inner_text("#profile .body > .note"))
        self.assertNotRegex(self.exported({**profiles.make(), "unsampled": 0, "ended": None}).inner_text("#profile .body > .note"), "not sampled|ended")

    def test_a_function_that_is_a_guess_in_some_stacks_is_one_row(self):
        action, sure, guess = ("client", "A.a"), ("function", "f", "Shop"), ("function", "f", "Shop", None, None, True)
        page = self.exported(profiles.make([([action, guess, ("function", "g", "Shop")], 30, 0), ([action, sure], 60, 0)]), "&value=processor")
        self.assertEqual([row[0] for row in rows(page, "profile")].count("f"), 1)
        found = {row[0]: row for row in rows(page, "profile")}
        self.assertEqual((found["f"][5][:5], found["f"][6]), ("100 %", "90"))
        self.assertNotIn("? f", found)

    def test_kinds_have_signs_and_not_only_colours(self):
        page = self.exported()
        kinds = {box["kind"]: box["text"] for box in self.boxes(page)}
        self.assertEqual(set(kinds), {"function", "operation", "wait", "unsure", "outside"})
        self.assertTrue(kinds["unsure"].startswith("? ") and kinds["wait"].startswith("◷ ") and kinds["outside"].startswith("○ "))

    def test_the_table_has_self_and_total_with_the_error_and_counts_recursion_once(self):
        page = self.exported(fragment="&value=processor")
        found = {row[0]: row for row in rows(page, "profile")}
        self.assertEqual(found["Price.parse(_:)"][1:], ["Shop", "4.3 s", "36 % ± 2.8 %", "4.3 s", "36 % ± 2.8 %", "420"])
        self.assertEqual(found["CartClient.total(of:)"][2:], ["1.3 s", "11 % ± 1.8 %", "5.7 s", "47 % ± 2.9 %", "550"])
        self.assertEqual(found["CartClient.walk(_:)"][2::2], ["928 ms", "928 ms", "90"])
        self.assertNotIn("◷ waits for FileStorage", found)
        self.click(page, "#profile th button:text-is('Total')")
        self.assertEqual(column(page, "profile", "Function")[0], "◧ CheckoutContext.pay")
        self.assertIn("sort.profile=-total", page.url)

    def test_a_box_says_what_it_is(self):
        page = self.exported()
        self.box(page, "Price.parse").hover()
        self.drawn(page)
        self.assertEqual(self.says(page), "Price.parse(_:) function, Shop, Cart.swift:88, 4.3 s, 20 % ± 1.6 % of all, 420 samples")
        self.box(page, "? FileStorage").hover()
        self.assertIn("probable caller, Shop, Cart.swift:130", self.drawn(page).inner_text("#profile .about"))
        summary = page.inner_text("#profile .body > .note")
        self.assertRegex(summary, r"^1,160 samples from \S+ to \S+, 97 samples per second of processor time, 12 % outside of actions$")

    def test_a_narrow_box_has_no_name(self):
        page = self.exported(profiles.large())
        for box in page.locator(".flames > div").all()[::40]:
            width = box.evaluate("node => node.clientWidth")
            self.assertEqual(box.locator("span").is_visible(), width > 26, width)

    def test_many_stacks_are_drawn(self):
        page = self.exported(profiles.large())
        boxes = self.boxes(page)
        self.assertGreater(len(boxes), 20)
        self.assertLess(len(boxes), 12_000)
        self.assertEqual(page.locator("#profile tbody:not([aria-hidden]) tr").count(), 40)
        self.box(page, "Client").click()
        self.assertGreater(len(self.boxes(self.drawn(page))), 20)
        self.assert_content(page)


@unittest.skipIf(GIVEN_URL, "needs the fake server")
class Use(Profiled):
    def test_a_click_zooms_and_the_path_leads_back(self):
        page = self.exported()
        self.box(page, "CartClient.total").click()
        page.mouse.move(0, 0)
        self.drawn(page)
        self.assertEqual([(box["text"], round(box["width"])) for box in self.boxes(page)], [("CartClient.total(of:)", 100), ("Price.parse(_:)", 76)])
        crumbs = page.locator("#profile .crumbs button")
        self.assertEqual(crumbs.all_text_contents(), ["All", "◧ CheckoutContext.pay", "◆ CartClient.add", "CartClient.total(of:)"])
        self.assertIn("26 % ± 1.7 % of all", self.says(page))
        crumbs.nth(2).click()
        self.assertEqual(self.boxes(self.drawn(page))[0]["text"], "◆ CartClient.add")
        self.box(page, "CartClient.add").click()
        self.assertEqual(self.boxes(self.drawn(page))[0]["text"], "◧ CheckoutContext.pay")

    def test_a_zoom_is_a_deep_link(self):
        page = self.exported(fragment="&value=processor&find=price")
        self.box(page, "CartClient.total").click()
        self.drawn(page)
        copied = page.url
        self.assertIn("zoom=CheckoutContext.pay", copied)
        texts = [box["text"] for box in self.boxes(page)]
        self.assertEqual(texts, ["CartClient.total(of:)", "Price.parse(_:)"])
        for address in (copied, re.sub(r"^file:.*#", self.serve("shop", profiles=1).address + "#", copied)):
            other = self.ready(self.open(address))
            self.assertEqual([box["text"] for box in self.boxes(other)], texts)
            self.assertEqual(other.locator("#profile .crumbs button").count(), 4)
            self.assertEqual((other.locator(".flames .hit").count(), other.input_value("label:has-text('Width') select")), (1, "processor"))

    def test_back_and_forward_undo_and_redo_zooms(self):
        page = self.exported()
        shown = lambda: self.boxes(page)[0]["text"]
        steps = ["All", "◆ CartClient.add", "Price.parse(_:)", "◧ CheckoutContext.pay", "All"]
        for step in steps[1:3]:
            self.box(page, step).click()
            self.until(page, lambda: shown() == step)
        page.locator("#profile .crumbs button").nth(1).click()
        self.until(page, lambda: shown() == steps[3])
        # The root at the top stays: no step more.
        page.locator(".flames").press("Escape")
        self.until(page, lambda: shown() == "All")
        self.box(page, "All").click()
        for step in steps[-2::-1]:
            page.go_back()
            self.until(page, lambda: shown() == step)
        self.assertNotIn("zoom", page.url)
        for step in steps[1:]:
            page.go_forward()
            self.until(page, lambda: shown() == step)
        self.assertEqual(page.locator(".flames [tabindex='0']").count(), 1)
        self.assert_content(page)

    def test_a_zoom_survives_a_reading_and_falls_back_to_what_is_left_of_its_path(self):
        server, page = self.live("&zoom=CheckoutContext.pay;CartClient.add;No.such;memcpy")
        shown = lambda: self.boxes(page)[0]["text"]
        self.assertEqual(shown(), "◆ CartClient.add")
        for n in (2, 3):
            page.click("#profile button:text-is('Refresh')")
            self.until(page, lambda: len(self.asked(server)) == n)
            self.assertEqual(self.boxes(self.drawn(page))[0]["text"], "◆ CartClient.add")
        page.select_option("#profile label:has-text('Range') select", "300")
        self.until(page, lambda: len(self.asked(server)) == 4)
        self.assertEqual(self.boxes(self.drawn(page))[0]["text"], "◆ CartClient.add")
        self.assertIn("zoom=", page.url)
        # The chosen action leaves out its callers, also in the path.
        page.select_option("#profile label:has-text('Action') select", "CartClient.add")
        self.until(page, lambda: shown() == "◆ CartClient.add")
        for zoom, top in (("No.such;CheckoutContext.pay", "All"), ("", "All"), (";", "All"), ("%E2%80%AE;%00", "All"), ("CheckoutContext.pay;" * 2000, "◧ CheckoutContext.pay")):
            page = self.exported(fragment="&zoom=" + zoom)
            self.assertEqual(self.boxes(page)[0]["text"], top)
            self.assert_content(page)

    def test_a_zoom_tells_apart_what_has_one_name(self):
        frames = lambda *kinds: [("client", "A.a"), *kinds]
        stacks = [(frames(("function", "f;g"), ("function", "x")), 30, 0), (frames(("function", "f;g", None, None, None, True), ("function", "y")), 20, 0), (frames(("function", "f;g", "libm.so"), ("function", "z")), 10, 0)]
        for leaf in ("x", "y", "z"):
            page = self.exported(profiles.make(stacks))
            self.box(page, leaf).click(force=True)
            self.until(page, lambda: [box["text"] for box in self.boxes(page)] == [leaf])
            page.locator("#profile .crumbs button").nth(2).click()
            self.until(page, lambda: [box["text"] for box in self.boxes(page)][1:] == [leaf])
            other = self.ready(self.open(page.url))
            self.assertEqual([box["text"] for box in self.boxes(other)][1:], [leaf])

    def test_everything_works_by_keyboard(self):
        page = self.exported()
        top = page.locator(".flames [tabindex='0']")
        self.assertEqual(top.count(), 1)
        top.focus()
        focused = lambda: page.evaluate("document.activeElement.textContent")
        for key, text in [("ArrowDown", "◧ CheckoutContext.pay"), ("ArrowRight", "◆ UserClient.signIn"), ("ArrowLeft", "◧ CheckoutContext.pay"), ("ArrowDown", "◆ CartClient.add"),
                          ("ArrowUp", "◧ CheckoutContext.pay"), ("ArrowDown", "◆ CartClient.add"), ("ArrowDown", "◷ waits for FileStorage"), ("ArrowRight", "CartClient.total(of:)")]:
            page.keyboard.press(key)
            self.assertEqual(focused(), text, key)
        self.assertIn("26 %", self.says(page))
        page.keyboard.press("Enter")
        self.assertEqual(self.boxes(self.drawn(page))[0]["text"], "CartClient.total(of:)")
        self.assertEqual(focused(), "CartClient.total(of:)")
        page.keyboard.press("Escape")
        self.assertEqual(self.boxes(self.drawn(page))[0]["text"], "All")
        self.assertEqual(focused(), "All")
        self.assertIn("tab=profile", page.url)
        page.keyboard.press("End")
        self.assertEqual(page.locator(".flames [tabindex='0']").count(), 1)

    def test_a_search_marks_boxes_and_says_their_share(self):
        page = self.exported()
        page.fill("#profile [type=search]", "PRICE")
        self.until(page, lambda: page.locator(".flames .hit").count() == 1)
        self.assertIn("20 % match", page.inner_text("#profile .keys >> nth=0"))
        page.fill("#profile [type=search]", "cartclient.walk")
        self.until(page, lambda: page.locator(".flames .hit").count() == 2)
        self.assertIn("4.2 % match", page.inner_text("#profile .keys >> nth=0"))
        self.assertIn("find=cartclient.walk", page.url)
        page.fill("#profile [type=search]", "")
        self.until(page, lambda: page.locator(".flames .hit, .flames .dim").count() == 0)
        page.click("#profile tbody a:text-is('memcpy')")
        self.until(page, lambda: page.locator(".flames .hit").inner_text() == "memcpy")
        self.assertEqual(page.input_value("#profile [type=search]"), "memcpy")

    def test_a_search_is_a_deep_link_and_stands_in_its_field(self):
        for page in (self.exported(fragment="&find=price"), self.live("&find=price")[1]):
            self.assertEqual(page.locator(".flames .hit").count(), 1)
            self.assertEqual(page.input_value("#profile [type=search]"), "price")

    def test_an_action_is_a_deep_link_and_leaves_out_its_callers(self):
        page = self.exported(fragment="&action=CartClient.add")
        boxes = self.boxes(page)
        self.assertEqual([box["text"] for box in boxes if box["level"] <= 2], ["All", "◆ CartClient.add"])
        select = page.locator("#profile label:has-text('Action') select")
        self.assertEqual(select.input_value(), "CartClient.add")
        options = select.locator("option").all_text_contents()
        self.assertEqual(options[:4], ["all", "CheckoutContext.pay", "CartClient.add", "UserClient.signIn"])
        select.select_option("UserClient.signIn")
        self.until(page, lambda: [box["text"] for box in self.boxes(page)][1] == "◆ UserClient.signIn")
        self.assertIn("action=UserClient.signIn", page.url)
        select.select_option("")
        self.until(page, lambda: "action" not in page.url)

    def test_an_unknown_action_is_named(self):
        page = self.exported(fragment="&action=No.such&value=nonsense&versus=x")
        self.assertIn("Nothing of this action was sampled from", page.inner_text("#profile"))
        self.assertEqual(page.locator("#profile label:has-text('Action') select").input_value(), "No.such")
        self.assert_content(page)

    def test_it_is_copied(self):
        page = self.exported(context=self.context(permissions=["clipboard-read", "clipboard-write"]))
        page.click("#profile .menu summary")
        page.click("#profile .menu button:has-text('JSON')")
        page.wait_for_selector("#banner:has-text('Copied as JSON')")
        copied = json.loads(page.evaluate("navigator.clipboard.readText()"))
        self.assertEqual([row["Samples"] for row in copied if row["Function"] == "Price.parse(_:)"], [420])

    def test_it_is_accessible_and_fits(self):
        for name, options in LOOKS.items():
            for fragment in ("", "&find=price", "&versus=60"):
                with self.subTest(f"{name} {fragment}"):
                    _, page = self.live(fragment, **options)
                    if page.locator(".flames > div").count():
                        self.box(page, "CartClient.total").click(position={"x": 4, "y": 4})
                    self.assertEqual([(v["id"], v["nodes"][0]["html"]) for v in violations(self.drawn(page), "#profile")], [])
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), page.evaluate("innerWidth"))


@unittest.skipIf(GIVEN_URL, "needs the fake server")
class Comparison(Profiled):
    def test_only_real_growth_is_marked(self):
        _, page = self.live("&versus=60&value=processor")
        kinds = {box["text"]: box["kind"] for box in self.boxes(page)}
        self.assertIn("grew", kinds["▲ Price.parse(_:)"])
        self.assertIn("grew", kinds["▲ CartClient.total(of:)"])
        self.assertIn("same", kinds["memcpy"])
        self.assertIn("same", kinds["JSONEncoder.encode(_:)"])
        first = rows(page, "profile")[0]
        self.assertEqual(first[:4], ["Price.parse(_:)", "+17 %", "20 % ± 2.6 %", "36 % ± 2.8 %"])
        # The first rows are those that the graph marks.
        grown = [row[0] for row in rows(page, "profile") if "+" in row[1]]
        self.assertEqual(sorted(grown), sorted(text[2:] for text, kind in kinds.items() if "grew" in kind))
        self.assertEqual(column(page, "profile", "Function")[:len(grown)], grown)
        self.assertRegex(page.inner_text("#profile .body > .note"), r", compared with \S+ to \S+$")

    def test_noise_is_not_marked(self):
        noisy = profiles.changed(memcpy=75, deflate=36, Price_parse=440, JSONEncoder_encode=90, swift_release=130)
        shot = {"schema": "axiom/comparison", "version": 1, "before": self.shot(profiles.make()), "after": self.shot(profiles.make(noisy))}
        page = self.ready(self.open(self.file(shot) + "#tab=profile&versus=file"))
        self.assertEqual(page.locator(".flames .grew, .flames .shrank").count(), 0)
        self.assertGreater(page.locator(".flames .same").count(), 10)
        self.assertEqual({row[1] for row in rows(page, "profile")}, {"none"})
        self.assert_content(page)

    def test_few_samples_show_no_change(self):
        shot = {"schema": "axiom/comparison", "version": 1, "before": self.shot(profiles.make([([("client", "A.a"), ("function", "f")], 3, 0), ([("client", "A.a"), ("function", "g")], 4, 0)])),
                "after": self.shot(profiles.make([([("client", "A.a"), ("function", "f")], 5, 0), ([("client", "A.a"), ("function", "g")], 2, 0)]))}
        page = self.ready(self.open(self.file(shot) + "#tab=profile&versus=file"))
        self.assertEqual(page.locator(".flames .grew, .flames .shrank").count(), 0)

    def test_a_range_without_samples_proves_no_change(self):
        waits = [stack for stack in profiles.STACKS if not stack[1]]
        for before in ([], waits):
            shot = {"schema": "axiom/comparison", "version": 1, "before": self.shot(profiles.make(before)), "after": self.shot(profiles.make())}
            for measure in ("time", "processor", "waiting") if not before else ("time", "processor"):
                with self.subTest(measure, waits=len(before)):
                    page = self.ready(self.open(self.file(shot) + "#tab=profile&versus=file&value=" + measure))
                    functions = [box["text"] for box in self.boxes(page) if "grew" in box["kind"] and ("(" in box["text"] or not before)]
                    self.assertEqual(functions, [])
                    self.assertTrue(page.inner_text("#profile .body > .note").endswith(", nothing was sampled before"))

    def test_a_range_is_chosen(self):
        server, page = self.live()
        self.assertEqual(len(self.asked(server)), 1)
        page.select_option("#profile label:has-text('Compare with') select", "120")
        self.until(page, lambda: page.locator(".flames .grew").count() > 0)
        page.select_option("#profile label:has-text('Range') select", "300")
        self.until(page, lambda: len(self.asked(server)) == 5)
        self.assertEqual([re.search(r"ago=(\d+)", url)[1] for url in self.asked(server)], ["0", "0", "120", "300", "420"])
        self.assertIn("ago=300", page.url)
        self.assertIn("versus=120", page.url)


@unittest.skipIf(GIVEN_URL, "needs the fake server")
class States(Profiled):
    def test_without_a_profiler_there_is_no_view(self):
        page = self.static(fragment="#tab=profile")
        server = self.serve("shop")
        for page in page, self.open(server.address + "#panel=profile"):
            self.assertEqual(page.locator("#nav a:has-text('Profile')").count(), 0)
            self.assertIn("Health", page.inner_text("#nav a[aria-current=page]"))
        self.assertEqual(server.get("profile_reads"), [])
        page.keyboard.press("Control+k")
        page.fill("#dialog input", "profile")
        self.assertEqual(page.locator("#hits li", has_text="panel").count(), 0)

    def test_the_script_and_the_profile_are_requested_when_the_view_is_opened(self):
        server = self.serve("shop", profiles=1)
        page = self.open(server.address)
        self.assertEqual(server.get("profile_reads"), [])
        self.click(page, "#nav a:has-text('Profile')")
        self.ready(page)
        server.pass_ticks(3)
        reads = [url.split("?")[0] for url in server.get("profile_reads")]
        self.assertEqual(reads, ["/profile.js", "/api/profile"])
        page.click("#profile button:text-is('Refresh')")
        self.until(page, lambda: len(self.asked(server)) == 2)
        self.assert_content(page)

    def test_the_script_of_another_version_is_refused_and_not_requested_again_and_again(self):
        server = self.serve("shop", profiles=1)
        page = self.open(server.address)
        page.route("**/profile.js*", lambda route: route.fulfill(body="window.profileView = 1", content_type="text/javascript"))
        self.click(page, "#nav a:has-text('Profile')")
        self.until(page, lambda: "This cannot be read" in page.inner_text("#profile"))
        server.pass_ticks(3)
        self.assertEqual(sum("/profile.js" in url for url in self.requests), 1)
        self.assertEqual(page.evaluate("__violations"), ["script-src-elem inline"])

    def test_nothing_was_sampled(self):
        _, page = self.live(faults=[("nothing",)])
        self.assertRegex(page.inner_text("#profile"), r"Nothing was sampled from \S+ to \S+\.")
        self.assertFalse(page.locator(".flames").is_visible())

    def test_a_range_that_is_forgotten_says_so(self):
        page = self.exported({**profiles.make([]), "start": 1795270000})
        self.assertRegex(page.inner_text("#profile"), r"No samples are held from before \S+\.")

    def test_it_is_being_read(self):
        server, page = self.live(faults=[("slowProfile",)], ready=False)
        self.until(page, lambda: "Reading the profile." in page.inner_text("#profile"))
        server.plant("clear")
        self.ready(page)
        self.assertGreater(len(self.boxes(page)), 5)

    def test_a_query_that_others_add_to_the_address_is_not_one_of_the_profile(self):
        server = self.serve("shop", profiles=1)
        self.ready(self.open(server.address + "?editor=7&token=a%2Bb&seconds=5#tab=profile"))
        self.assertEqual(self.asked(server), ["/api/profile?token=a%2Bb&seconds=60&ago=0"])

    def test_a_busy_server_is_asked_again_each_second_five_times(self):
        self.expects_failing_requests = True
        server, page = self.live(faults=[("busy", 2)])
        self.assertGreater(len(self.boxes(page)), 5)
        self.assertEqual(len(self.asked(server)), 3)
        server, page = self.live(faults=[("busy", 6)], ready=False)
        self.until(page, lambda: "The profile cannot be read: another profile is made" in page.inner_text("#profile"))
        self.assertEqual(len(self.asked(server)), 6)

    def test_the_text_of_a_refusal_is_shown(self):
        self.expects_failing_requests = True
        _, page = self.live(faults=[("refuseProfile",)], ready=False)
        self.until(page, lambda: "The profile cannot be read: the parameter ago is 9999: give 0 to 840" in page.inner_text("#profile"))

    def test_a_server_that_is_gone_leaves_what_was_read(self):
        self.expects_failing_requests = True
        server, page = self.live()
        server.kill()
        page.click("#profile button:text-is('Refresh')")
        self.until(page, lambda: "The profile cannot be read: the process does not answer." in page.inner_text("#profile"))
        self.assertGreater(len(self.boxes(page)), 5)

    def test_a_kept_trace_names_its_samples_and_opens_its_profile(self):
        server = self.serve("shop", profiles=1)
        kept = [trace["id"] for trace in server.get("recorder")["traces"] if trace["kept"]]
        sampled = next(name for name in kept if name[0] != "0")
        page = self.open(server.address + "#trace=" + sampled, ready=None)
        self.until(page, lambda: page.locator("#trace a:text-is('Samples: 550')").count() == 1)
        self.click(page, "#trace a:text-is('Samples: 550')")
        self.ready(page)
        self.assertIn("of=" + sampled, page.url)
        self.assertIn("trace=" + sampled, self.asked(server)[-1])
        self.assertIn("CartClient.total(of:)", [box["text"] for box in self.boxes(page)])
        self.click(page, "#profile button:text-is('All')")
        self.until(page, lambda: "trace=" not in self.asked(server)[-1])
        self.assert_content(page)

    def test_a_trace_without_samples_says_so(self):
        server = self.serve("shop", profiles=1)
        server.plant("nothing")
        kept = next(trace["id"] for trace in server.get("recorder")["traces"] if trace["kept"])
        page = self.open(server.address + "#trace=" + kept, ready=None)
        self.until(page, lambda: page.locator("#trace a:text-is('Samples: none')").count() == 1)
        self.click(page, "#trace a:text-is('Samples: none')")
        self.until(page, lambda: "No samples were taken of this trace: an action shorter than 10 ms" in page.inner_text("#profile"))

    def test_an_export_needs_no_server_and_sends_nothing(self):
        page = self.exported()
        self.assertGreater(len(self.boxes(page)), 10)
        self.assertEqual([url for url in self.requests if not url.startswith(("file:", "data:"))], [])
        for label in ("Range", "Compare with"):
            self.assertFalse(page.locator(f"#profile label:has-text('{label}')").is_visible(), label)
        self.assertFalse(page.locator("#profile button:text-is('Refresh')").is_visible())
        self.assert_content(page)

    def test_an_older_file_without_the_profile_says_so(self):
        shot = self.shot(None)
        del shot["profile"]
        page = self.open(self.file(shot) + "#tab=profile")
        self.assertIn("This file has no profile.", page.inner_text("#profile"))
        self.assert_content(page)

    def test_hostile_names_are_text(self):
        page = self.exported(profiles.hostile(world.hostile()))
        page.evaluate("window.alert = (x) => { window.__alerted = x; }")
        self.assertIn("◆ <script>alert(1)</script>", [box["text"] for box in self.boxes(page)])
        self.box(page, "NNNN").hover(force=True)
        self.box(page, "مرحبا").click(force=True)
        self.drawn(page)
        self.assertIsNone(page.evaluate("window.__alerted ?? null"))
        self.assertEqual(page.locator("main script:not([type]), main img, main style, main iframe").count(), 0)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), page.evaluate("innerWidth"))
        self.assert_content(page)

    def test_broken_data_breaks_only_the_view(self):
        for broken in ({"frames": None}, {"stacks": None}, {"stacks": [{"frames": [99, -1, "x"], "samples": None, "processor": "1e999", "waiting": -3, "allocated": None, "live": None}]}, {"rate": None, "start": None, "end": None}):
            with self.subTest(str(broken)):
                page = self.open(self.file(self.shot({**profiles.make(), **broken})) + "#tab=profile")
                self.assertNotIn("NaN", page.inner_text("#profile"))
                self.assertEqual(self.complaints, [])
                self.click(page, "#nav a:has-text('Errors')")
                self.assertTrue(page.locator("#errors").is_visible())


if __name__ == "__main__":
    unittest.main()
