# SPDX-License-Identifier: Apache-2.0
"""Receives the notifications of Alertmanager, and says what a pager makes of them."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from outage_alerts import identity

# The seconds that a notification may take.
LIMIT = 30


class Receivers:
    """An HTTP server that keeps the notifications of each receiver, in the order of their arrival."""

    def __init__(self):
        self.arrived = threading.Condition()
        self.notifications = {"on-call": [], "team": []}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def address(self, receiver):
        return f"http://127.0.0.1:{self.server.server_port}/{receiver}"

    def _handler(self):
        receivers = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with receivers.arrived:
                    receivers.notifications[self.path.strip("/")].append(body)
                    receivers.arrived.notify_all()
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        return Handler

    def wait(self, what, condition):
        with self.arrived:
            if not self.arrived.wait_for(lambda: condition(self), LIMIT):
                raise TimeoutError(f"{what} did not come within {LIMIT} s; received: {self.summary()}")

    def summary(self):
        return {
            receiver: [(each["status"], sorted(names(each))) for each in sent]
            for receiver, sent in self.notifications.items()
        }

    def pages(self, job):
        """Notifications to the pager that report an alert which the one before did not report."""
        before, count = set(), 0
        for sent in self._of("on-call", job):
            count += not _firing(sent) <= before
            before = _firing(sent)
        return count

    def incidents(self, job):
        """How many incidents a pager opens that compares the keys of groups: a group that fires, and did not before."""
        firing, count = set(), 0
        for sent in self._of("on-call", job):
            if sent["status"] == "resolved":
                firing.discard(sent["groupKey"])
            elif sent["groupKey"] not in firing:
                firing.add(sent["groupKey"])
                count += 1
        return count

    def firing(self, receiver, job):
        """The alerts that fire by the last notification."""
        sent = self._of(receiver, job)
        return _firing(sent[-1]) if sent else set()

    def _of(self, receiver, job):
        return [each for each in self.notifications[receiver] if each["commonLabels"].get("job") == job]

    def ends(self, receiver, job):
        """How many notifications report that all of a group is over."""
        return sum(each["status"] == "resolved" for each in self._of(receiver, job))


def _firing(notification):
    return {identity(alert["labels"]) for alert in notification["alerts"] if alert["status"] == "firing"}


def names(notification):
    return [alert["labels"]["alertname"] for alert in notification["alerts"]]
