# SPDX-License-Identifier: Apache-2.0
"""Faults that a run must find: they show that it can fail. Each changes the demo or its world, not what is measured."""

import http.client
import threading

PLANTS = {
    "ledger": "requests of a stranger meet faults that no client of the shop sees: the ledger has too many faults",
    "leak": "strangers sign up all the time, and the shop's server never forgets one: the heap grows",
    "connections": "connections to the shop's server are opened and never closed: descriptors grow",
    "alert": "an outage that is not in the schedule: alerts fire that nothing explains",
    "silence": "an outage in the schedule does not happen: its alerts do not fire",
}


class Plant:
    def __init__(self, kind, demo, schedule):
        self._kind, self._demo, self._schedule = kind, demo, schedule
        self._host = demo.upstream.removeprefix("http://")
        self._stopping = threading.Event()
        self._kept = []
        work = {"ledger": self._interfere, "leak": self._sign_up, "connections": self._connect}.get(kind)
        self._thread = threading.Thread(target=work, daemon=True) if work else None
        if self._thread:
            self._thread.start()

    def stop(self):
        self._stopping.set()
        if self._thread:
            self._thread.join(30)

    def faults(self, mode, at):
        """The mode of the faults instead of that of the schedule."""
        return "none" if self._kind == "silence" else mode

    def extra_events(self):
        """The seconds at which an outage begins and ends that is not in the schedule."""
        if self._kind != "alert":
            return None
        last = self._schedule.outages[-1]
        begin = last.end + self._schedule.scaled(6)
        return begin, self._schedule.seconds

    def _interfere(self):
        """Uses numbers of requests that the shop does not."""
        number = 1 << 62
        while not self._stopping.wait(0.1):
            number += 1
            # A fault may be an answer that does not come.
            self._send("GET", "/profiles/stranger", headers={"X-Request-Number": str(number)}, timeout=0.5)

    def _sign_up(self):
        number = 0
        while not self._stopping.wait(0.002):
            number += 1
            self._send("POST", f"/profiles/stranger-{number}-" + "x" * 12_000, '"stranger"')

    def _send(self, method, path, body=None, headers={}, timeout=10):
        connection = http.client.HTTPConnection(self._host, timeout=timeout)
        try:
            connection.request(method, path, body, headers)
            connection.getresponse().read()
        except (OSError, http.client.HTTPException):
            pass  # A fault may be a connection that is reset.
        finally:
            connection.close()

    def _connect(self):
        """Each connection sends a request now and then, so that the server keeps it."""
        while not self._stopping.wait(0.5):
            connection = http.client.HTTPConnection(self._host, timeout=10)
            try:
                connection.connect()
                self._kept.append(connection)
            except OSError:
                pass
            for kept in self._kept:
                try:
                    kept.request("GET", "/faults")
                    kept.getresponse().read()
                except (OSError, http.client.HTTPException):
                    pass
