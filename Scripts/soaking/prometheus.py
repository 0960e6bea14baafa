# SPDX-License-Identifier: Apache-2.0
"""A Prometheus server with the rules of Dashboards/prometheus, which can be restarted on its storage."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse

from . import program

INSTALLATION = "prometheus is missing: apt-get install prometheus"
MILLISECONDS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
TIME = r"(?:\d+(?:ms|[smhd]))"


def find():
    """The path of the server; None if it is not installed."""
    return shutil.which("prometheus")


def faster(text, speed):
    """The rules with all their windows, delays and steps of subqueries divided by `speed`. A sum over a subquery times its
    step stays a count. The names of recorded series stay."""

    def divided(time):
        whole = sum(int(number) * MILLISECONDS[unit] for number, unit in re.findall(r"(\d+)(ms|[smhd])", time))
        # Rounded down: a window that ends short of a step must not reach it.
        return f"{int(whole / speed)}ms"

    text = re.sub(
        rf"\[({TIME}+):(\d+)s\](\)+) \* \2\b",
        lambda match: f"[{divided(match[1])}:{divided(match[2] + 's')}]{match[3]} * {int(match[2]) / speed:g}", text,
    )
    # Sums of recorded sums have steps, too, and stay counts.
    text = re.sub(rf"\[({TIME}+)(?::(\d+[mh]))?\]", lambda match: f"[{':'.join(map(divided, filter(None, match.groups())))}]", text)
    text = re.sub(r"(?<=offset )\d+[smhd]", lambda match: divided(match[0]), text)
    text = re.sub(r'((?:for|interval): )"(\d+[smhd])"', lambda match: f'{match[1]}"{divided(match[2])}"', text)
    left = re.search(r"[\[:\"]\d+[smhd][\]:]|\[(\d+[smhd]){2}", text)
    if left:
        raise RuntimeError(f"The rules have a time that is not divided: {left[0]}")
    return text


class Prometheus:
    def __init__(self, source, target, speed):
        self._folder = tempfile.TemporaryDirectory(prefix="axiom-soak-prometheus-")
        self._port = self._free_port()
        self.evaluation = max(1.0, 15 / speed)
        self.scrape = 2.0 if speed == 1 else 1.0
        self._write(source, target, speed)
        self.restarts, self.kills, self._processor_seconds = 0, 0, 0.0
        self._start()

    def _write(self, source, target, speed):
        for name in ["axiom.recording.yml", "axiom.alerts.yml", "prometheus.yml"]:
            with open(os.path.join(source, name)) as file:
                text = file.read()
            if name == "prometheus.yml":
                text = text.replace("127.0.0.1:9464", target)
                text = text.replace("evaluation_interval: 15s", f"evaluation_interval: {round(self.evaluation * 1_000)}ms")
                text = text.replace("scrape_interval: 2s", f"scrape_interval: {round(self.scrape * 1_000)}ms")
            elif speed != 1:
                text = faster(text, speed)
            with open(os.path.join(self._folder.name, name), "w") as file:
                file.write(text)

    @staticmethod
    def _free_port():
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            return probe.getsockname()[1]

    def _start(self):
        with open(os.path.join(self._folder.name, "log"), "a") as log:
            self._process = subprocess.Popen(
                [
                    find(), f"--config.file={self._folder.name}/prometheus.yml",
                    f"--storage.tsdb.path={self._folder.name}/data", f"--web.listen-address=127.0.0.1:{self._port}",
                ],
                stdout=log, stderr=log,
            )
        for _ in range(600):
            if self._process.poll() is not None:
                break
            try:
                program.fetch(f"http://127.0.0.1:{self._port}/-/ready")
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("Prometheus did not get ready within 60 s:\n" + self.log()[-2_000:])

    def log(self):
        with open(os.path.join(self._folder.name, "log")) as file:
            return file.read()

    def restart(self, kill):
        """Ends the server, or kills it, and starts it again on the same storage."""
        self._end(signal.SIGKILL if kill else signal.SIGTERM)
        self.restarts += 1
        self.kills += kill
        self._start()

    def _end(self, number):
        self._processor_seconds += program.processor_seconds(self._process.pid)
        self._process.send_signal(number)
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def stop(self):
        if self._process.poll() is None:
            self._end(signal.SIGTERM)
        self._folder.cleanup()

    def processor_seconds(self):
        return self._processor_seconds + program.processor_seconds(self._process.pid)

    def query(self, query):
        """The result of an instant query: a list of series."""
        answer = program.fetch(f"http://127.0.0.1:{self._port}/api/v1/query?" + urllib.parse.urlencode({"query": query}))
        return json.loads(answer)["data"]["result"]

    def value(self, query):
        """The value of a query for one number; None if it has no result."""
        result = self.query(query)
        return float(result[0]["value"][1]) if result else None

    def firing(self):
        """The alerts that fire now, as sets of labels."""
        answer = program.fetch(f"http://127.0.0.1:{self._port}/api/v1/alerts")
        return [alert["labels"] for alert in json.loads(answer)["data"]["alerts"] if alert["state"] == "firing"]

    def history(self, seconds):
        """When each alert fired during the last seconds: pairs of labels and of times since 1970."""
        series = self.query(f'ALERTS{{alertstate="firing"}}[{round(seconds)}s]')
        return [(found["metric"], [float(at) for at, _ in found["values"]]) for found in series]
