# SPDX-License-Identifier: Apache-2.0
"""The panels of what modules record: capabilities, what is overdue or refused, navigation, configuration, contexts of errors."""
import unittest

import sight_tests
import world
from support import TALL, PageTest, column, rows

PANELS = ["capabilities", "changes", "overdue", "navigation", "configuration", "storage"]
LOOKS = {"light": {**TALL}, "dark": {**TALL, "color_scheme": "dark"}, "narrow": {**TALL, "viewport": {"width": 390, "height": 6000}}}


class Modules(PageTest):
    def shown(self, fragment="", sample="modules", **options):
        return self.open(self.file(world.World(sample).export()) + fragment, **{**TALL, **options})

    def table(self, page, panel, caption):
        """The rows of one table of a panel, sorted."""
        return sorted(rows(page, f"{panel} [aria-label='{caption} table']"))

    def visible(self, page):
        """The panels of the component, or of all views."""
        if page.is_visible("#detail"):
            return [panel for panel in PANELS if page.is_visible("#" + panel)]
        found = set()
        for view in page.query_selector_all("#nav a"):
            view.click()
            self.drawn(page)
            found |= {panel for panel in PANELS if page.is_visible("#" + panel)}
        return [panel for panel in PANELS if panel in found]

    def test_an_application_without_modules_has_none_of_the_panels(self):
        page = self.shown(sample="shop")
        self.assertEqual(self.visible(page), [])
        self.assert_content(page)

    def test_the_numbers_of_navigation_are_those_of_its_signals(self):
        page = self.shown()
        self.assertEqual(self.table(page, "navigation", "Flows"), [["checkout", "2", "2"], ["main", "3", "4"]])
        self.assertEqual(self.table(page, "navigation", "Screens"), [["checkout", "payment", "12", "8 ms", "310 ms"], ["main", "home", "127", "4 ms", "21 ms"], ["main", "profile", "41", "6 ms", "90 ms"]])
        self.assertEqual(self.table(page, "navigation", "Transitions"), [
            ["checkout", "payment", "push", "redirected", "12"], ["main", "home", "push", "arrived", "120"], ["main", "home", "push", "refused", "7"], ["main", "profile", "sheet", "arrived", "41"],
        ])
        self.assertEqual(self.table(page, "navigation", "Redirects"), [["checkout", "payment", "signIn", "12"]])
        self.assertEqual(self.table(page, "navigation", "Deep links"), [["/product/:id", "invalid", "2"], ["/product/:id", "opened", "33"]])
        self.assertEqual(self.table(page, "navigation", "Phase of the application"), [["active", "1"]])
        self.assert_content(page)

    def test_what_is_overdue_or_refused_is_listed_by_component(self):
        page = self.shown()
        self.assertEqual(self.table(page, "overdue", "Overdue and refused"), [
            ["CartClient", "0", "0", "0", "0", "17"], ["CheckoutContext", "0", "0", "0", "5", "0"], ["HTTPNetwork", "0", "0", "1", "0", "0"], ["PaymentClient", "13", "2", "0", "0", "0"],
        ])
        self.assertEqual(self.table(page, "overdue", "Overdue actions"), [["PaymentClient", "authorize", "9"], ["PaymentClient", "capture", "4"]])

    def test_a_configuration_shows_its_generation_its_reloads_and_the_variants_of_flags(self):
        page = self.shown()
        self.assertEqual(self.table(page, "configuration", "Settings"), [["4"]])
        self.assertEqual(self.table(page, "configuration", "Reloads"), [["applied", "3"], ["refused", "2"]])
        self.assertEqual(self.table(page, "configuration", "Feature flags"), [["newCheckout", "off", "rollout", "2,100"], ["newCheckout", "on", "rollout", "900"], ["theme", "dark", "default", "55"]])

    def test_the_numbers_of_storage_are_those_of_its_signals(self):
        page = self.shown()
        self.assertEqual(self.table(page, "storage", "Stores"), [["orders", "1", "0", "3 MiB"], ["settings", "484", "3", "20 KiB"]])
        self.assertEqual(self.table(page, "storage", "Operations"), [["orders", "open", "1", "0", "200 ms", "200 ms"], ["settings", "load", "1", "0", "3 ms", "3 ms"], ["settings", "write", "483", "3", "1 ms", "40 ms"]])
        self.assertEqual(self.table(page, "storage", "Unsaved states"), [["CartClient", "2.5 s"]])
        self.assertEqual(self.table(page, "storage", "Caches"), [["avatars", "7", "0 %", "0", "0"], ["products", "1,000", "90 %", "250", "42"]])
        self.assertEqual(self.table(page, "storage", "Evictions"), [["products", "expired", "2"], ["products", "size", "40"]])
        self.assertEqual(self.table(page, "storage", "Pools"), [["database", "5", "3", "1", "2", "100 µs", "120 ms"]])
        self.assertEqual(self.table(page, "storage", "Closed connections"), [["database", "idle", "6"], ["database", "invalid", "1"]])
        self.assertEqual(self.table(page, "storage", "Outboxes"), [["orders", "4", "95 s", "60", "5", "30 ms", "400 ms"]])
        self.assertEqual(self.table(page, "storage", "Attempts to send"), [["orders", "failed", "5"], ["orders", "kept_local", "1"], ["orders", "sent", "60"]])
        self.assertEqual(self.table(page, "storage", "Background tasks"), [["cleanup", "1", "0", "1", "30 s", "30 s"], ["refresh", "14", "2", "0", "800 ms", "4 s"]])
        self.assert_content(page)

    def test_the_page_of_a_client_shows_how_long_its_state_is_unsaved(self):
        page = self.shown("#sel=client/CartClient")
        self.assertEqual(self.visible(page), ["overdue", "storage"])
        self.assertEqual(self.table(page, "storage", "Unsaved states"), [["CartClient", "2.5 s"]])
        self.assertFalse(page.is_visible("[aria-label='Caches table']"))

    def test_a_panel_that_only_the_process_knows_is_shown_in_its_place(self):
        shot = world.World("modules").snapshot
        shot["panels"]["carts"] = ["Carts", "Carts; cart; carts_total:n:Carts"]
        shot["signals"].append({"id": 9999, "family": "axiom_carts_total", "kind": "counter", "labels": {"cart": "first"}, "value": 3})
        page = self.open(self.file(shot), **TALL)
        self.assertEqual(self.table(page, "carts", "Carts"), [["first", "3"]])
        order = page.eval_on_selector_all("main > section", "(list) => list.map((one) => one.id)")
        self.assertEqual(order.index("carts") + 1, order.index("budgets"))
        self.click(page, "#nav a:has-text('Process')")
        self.assertTrue(page.is_visible("#carts"))

    def test_a_page_that_was_opened_in_the_background_has_all_panels(self):
        context = self.context(**TALL)
        context.add_init_script("let hidden = true; Object.defineProperty(document, 'hidden', {get: () => hidden}); window.showPage = () => { hidden = false; document.dispatchEvent(new Event('visibilitychange')); };")
        page = self.open(self.serve("modules").address, context, ready="")
        self.assertEqual(page.locator("main > section").count(), 0)
        page.evaluate("showPage()")
        page.wait_for_selector("#problems[class]")
        page.wait_for_selector("#main:not([aria-busy])", state="attached")
        self.assertEqual(self.visible(page), PANELS)
        self.assertEqual(page.locator("#vitals button:has-text('PromQL')").count(), 1)
        self.assert_content(page)

    def test_capabilities_show_level_reason_changes_and_conditions(self):
        page = self.shown()
        self.assertEqual(column(page, "capabilities", "Capability"), ["HTTPNetwork", "FileStorage", "ResponseCache"])
        self.assertEqual(column(page, "capabilities", "Level"), ["✕\u2002unavailable", "▲\u2002limited", "✓\u2002full"])
        self.assertEqual(column(page, "capabilities", "Reason"), ["eth0 has no carrier", "the permission files is limited", ""])
        self.assertEqual(column(page, "capabilities", "Changes"), ["4", "1", "0"])
        self.assertEqual(column(page, "capabilities", "Conditions")[1], "permission files: limited; resource storage: enough")
        self.assertEqual(page.inner_text("#capabilities .head .note"), "2 degraded types")
        self.assertEqual(self.table(page, "changes", "Durations of changes"), [["FileStorage", "5 ms", "5 ms"], ["HTTPNetwork", "2 ms", "9 ms"]])

    def test_the_page_of_a_capability_has_its_own_level_and_changes_only(self):
        page = self.shown("#tab=components")
        self.click(page, "#capabilities tbody a:has-text('HTTPNetwork')")
        self.assertEqual(page.inner_text("#detail-title"), "HTTPNetwork")
        self.assertEqual(self.visible(page), ["capabilities", "changes", "overdue"])
        self.assertEqual(column(page, "capabilities", "Capability"), ["HTTPNetwork"])
        self.assertEqual(self.table(page, "changes", "Changes"), [["HTTPNetwork", "service_lost", "success", "3"], ["HTTPNetwork", "service_restored", "failure", "1"]])
        self.click(page, "#nav a:has-text('Process')")
        self.click(page, "#overdue a:has-text('CartClient')")
        self.assertEqual(self.visible(page), ["overdue", "storage"])
        self.assertEqual([row[0] for row in self.table(page, "overdue", "Overdue and refused")], ["CartClient"])
        self.assertFalse(page.is_visible("[aria-label='Overdue actions table']"))
        self.assert_content(page)

    def test_components_can_show_the_level(self):
        page = self.shown("#cols=level")
        levels = dict(zip(column(page, "components", "Component"), column(page, "components", "Level")))
        self.assertEqual(levels["HTTPNetwork"], "✕\u2002unavailable")
        self.assertEqual(levels["CartClient"], "–\u2002–")

    def test_an_error_shows_the_context_that_the_application_gave(self):
        page = self.shown("#sel=client/PaymentClient")
        self.assertIn("user u-0, appVersion 2.4.1, cart 1 items", column(page, "occurrences", "Context"))
        self.assertIn("", column(page, "occurrences", "Context"))

    def test_the_data_of_a_panel_is_copied_with_the_names_of_the_metrics(self):
        page = self.shown("#tab=process")
        page.evaluate("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
        page.click("#configuration [aria-label='Copy Configuration']")
        page.click("#configuration .menu button:has-text('CSV')")
        self.until(page, "window.copied")
        lines = page.evaluate("copied").split("\r\n")
        self.assertEqual(lines[0], "family,kind,labels,value,sum,p50,p99")
        self.assertIn('axiom_feature_flag_evaluations_total,counter,"flag=theme, variant=dark, reason=default",55,,,', lines)

    def test_live_changes_reach_the_tables(self):
        server = self.serve("modules")
        page = self.open(server.address, **TALL)
        self.assertEqual(self.visible(page), PANELS)
        self.until_update(page, 2)
        self.assertEqual(self.table(page, "navigation", "Flows"), [["checkout", "2", "2"], ["main", "3", "4"]])
        self.assert_content(page)

    def test_a_snapshot_without_these_lists_is_still_shown(self):
        shot = world.World("modules").snapshot
        del shot["signals"], shot["capabilities"]
        page = self.open(self.file(shot), **TALL)
        self.assertEqual(self.visible(page), [])
        self.assert_content(page)


class ModuleLooks(PageTest):
    check = sight_tests.Axes.check

    def test_axe_finds_nothing_in_any_look(self):
        for look, options in LOOKS.items():
            for place in ("", "#sel=capability/HTTPNetwork", "#sel=client/PaymentClient"):
                with self.subTest(f"{look} {place}"):
                    page = self.open(self.file(world.World("modules").export()) + place, **options)
                    self.check(page, f"{look} {place}", "#detail", *(f"#{panel}" for panel in PANELS))
                    captions = page.eval_on_selector_all("main section:not([hidden]) caption", "(list) => list.map((one) => one.textContent)")
                    self.assertEqual(len(captions), len(set(captions)))
                    page.close()


if __name__ == "__main__":
    unittest.main()
