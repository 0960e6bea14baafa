# SPDX-License-Identifier: Apache-2.0
"""Runs the demo in a storm beside a real Prometheus with the rules and a real Alertmanager with the shipped configuration.

    storm.py DEMO            ten minutes of storm, and twelve in which all alerts have to end
    storm.py DEMO MINUTES    another length of the storm

Prints each notification with its texts. Fails unless the storm is one page and one incident, whose text names the cause. The
programs prometheus and prometheus-alertmanager must be in PATH. Everything listens at free ports of the loopback interface.
"""

import re
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from notifications import Receivers
from paging import DASHBOARDS, Alertmanager, addressed

JOB, CAUSE = "axiom", "HTTPNetwork fails: "
# The short windows of all rules are empty after 5 minutes, and Alertmanager sends changes every 5 minutes.
AFTER = 12


class Storm:
    """A run of the demo in which its server fails, and then has no load until it is ended."""

    def __init__(self, demo, minutes):
        options = ["--faults", "storm", "--port", "0", "--duration", f"{minutes}m", "--linger", "1h"]
        self.process = subprocess.Popen([demo, *options], stdout=subprocess.PIPE, text=True)
        self.address = self._line(r"metrics: +http://([^/]+)/")[1]
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def _line(self, pattern):
        for line in self.process.stdout:
            if match := re.match(pattern, line):
                return match
        raise RuntimeError("the demo ended before it served its metrics")

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


def prometheus(folder, target, alertmanager):
    """Starts Prometheus with the sample configuration, and returns its process."""
    for file in (DASHBOARDS / "prometheus").glob("axiom.*.yml"):
        (folder / file.name).write_text(file.read_text())
    text = (DASHBOARDS / "prometheus/prometheus.yml").read_text().replace("127.0.0.1:9464", target)
    text += f'alerting:\n  alertmanagers:\n    - static_configs:\n        - targets: ["{alertmanager}"]\n'
    (folder / "prometheus.yml").write_text(text)
    options = [f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data", "--web.listen-address=127.0.0.1:0"]
    return subprocess.Popen(["prometheus", *options], stderr=subprocess.DEVNULL)


def follow(receivers, seconds):
    """Prints the notifications as they arrive."""
    begin, seen = time.monotonic(), {"on-call": 0, "team": 0}
    while time.monotonic() < begin + seconds:
        for receiver, sent in receivers.notifications.items():
            for each in sent[seen[receiver]:]:
                print(f"{time.monotonic() - begin:5.0f} s  {receiver}: {told(each)}", flush=True)
            seen[receiver] = len(sent)
        time.sleep(1)


def told(notification):
    alerts = sorted(f"{alert['labels']['alertname']}, {alert['status']}: {alert['annotations']['summary']}" for alert in notification["alerts"])
    return f"{notification['status']}\n" + "\n".join(f"         {alert}" for alert in alerts)


def wrong(receivers):
    """Yields what is wrong with the notifications of the storm."""
    pages, messages = receivers.notifications["on-call"], receivers.notifications["team"]
    counts = [receivers.pages(JOB), receivers.incidents(JOB), receivers.ends("on-call", JOB)]
    print(f"pages, incidents and their ends: {counts}; messages to the team: {len(messages)}")
    if counts != [1, 1, 1]:
        yield f"the storm is not one page and one incident that ends: {counts}"
    firing = [alert for each in pages + messages for alert in each["alerts"] if alert["status"] == "firing"]
    for summary in sorted({alert["annotations"]["summary"] for alert in firing}):
        if not summary.startswith(CAUSE):
            yield f"a text does not name the cause: {summary}"


def main():
    minutes = int(sys.argv[2]) if len(sys.argv) > 2 else 10
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        receivers = Receivers()
        configuration = folder / "alertmanager.yml"
        configuration.write_text((DASHBOARDS / "prometheus/alertmanager.yml").read_text())
        addressed(configuration, receivers)
        alertmanager = Alertmanager(configuration, name)
        storm = Storm(sys.argv[1], minutes)
        server = prometheus(folder, storm.address, alertmanager.url.removeprefix("http://"))
        try:
            follow(receivers, 60 * (minutes + AFTER))
            found = list(wrong(receivers))
        finally:
            server.terminate()
            server.wait(60)
            storm.stop()
            alertmanager.stop()
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main())
