# SPDX-License-Identifier: Apache-2.0
"""How long the browser takes, by its own counters: to paint the page first, and to refresh all charts.

Painting is wall time and wants a quiet machine; the load is printed.

    Tests/DashboardTests/run benchmark
    AXIOM_DEMO=.build/release/axiom-demo Tests/DashboardTests/run benchmark server [ROUNDS]    what watching costs the demo
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

import assemble
import world
from support import Server, chromium


def metrics(session):
    return {entry["name"]: entry["value"] for entry in session.send("Performance.getMetrics")["metrics"]}


def paint(sample):
    """Milliseconds from the start of navigation to the first contentful paint of an export, the median of 15."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.html"
        path.write_text(assemble.page(world.World(sample).snapshot))
        times = []
        for _ in range(15):
            page = chromium().new_page(viewport={"width": 1400, "height": 1000})
            page.goto(path.as_uri())
            while (first := page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime")) is None:
                page.wait_for_timeout(50)
            times.append(first)
            page.close()
        return statistics.median(times)


def live_paint():
    server = Server("shop")
    try:
        times = []
        for _ in range(15):
            page = chromium().new_page(viewport={"width": 1400, "height": 1000})
            page.goto(server.address)
            page.wait_for_selector("#components tbody a")
            page.wait_for_timeout(100)
            times.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))
            page.close()
        return statistics.median(times)
    finally:
        server.kill()


def refresh(sample, high):
    """Milliseconds of the page's thread for one tick, from its arrival to the end of drawing, the mean of some 60.

    By the thread's own clock, so that what else runs on the machine does not count.
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
    """What all threads of a process have run, to the nanosecond."""
    return sum(int(path.read_text().split()[0]) for path in pathlib.Path(f"/proc/{process.pid}/task").glob("*/schedstat")) / 1e9


def server(viewers, seconds):
    """CPU time of the demo with so many readers of its stream, or without a dashboard for None, in percent of one processor;
    and the share that the dashboard says that its samples and ticks take, by the clock of the thread that makes them."""
    from demo_tests import Demo

    demo = Demo("--rate", "50", *([] if viewers is not None else ["--no-dashboard"]))
    try:
        # Until everything is there: what a start costs is no cost of the dashboard.
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
    """Each in turn, round after round, so that what else the machine does meets all alike."""
    modes = {"dashboard/off": None, "dashboard/idle": 0, "dashboard/tick.1": 1, "dashboard/tick.10": 10}
    print(f"{rounds} rounds of {seconds} s each; percent of one processor: the median, and the least and the most")
    taken = {name: [] for name in modes}
    for number in range(rounds):
        # Every other round backwards: none is always the one after another.
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
    print(f"dashboard/paint, export of 19 components       {paint('shop'):8.1f} ms")
    print(f"dashboard/paint, export of 10,000 components   {paint('large'):8.1f} ms")
    print(f"dashboard/paint, live                          {live_paint():8.1f} ms")
    for name, sample, high in [("one screen", "shop", 1000), ("all 12 charts in sight", "shop", 5000), ("10,000 components, one screen", "large", 1000)]:
        script, task, size, most = refresh(sample, high)
        print(f"dashboard/refresh, {name:<30}{script:6.2f} ms of script, {task:6.2f} ms in all, ticks of {size:.0f} B, {most} B at most")
