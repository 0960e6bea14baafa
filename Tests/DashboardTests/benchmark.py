# SPDX-License-Identifier: Apache-2.0
"""How long the browser takes, by its own counters: to paint the page first, and to refresh all charts.

Painting is wall time and wants a quiet machine; the load is printed.

    Tests/DashboardTests/run benchmark
    AXIOM_DEMO=.build/release/axiom-demo Tests/DashboardTests/run benchmark server    what watching costs the demo
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
            page.wait_for_timeout(300)
            times.append(page.evaluate("performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))
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


def server(viewers, seconds=20):
    """CPU time of the demo with so many readers of its stream, in percent of one processor: all of it, and the share that
    the dashboard says that its samples and ticks take, by the clock of the thread that makes them."""
    from demo_tests import Demo

    demo = Demo("--rate", "50")
    try:
        time.sleep(3)
        streams = [urllib.request.urlopen(demo.address + "api/stream") for _ in range(viewers)]
        for stream in streams:
            threading.Thread(target=follow, args=(stream,), daemon=True).start()

        def spent():
            fields = pathlib.Path(f"/proc/{demo.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        time.sleep(2)
        before, start = spent(), time.monotonic()
        time.sleep(seconds)
        used = 100 * (spent() - before) / (time.monotonic() - start)
        facts = {row["name"]: row.get("value") for row in json.loads(demo.get("api/snapshot"))["telemetry"]}
        return used, 100 * facts["Dashboard CPU"], 1e6 * facts["A sample takes"]
    finally:
        demo.kill()


if sys.argv[1:] == ["server"]:
    print("load of the machine: %.1f %.1f %.1f" % os.getloadavg())
    for name, viewers in (("dashboard/idle", 0), ("dashboard/tick.1", 1), ("dashboard/tick.10", 10)):
        used, own, sample = server(viewers)
        print(f"{name:<20}{used:6.2f} % of a processor for the demo, {own:6.3f} % for the dashboard, {sample:6.0f} us for the last sample")
    sys.exit()

if __name__ == "__main__":
    print("load of the machine: %.1f %.1f %.1f" % os.getloadavg())
    print(f"dashboard/paint, export of 19 components       {paint('shop'):8.1f} ms")
    print(f"dashboard/paint, export of 10,000 components   {paint('large'):8.1f} ms")
    print(f"dashboard/paint, live                          {live_paint():8.1f} ms")
    for name, sample, high in [("one screen", "shop", 1000), ("all 12 charts in sight", "shop", 5000), ("10,000 components, one screen", "large", 1000)]:
        script, task, size, most = refresh(sample, high)
        print(f"dashboard/refresh, {name:<30}{script:6.2f} ms of script, {task:6.2f} ms in all, ticks of {size:.0f} B, {most} B at most")
