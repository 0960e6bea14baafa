# SPDX-License-Identifier: Apache-2.0
"""Screenshots of every theme and state, for inspection by people.

    Tests/DashboardTests/run screenshots FOLDER
    AXIOM_DEMO=.build-release/release/axiom-demo Tests/DashboardTests/run screenshots --tour FOLDER    those of Documentation
"""
import pathlib
import sys
import tempfile

import shipped
import world
from support import Server, chromium

AT = 1795270000.0
LOOKS = {
    "light": ("shop", "", {}), "dark": ("shop", "", {"color_scheme": "dark"}), "forced": ("shop", "", {"forced_colors": "active"}),
    "mobile": ("shop", "", {"viewport": {"width": 390, "height": 844}}), "narrow": ("shop", "", {"viewport": {"width": 320, "height": 800}}),
    "wide": ("shop", "", {"viewport": {"width": 3840, "height": 2160}}), "roomy": ("shop", "#density=roomy", {}), "quiet": ("quiet", "", {}),
    "chosen": ("shop", "#sel=client/PaymentClient", {}), "day": ("shop", "#range=86400", {}), "fresh": ("fresh", "", {}), "empty": ("empty", "", {}),
    "large": ("large", "#sort.components=name", {}), "hostile": ("hostile", "", {}), "no-match": ("shop", "#q=zzz", {}),
    "activity": ("shop", "#panel=activity", {}), "trace": ("shop", "#trace=TRACE", {}), "trace-mobile": ("shop", "#trace=TRACE", {"viewport": {"width": 390, "height": 844}}),
}


def whole(page, path):
    high = page.evaluate("document.documentElement.scrollHeight")
    page.set_viewport_size({"width": page.viewport_size["width"], "height": min(high, 9000)})
    page.wait_for_timeout(400)
    page.screenshot(path=str(path))


def static(folder):
    with tempfile.TemporaryDirectory() as place:
        for name, (sample, fragment, options) in LOOKS.items():
            path = pathlib.Path(place) / f"{name}.html"
            shot = world.World(sample, at=AT).export()
            path.write_text(shipped.page(shot), encoding="utf-8")
            page = chromium().new_page(**{"viewport": {"width": 1400, "height": 1000}, "timezone_id": "UTC", **options})
            failed = next((trace["id"] for trace in shot["traces"] if trace["kept"] == "failed"), "")
            page.goto(path.as_uri() + fragment.replace("TRACE", failed))
            page.wait_for_selector("#main:not([aria-busy])", state="attached")
            page.wait_for_timeout(400)
            whole(page, folder / f"{name}.png")
            if name == "light":
                page.pdf(path=str(folder / "print.pdf"))
                page.emulate_media(media="print")
                page.evaluate("dispatchEvent(new Event('beforeprint'))")
                page.wait_for_timeout(200)
                page.screenshot(path=str(folder / "print.png"))
                page.emulate_media(media="screen")
                page.evaluate("dispatchEvent(new Event('afterprint'))")
                page.keyboard.press("?")
                page.wait_for_timeout(200)
                page.set_viewport_size({"width": 1400, "height": 900})
                page.screenshot(path=str(folder / "help.png"))
            page.close()
        path.write_text(shipped.page({**world.World("shop").snapshot, "version": 9}))
        page = chromium().new_page(viewport={"width": 1400, "height": 500})
        page.goto(path.as_uri())
        page.wait_for_selector("#main:not([aria-busy])", state="attached")
        page.screenshot(path=str(folder / "error-version.png"))
        page.close()


def live(folder):
    """The error states of a live page: (the fault to inject, the selector that shows its effect)."""
    states = {
        "error-ended": (lambda server: server.plant("end"), "#pill:has-text('process ended')"), "error-malformed": (lambda server: server.plant("malformed"), "#banner:has-text('cannot be read')"),
        "error-lost": (lambda server: server.kill(), "#pill:has-text('connection lost')"), "paused": (None, "#pill:has-text('paused')"),
    }
    for name, (plant, shows) in states.items():
        server = Server("shop", tick=0.5)
        try:
            page = chromium().new_page(viewport={"width": 1400, "height": 1000})
            page.goto(server.address)
            page.wait_for_selector("#components tbody a")
            plant(server) if plant else page.keyboard.press("p")
            page.wait_for_selector(shows)
            page.wait_for_timeout(600)
            page.screenshot(path=str(folder / f"{name}.png"))
            page.close()
        finally:
            server.kill()


# The pictures of Documentation/dashboard-tour.md, by the fragments of the views.
TOUR = {"dashboard": "", "dashboard-components": "tab=components", "dashboard-errors": "tab=errors", "dashboard-latency": "tab=latency", "dashboard-process": "tab=process"}


def tour(folder):
    """The views of the demo, whose server has failed for some minutes."""
    from demo_tests import Demo
    demo = Demo("--faults", "storm")
    try:
        page = chromium().new_page(viewport={"width": 1280, "height": 1000}, timezone_id="UTC")
        page.goto(demo.address)
        page.wait_for_selector("#pill:has-text('live')")
        for _ in range(24):
            demo.pass_samples(10)
        for name, fragment in TOUR.items():
            page.goto(f"{demo.address}#{fragment}")
            page.wait_for_timeout(2500)
            page.set_viewport_size({"width": 1280, "height": min(page.evaluate("document.documentElement.scrollHeight"), 1280)})
            page.wait_for_timeout(2500)
            page.screenshot(path=str(folder / f"{name}.png"))
            page.set_viewport_size({"width": 1280, "height": 1000})
    finally:
        demo.kill()


if __name__ == "__main__":
    if sys.argv[1:2] == ["--tour"]:
        tour(pathlib.Path(sys.argv[2]))
        sys.exit()
    target = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots")
    target.mkdir(parents=True, exist_ok=True)
    static(target)
    live(target)
    print("\n".join(str(path) for path in sorted(target.iterdir())))
