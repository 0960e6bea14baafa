# SPDX-License-Identifier: Apache-2.0
"""Measures the browser with its own counters: the first paint of the page, and the refresh of all charts.

Paint times are wall times and need an idle machine; the load is printed.

    Tests/DashboardTests/run benchmark [paint]
    AXIOM_DEMO=.build/release/axiom-demo Tests/DashboardTests/run benchmark server [ROUNDS]    the cost of the dashboard for the demo
"""
import http.client
import json
import os
import statistics
import sys
import tempfile
import threading
import time
import pathlib
import urllib.request

import shipped
import world
from support import Server, chromium, eventually

EXPORTS = {"export of 19 components": "shop", "export of 10,000 components": "large"}


def metrics(session):
    return {entry["name"]: entry["value"] for entry in session.send("Performance.getMetrics")["metrics"]}


# Records when the verdict was painted, by element timing, and when the last panel was made.
LOOKING = """
window.__times = {};
new PerformanceObserver((list) => list.getEntries().forEach((entry) => __times.verdict ??= entry.renderTime)).observe({type: 'element', buffered: true});
new MutationObserver(() => {
    document.querySelector('#problems, #floor')?.setAttribute('elementtiming', 'verdict');
    if (document.querySelector('#compare') && !document.querySelector('#main[aria-busy]')) {
        requestAnimationFrame(() => setTimeout(() => __times.whole ??= performance.now()));
    }
}).observe(document, {childList: true, subtree: true, attributeFilter: ['aria-busy']});
"""
# The recorded times, once all are available.
SEEN = """(() => {
    const first = performance.getEntriesByName('first-contentful-paint')[0]?.startTime, {verdict, whole} = __times, floor = document.querySelector('#floor');
    return first && verdict && (whole || floor) ? {first, verdict, whole: whole ?? verdict} : null;
})()"""


def floor():
    """A page of one word with the same policy. Its times are the base cost of the browser."""
    script, style = "document.title = 'floor';", "p { font: 13px/1.4 system-ui, sans-serif; }"
    policy = shipped.policy(False, script, style)
    return f'<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="{policy}"><style>{style}</style><p id="floor">Axiom</p><script>{script}</script>'


def painted(address):
    """The times of one page in a new window, in milliseconds since the start of navigation."""
    page = chromium().new_page(viewport={"width": 1400, "height": 1000})
    try:
        page.add_init_script(LOOKING)
        page.goto(address)
        return eventually(lambda: page.evaluate(SEEN), "everything is painted", pause=lambda: page.wait_for_timeout(50))
    finally:
        page.close()


def paint(rounds):
    """Prints the medians of each page, and the difference to the base cost. Each round measures every page once."""
    server = Server("shop")
    with tempfile.TemporaryDirectory() as folder:
        addresses = {}
        for name, text in [("an empty page", floor()), *((name, shipped.page(world.World(sample).snapshot)) for name, sample in EXPORTS.items())]:
            path = pathlib.Path(folder) / f"{len(addresses)}.html"
            path.write_text(text)
            addresses[name] = path.as_uri()
        addresses["live"] = server.address
        try:
            times = {name: [] for name in addresses}
            for number in range(rounds + 1):
                for name in list(addresses)[:: 1 if number % 2 == 0 else -1]:
                    # The first round warms up the browser and does not count.
                    times[name] += [painted(addresses[name])][: number]
        finally:
            server.kill()
    middle = lambda name, what: statistics.median(time[what] for time in times[name])
    for name in addresses:
        parts = [f"{what} {middle(name, what):5.0f} ({middle(name, what) - middle('an empty page', 'first'):+.0f})" for what in ("first", "verdict", "whole")]
        print(f"dashboard/paint, {name:<32}" + ", ".join(parts) + f" ms, first at least {min(time['first'] for time in times[name]):.0f} ms")


