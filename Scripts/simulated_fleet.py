# SPDX-License-Identifier: Apache-2.0
"""A fleet of simulated instances: a server that serves the page of one demo for each of them, with counters that grow."""

import re
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)$")


def fetch(url, limit=60):
    with urllib.request.urlopen(url, timeout=limit) as response:
        return response.read().decode()


def sampled(demo, seconds):
    """Two pages of the demo, with the seconds between them."""
    command = [demo, "--port", "0", "--faults", "storm", "--no-dashboard"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        address = first(process.stdout, r"metrics: +(http://\S+)", "the demo")
        threading.Thread(target=process.stdout.read, daemon=True).start()
        # The first second has the start of the application.
        time.sleep(min(seconds, 5))
        one, began = fetch(address), time.monotonic()
        time.sleep(seconds)
        return one, fetch(address), time.monotonic() - began
    finally:
        process.terminate()
        process.wait(60)


def first(lines, pattern, what):
    """The first match in the output of a program."""
    read = []
    for line in lines:
        read.append(line)
        if match := re.search(pattern, line):
            return match[1]
    sys.exit(f"{what} ended before it served: {''.join(read)}")


class Page:
    """A page whose counters grow."""

    def __init__(self, one, two, seconds):
        before = dict(self._values(one))
        self.lines = []
        for line in two.splitlines():
            match = SAMPLE.match(line)
            if not match:
                self.lines.append((line, None, 0, False))
                continue
            series, value = match[1] + (match[2] or ""), float(match[3])
            grows = re.search(r"_(total|bucket|count|sum)$", match[1]) and value == value
            slope = max(0, value - before.get(series, value)) / seconds if grows else 0
            self.lines.append((series + " ", value, slope, value.is_integer()))
        self.size = sum(value is not None for _, value, _, _ in self.lines)

    @staticmethod
    def _values(text):
        for line in text.splitlines():
            if match := SAMPLE.match(line):
                yield match[1] + (match[2] or ""), float(match[3])

    def text(self, seconds):
        """The page some seconds later."""
        return "\n".join(
            head if value is None else head + self._number(value + slope * seconds, whole)
            for head, value, slope, whole in self.lines
        ) + "\n"

    @staticmethod
    def _number(value, whole):
        return str(int(value)) if whole else repr(value).replace("inf", "Inf").replace("nan", "NaN")


def simulate(page, count):
    """Serves the page of instance `i` at /metrics?instance=i, and refuses each once `paused` is set. Returns the server."""
    began, paused = time.monotonic(), threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            if paused.is_set():
                return self.send_error(503)
            index = int(urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)["instance"][0])
            body = page.text((time.monotonic() - began) * (1 + index / count)).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.paused = paused
    # A scrape that took too long was given up by Prometheus.
    server.handle_error = lambda *_: None
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
