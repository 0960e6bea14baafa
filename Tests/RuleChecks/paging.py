# SPDX-License-Identifier: Apache-2.0
"""Sends the alerts of an outage to a real Alertmanager with the generated configuration, and reads what it sends.

    paging.py    prints what is wrong, and fails if anything is

The programs prometheus-alertmanager and amtool must be in PATH. Everything listens at free ports of the loopback interface.
"""

import json
import re
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from datetime import datetime, timedelta, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DASHBOARDS = ROOT / "Dashboards"
sys.dont_write_bytecode = True

from notifications import LIMIT, Receivers, names  # noqa: E402
from outage_alerts import BREAKERS, first_wave, identity, planted, second_wave, soaked  # noqa: E402

WAIT, INTERVAL = "1s", "1s"


class Alertmanager:
    """A real Alertmanager that is alone in its cluster, with its files in a folder."""

    def __init__(self, configuration, folder):
        options = ["--web.listen-address=127.0.0.1:0", "--cluster.listen-address=", f"--storage.path={folder}/data"]
        self.process = subprocess.Popen(
            ["prometheus-alertmanager", f"--config.file={configuration}", *options],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = self._address()
        threading.Thread(target=self.process.stderr.read, daemon=True).start()

    def _address(self):
        lines = []
        for line in self.process.stderr:
            lines.append(line)
            match = re.search(r'msg="Listening on".*?address=(\S+)', line)
            if match:
                return f"http://{match[1]}"
        raise RuntimeError("Alertmanager ended before it listened: " + "".join(lines))

    def post(self, alerts, *, ended=False):
        now = datetime.now(timezone.utc)
        end = now if ended else now + timedelta(hours=1)
        # An alert that began before the group wait is sent at once, perhaps before its inhibition is known.
        body = [{"labels": labels, "startsAt": _time(now), "endsAt": _time(end)} for labels in alerts]
        request = urllib.request.Request(
            f"{self.url}/api/v2/alerts", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        urllib.request.urlopen(request, timeout=LIMIT).read()

    def get(self, path):
        return urllib.request.urlopen(f"{self.url}{path}", timeout=LIMIT).read().decode()

    def states(self):
        """Whether each alert is active or suppressed, by its labels."""
        return {identity(alert["labels"]): alert["status"]["state"] for alert in json.loads(self.get("/api/v2/alerts"))}

    def await_flushes(self, count):
        """Waits until Alertmanager has decided that often whether to notify a receiver of a group."""
        goal, deadline = self._decisions() + count, time.monotonic() + LIMIT
        while self._decisions() < goal:
            if time.monotonic() > deadline:
                raise TimeoutError("Alertmanager does not look at its groups")
            time.sleep(0.05)

    def _decisions(self):
        return float(re.search(r"(?m)^alertmanager_nflog_queries_total (\S+)", self.get("/metrics"))[1])

    def stop(self):
        self.process.terminate()
        self.process.wait(LIMIT)


def _time(moment):
    return moment.isoformat().replace("+00:00", "Z")


# MARK: outages


def outage(receivers, alertmanager):
    """Yields what is wrong in the course of an outage, of another one beside it, and of a third one after it."""
    paging, warnings = first_wave()
    alertmanager.post(paging + warnings)
    receivers.wait("the page", lambda r: r.pages("shop") == 1 and len(r.notifications["team"]) == 2)
    yield from expect("the page", {identity(a["labels"]) for a in receivers.notifications["on-call"][0]["alerts"]},
                      {identity(alert) for alert in paging})
    yield from expect("the alerts of the team", sorted(sorted(names(each)) for each in receivers.notifications["team"]),
                      [["AxiomCircuitOpen"] * len(BREAKERS), ["AxiomRetryBudgetExhausted"]])
    later = second_wave()
    alertmanager.post(later)
    # Three groups, each of which is looked at three times and more.
    alertmanager.await_flushes(12)
    states = alertmanager.states()
    yield from expect("the later alerts that are not suppressed",
                      [alert for alert in later if states.get(identity(alert)) != "suppressed"], [])
    yield from expect("the pages after the later alerts", receivers.pages("shop"), 1)
    yield from expect("what the team has heard", len(receivers.notifications["team"]), 2)
    alertmanager.post([planted("AxiomPoolStarved", "mail")])
    receivers.wait("the page of another application", lambda r: r.pages("mail") == 1)
    alertmanager.post(paging + warnings + later, ended=True)
    receivers.wait("the end of the outage", lambda r: r.ends("on-call", "shop") == 1 and r.ends("team", "shop") == 2)
    yield from expect("the pages of the outage", receivers.pages("shop"), 1)
    paging, warnings = first_wave()
    alertmanager.post(paging + warnings)
    receivers.wait("the page of the next outage", lambda r: r.pages("shop") == 2)
    yield from expect("the pages of the other application", receivers.pages("mail"), 1)


def replay(receivers, alertmanager, job="soak"):
    """Yields what is wrong with the notifications of an outage whose alerts begin in the order of a kept soak."""
    begun = {"team": [], "on-call": []}
    for receiver, alerts in soaked(job):
        begun[receiver] += alerts
        alertmanager.post(alerts)
        wanted = {identity(alert) for alert in begun[receiver]}
        receivers.wait(f"the notification of {alerts}", lambda r: r.firing(receiver, job) == wanted)
    for receiver, alerts in begun.items():
        alertmanager.post(alerts, ended=True)
        receivers.wait("the end of the soaked outage", lambda r: r.ends(receiver, job) == 1)
    yield from expect("the incidents of the soaked outage", receivers.incidents(job), 1)


def named(receivers, alertmanager, job="trade"):
    """Yields what is wrong with the notifications of an outage whose cause the page knows: each receiver gets the cause alone."""
    of_job = lambda receiver: [each for each in receivers.notifications[receiver] if each["commonLabels"].get("job") == job]
    problem, following = planted("AxiomProblem", job), [planted("AxiomCircuitOpen", job, breaker=breaker) for breaker in BREAKERS]
    alertmanager.post([problem, *following])
    receivers.wait("the message to the team", lambda r: r.firing("team", job) == {identity(problem)})
    outage, burns = planted("AxiomOutage", job), [planted("AxiomErrorBudgetBurn", job, long="1h"), planted("AxiomPerformanceBudgetBurn", job, long="1h")]
    alertmanager.post([outage, *burns])
    receivers.wait("the page", lambda r: r.firing("on-call", job) == {identity(outage)})
    alertmanager.await_flushes(12)
    states = alertmanager.states()
    yield from expect("the alerts beside the outage that are not suppressed",
                      [alert for alert in [problem, *following, *burns] if states.get(identity(alert)) != "suppressed"], [])
    yield from expect("the messages of a named outage", [len(of_job("team")), len(of_job("on-call"))], [1, 1])
    alertmanager.post([problem, *following, outage, *burns], ended=True)
    receivers.wait("the end of the named outage", lambda r: r.ends("on-call", job) == 1)
    yield from expect("the incidents of the named outage", receivers.incidents(job), 1)


def expect(what, measured, expected):
    if measured != expected:
        yield f"{what}: {measured}, expected {expected}"


# MARK: the files


def generated(folder):
    """Generates the files with short durations."""
    command = [sys.executable, "-B", DASHBOARDS / "generate", "--into", folder]
    subprocess.run([*command, "--group-wait", WAIT, "--group-interval", INTERVAL], check=True)
    return folder / "prometheus/alertmanager.yml"


def differences(shipped, generated):
    """The shipped configuration is the tested one with other durations."""
    old, new = shipped.read_text().splitlines(), generated.read_text().splitlines()
    lines = [(a, b) for a, b in zip(old, new, strict=True) if a != b]
    expected = [(f'  group_wait: "30s"', f'  group_wait: "{WAIT}"'), (f'  group_interval: "5m"', f'  group_interval: "{INTERVAL}"')]
    yield from expect("the lines that differ from the shipped configuration", lines, expected)


def checked(file):
    check = subprocess.run(["amtool", "check-config", file], capture_output=True, text=True)
    if check.returncode != 0:
        yield f"amtool: {check.stdout}{check.stderr}"


def addressed(file, receivers):
    """Gives the receivers their addresses, as a user does."""
    text = file.read_text()
    for receiver in ("on-call", "team"):
        assert text.count(f"- name: {receiver}\n") == 1
        text = text.replace(
            f"- name: {receiver}\n",
            f"- name: {receiver}\n    webhook_configs:\n      - url: {receivers.address(receiver)}\n",
        )
    file.write_text(text)


def problems():
    with tempfile.TemporaryDirectory() as name:
        shipped, tested = DASHBOARDS / "prometheus/alertmanager.yml", generated(Path(name))
        yield from differences(shipped, tested)
        yield from checked(shipped)
        receivers = Receivers()
        addressed(tested, receivers)
        yield from checked(tested)
        alertmanager = Alertmanager(tested, name)
        try:
            yield from outage(receivers, alertmanager)
            yield from named(receivers, alertmanager)
            yield from replay(receivers, alertmanager)
        except TimeoutError as error:
            yield str(error)
        finally:
            alertmanager.stop()


def main():
    found = list(problems())
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