def refresh(sample, high):
    """The mean time of a tick in milliseconds, from its arrival to the end of drawing, over about 60 ticks.

    This is CPU time of the main thread of the page, so that other programs do not count.
    """
    server = Server(sample, tick=0.2)
    try:
        page = chromium().new_page(viewport={"width": 1400, "height": high})
        page.goto(server.address + "#rate=0")
        page.wait_for_selector("#components tbody a")
        page.wait_for_timeout(3000)
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        before, start = metrics(session), server.get("stats")["ticks"]
        page.wait_for_timeout(12_000)
        after, end = metrics(session), server.get("stats")["ticks"]
        ticks = len(end) - len(start)
        page.close()
        return 1000 * (after["ScriptDuration"] - before["ScriptDuration"]) / ticks, 1000 * (after["TaskDuration"] - before["TaskDuration"]) / ticks, statistics.mean(end), max(end)
    finally:
        server.kill()


def follow(stream):
    try:
        while stream.read1(65536):
            pass
    except (OSError, http.client.HTTPException):
        pass


def processor_seconds(process):
    """The CPU time of all threads of a process, with a resolution of a nanosecond."""
    return sum(int(path.read_text().split()[0]) for path in pathlib.Path(f"/proc/{process.pid}/task").glob("*/schedstat")) / 1e9


def server(viewers, seconds):
    """The CPU time of the demo with `viewers` readers of its stream (None: without a dashboard), in percent of one processor,
    and the share that the dashboard itself reports for its samples and ticks."""
    from demo_tests import Demo

    demo = Demo("--rate", "50", *([] if viewers is not None else ["--no-dashboard"]))
    try:
        # Wait for the end of the startup, which is not a cost of the dashboard.
        time.sleep(4)
        streams = [urllib.request.urlopen(demo.address + "api/stream") for _ in range(viewers or 0)]
        for stream in streams:
            threading.Thread(target=follow, args=(stream,), daemon=True).start()
        time.sleep(1)
        before, start = processor_seconds(demo.process), time.monotonic()
        time.sleep(seconds)
        used = 100 * (processor_seconds(demo.process) - before) / (time.monotonic() - start)
        if viewers is None:
            return used, 0
        facts = {row["name"]: row.get("value") for row in json.loads(demo.get("api/snapshot"))["telemetry"]}
        return used, 100 * facts["Dashboard CPU"]
    finally:
        demo.kill()


def servers(rounds, seconds=15):
    """Measures all modes in each round, so that other load on the machine affects all modes equally."""
    modes = {"dashboard/off": None, "dashboard/idle": 0, "dashboard/tick.1": 1, "dashboard/tick.10": 10}
    print(f"{rounds} rounds of {seconds} s each; percent of one processor: the median, and the least and the most")
    taken = {name: [] for name in modes}
    for number in range(rounds):
        # Every other round runs backwards, so that the order has no effect.
        for name in list(modes)[:: 1 if number % 2 == 0 else -1]:
            taken[name].append(server(modes[name], seconds))
    span = lambda values: f"{statistics.median(values):+7.3f} ({min(values):+.3f} to {max(values):+.3f})"
    for name, found in taken.items():
        more = [used - off for (used, _), (off, _) in zip(found, taken["dashboard/off"])]
        print(f"{name:<18} the demo {span([used for used, _ in found])}, more than off in its round {span(more)}, by the dashboard's own count {statistics.median(own for _, own in found):.3f}")


if sys.argv[1:2] == ["server"]:
    print("load of the machine: %.1f %.1f %.1f" % os.getloadavg())
    servers(int((sys.argv[2:] or [6])[0]))
    print("load of the machine: %.1f %.1f %.1f" % os.getloadavg())
    sys.exit()

if __name__ == "__main__":
    print("load of the machine: %.1f %.1f %.1f" % os.getloadavg())
    print("dashboard/paint: first contentful paint, the verdict's, and all panels; in brackets, how much later than an empty page's")
    paint(15)
    print("load of the machine: %.1f %.1f %.1f" % os.getloadavg())
    if sys.argv[1:2] == ["paint"]:
        sys.exit()
    for name, sample, high in [("one screen", "shop", 1000), ("all 12 charts in sight", "shop", 5000), ("10,000 components, one screen", "large", 1000)]:
        script, task, size, most = refresh(sample, high)
        print(f"dashboard/refresh, {name:<30}{script:6.2f} ms of script, {task:6.2f} ms in all, ticks of {size:.0f} B, {most} B at most")
