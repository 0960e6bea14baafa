# SPDX-License-Identifier: Apache-2.0
"""A small server with the protocol of the dashboard and a fake application.

    fake_server.py PORT [SAMPLE] [--tick SECONDS] [--seed N] [--at T]     (--tick 0.02: fifty ticks per second)

The stream is compressed in blocks that do not refer to each other, as the real server does. `/rows` returns the calls of
each component in the latest ticks.

`/recorder` returns all actions and traces. `/step/N` makes N ticks at once: with --tick 3600 there are no others.

`/control/KEY/VALUE` injects a fault: version 3, malformed 1, stream off, end 1, status 503, slow 5 (a snapshot takes five
ticks), hang 1 (the server sends nothing). clear 1 removes all faults. `/stats` returns counts of requests and bytes, without
the requests of the tests themselves.
"""
import argparse
import http.server
import json
import threading
import time
import urllib.parse
import zlib

import profiles
import shipped
import states
import world


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, port, sample, tick, seed, at, inspects=False, allows=False, profiles=False):
        super().__init__(("127.0.0.1", port), Handler)
        # A tick is one second of simulated time, so that a test can simulate a quarter of an hour.
        self.world = world.World(sample, seed, at=at, instance=f"{time.time_ns()}", pid=seed)
        # Guards all state, because each request has its own thread.
        self.turn = threading.Condition()
        self.trouble, self.tick_sizes, self.calls = {}, [], {}
        self.sent = self.asked = self.opened = self.streams = self.details = self.activities = self.traces = 0
        self.states, self.state_reads = states.States(), []
        # Like the process: missing if it is false.
        if inspects:
            self.world.snapshot["app"]["inspects"] = True
        if allows:
            self.world.snapshot["app"]["allows"] = True
        if profiles:
            self.world.snapshot["app"]["profile"] = True
        self.actions, self.profile_reads = [], []
        threading.Thread(target=self.run, args=(tick,), daemon=True).start()

    def run(self, tick):
        due = time.monotonic()
        while True:
            due += tick
            time.sleep(max(0, due - time.monotonic()))
            self.step()

    def step(self):
        """Makes a tick, and returns its number."""
        with self.turn:
            self.world.advance(self.world.snapshot["capturedAt"] + 1)
            self.world.record()
            shot = self.world.snapshot
            self.calls[shot["seq"]] = {row["name"]: row["calls"] for row in shot["components"]}
            self.calls.pop(shot["seq"] - 60, None)
            self.states.advance(shot["capturedAt"])
            self.turn.notify_all()
            return shot["seq"]


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def count(self, **more):
        """Adds to the counts of `/stats`."""
        with self.server.turn:
            for name, n in more.items():
                setattr(self.server, name, getattr(self.server, name) + n)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        try:
            if url.path == "/":
                self.answer(shipped.page(title="Axiom").encode(), "text/html; charset=utf-8", policy=True)
            elif url.path == "/api/snapshot":
                self.snapshot(query)
            elif url.path == "/api/stream":
                self.stream(query)
            elif url.path.startswith("/api/state"):
                with self.server.turn:
                    self.server.state_reads.append(self.path)
                    code, data = self.server.states.answer(url.path, query)
                self.answer(json.dumps(data).encode(), "application/json", code)
            elif url.path == "/export.html":
                with self.server.turn:
                    body = shipped.page(self.server.world.export(), "Axiom").encode()
                self.answer(body, "text/html; charset=utf-8")
            elif url.path.startswith("/api/errors/"):
                with self.server.turn:
                    world = self.server.world
                    found = world.occurrences(int(url.path.rpartition("/")[2]))
                    body = json.dumps({"schema": "axiom/errors", "version": 1, "instance": world.snapshot["instance"], "occurrences": found} if found else {"error": "no such group"}).encode()
                self.count(details=1)
                self.answer(body, "application/json", 200 if found else 404)
            elif url.path == "/api/explanation":
                self.explanation(query)
            elif url.path == "/profile.js":
                with self.server.turn:
                    self.server.profile_reads.append(self.path)
                self.answer(shipped.PARTS["profile"].encode(), "text/javascript; charset=utf-8")
            elif url.path == "/api/profile":
                self.profile(query)
            elif url.path == "/profile_reads":
                with self.server.turn:
                    body = json.dumps(self.server.profile_reads).encode()
                self.answer(body, "application/json", counted=False)
            elif url.path == "/api/activity":
                self.activity(query)
            elif url.path == "/api/traces":
                with self.server.turn:
                    recorder = self.server.world.recorder
                    roots = [row for row in recorder.all() if row["parent"] is None and row["kept"]]
                self.answer_json({"schema": "axiom/traces", "version": 1, "traces": roots})
            elif url.path.startswith("/api/traces/"):
                with self.server.turn:
                    self.server.traces += 1
                    found = self.server.world.recorder.trace(url.path.split("/")[-1])
                self.answer_json(found or {"error": "no span of this trace is known"}, 200 if found else 404)
            elif url.path.startswith("/control/"):
                _, _, key, value = url.path.split("/")
                with self.server.turn:
                    if key == "clear":
                        self.server.trouble.clear()
                    else:
                        self.server.trouble[key] = value
                    self.server.turn.notify_all()
                self.answer(b"{}", "application/json", counted=False)
            elif url.path.startswith("/step/"):
                seq = [self.server.step() for _ in range(int(url.path.rpartition("/")[2]))][-1]
                self.answer(json.dumps({"seq": seq}).encode(), "application/json", counted=False)
            elif url.path == "/actions":
                with self.server.turn:
                    body = json.dumps(self.server.actions).encode()
                self.answer(body, "application/json", counted=False)
            elif url.path == "/state_reads":
                with self.server.turn:
                    body = json.dumps(self.server.state_reads).encode()
                self.answer(body, "application/json", counted=False)
            elif url.path == "/recorder":
                with self.server.turn:
                    recorder = self.server.world.recorder
                    body = json.dumps({"activity": recorder.all(), "traces": [trace.data for trace in recorder.traces]}).encode()
                self.answer(body, "application/json", counted=False)
            elif url.path == "/rows":
                with self.server.turn:
                    body = json.dumps(self.server.calls).encode()
                self.answer(body, "application/json", counted=False)
            elif url.path == "/stats":
                with self.server.turn:
                    told = {name: getattr(self.server, name) for name in ("sent", "asked", "opened", "streams", "details", "activities", "traces")}
                    told |= {"ticks": self.server.tick_sizes[-2000:], "seq": self.server.world.snapshot["seq"], "at": self.server.world.snapshot["capturedAt"]}
                self.answer(json.dumps(told).encode(), "application/json", counted=False)
            else:
                self.answer(b"not found", "text/plain", 404)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def do_POST(self):
        """Records an action, and answers like the process."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        path = urllib.parse.urlsplit(self.path).path
        with self.server.turn:
            shot = self.server.world.snapshot
            known = any(row["name"] == body["component"] for row in shot["components"])
            self.server.actions.append({"path": path, "query": urllib.parse.urlsplit(self.path).query, "type": self.headers["Content-Type"], "origin": self.headers["Origin"], "site": self.headers["Sec-Fetch-Site"], "body": body})
        if "refuse" in self.server.trouble or not known:
            return self.answer_json({"error": "There is no such component."}, 404)
        self.answer_json({"done": f"{body['set']} of {body['component']} until 14:05:00 UTC"})

    def answer(self, body, kind, code=200, policy=False, counted=True):
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        if policy:
            self.send_header("Content-Security-Policy", shipped.policy(True) + "; frame-ancestors 'none'")
        self.end_headers()
        self.wfile.write(body)
        if counted:
            self.count(sent=len(body), asked=1)

    def answer_json(self, data, code=200):
        self.answer(json.dumps(data, separators=(",", ":")).encode(), "application/json", code)

    def explanation(self, query):
        with self.server.turn:
            shot = self.server.world.snapshot
            about = {"instance": shot["instance"], "at": shot["capturedAt"], "component": query["component"], "action": query.get("action") or None}
        cause = {"feature": "part", "says": "71 % of the excess is in HTTPNetwork.post", "share": 0.71, "q": 0.001, "slow": 0.4, "ordinary": 0.02, "spans": 12, "trace": None}
        self.answer_json({"schema": "axiom/explanation", "version": 1, **about, "says": cause["says"], "spans": 300, "slow": 15, "threshold": 0.2, "typical": 0.03,
                          "own": 0.1, "causes": [cause], "compared": []})

    def profile(self, query):
        """A minute in which one function took more than in the minutes before. `/control/busy/N` refuses the next N requests."""
        with self.server.turn:
            self.server.profile_reads.append(self.path)
            trouble, busy = self.server.trouble, int(self.server.trouble.get("busy", 0))
            self.server.turn.wait_for(lambda: "slowProfile" not in self.server.trouble)
            at = self.server.world.snapshot["capturedAt"]
            if busy:
                trouble["busy"] = busy - 1
        if busy:
            return self.answer_json({"error": "another profile is made"}, 429)
        if "refuseProfile" in trouble:
            return self.answer_json({"error": "the parameter ago is 9999: give 0 to 840"}, 400)
        if "nothing" in trouble or query.get("trace", "")[:1] == "0":
            return self.answer_json(profiles.make([]))
        ago = int(query.get("ago", 0))
        stacks = profiles.STACKS[:2] if "trace" in query else profiles.changed(Price_parse=180) if ago else profiles.STACKS
        self.answer_json(profiles.make(stacks, at - ago - 60, at - ago, allocations="allocations" in trouble, lost=3))

    def activity(self, query):
        try:
            with self.server.turn:
                self.server.activities += 1
                found = self.server.world.recorder.answer(query, self.server.world.snapshot)
            self.answer_json(found)
        except ValueError as error:
            self.answer_json({"error": str(error)}, 400)

    def snapshot(self, query):
        with self.server.turn:
            trouble = dict(self.server.trouble)
            seq = self.server.world.snapshot["seq"] + int(trouble.get("slow", 0))
            self.server.turn.wait_for(lambda: self.server.world.snapshot["seq"] >= seq or "slow" not in self.server.trouble)
            self.server.turn.wait_for(lambda: "hang" not in self.server.trouble)
        if "status" in trouble:
            return self.answer(b"{}", "application/json", int(trouble["status"]))
        with self.server.turn:
            data = self.server.world.since(int(query["since"]), query.get("instance")) if "since" in query else self.server.world.snapshot
            body = json.dumps({**data, "version": int(trouble["version"])} if "version" in trouble else data, separators=(",", ":")).encode()
        self.answer(b"{not json" if "malformed" in trouble else body, "application/json")

    def stream(self, query):
        if "stream" in self.server.trouble:
            return self.answer(b"", "text/plain", 503)
        seq = int(self.headers.get("Last-Event-ID") or query.get("since", 0))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Connection", "close")
        self.zips = "gzip" in self.headers.get("Accept-Encoding", "")
        if self.zips:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if self.zips:
            self.wfile.write(bytes([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]))
        self.close_connection = True
        self.send(b"retry: 1000\n\n")
        self.count(streams=1, opened=1, asked=1)
        try:
            self.follow(seq, query)
        finally:
            self.count(streams=-1)

    def follow(self, seq, query):
        while True:
            with self.server.turn:
                self.server.turn.wait_for(lambda: self.server.world.snapshot["seq"] > seq or "end" in self.server.trouble, 5)
                self.server.turn.wait_for(lambda: "hang" not in self.server.trouble)
                trouble = dict(self.server.trouble)
                missed = self.server.world.since(seq, query.get("instance"))
                at = self.server.world.snapshot["capturedAt"]
            if "end" in trouble:
                self.send(b"event: end\ndata: %s\n\n" % json.dumps({"at": at, "reason": "exit 0"}).encode())
                return
            if "stream" in trouble:
                return
            if missed["schema"] != "axiom/ticks":
                self.send(b"event: reset\ndata: {}\n\n")
                return
            for tick in missed["ticks"]:
                data = b"{broken" if "malformed" in trouble else json.dumps(tick, separators=(",", ":")).encode()
                with self.server.turn:
                    self.server.tick_sizes.append(len(self.block(data)))
                self.send(b"id: %d\nevent: tick\ndata: %s\n\n" % (tick["seq"], data))
                seq = tick["seq"]

    def block(self, data):
        """The data as it is sent: compressed without reference to earlier data, if the browser wants that."""
        if not self.zips:
            return data
        deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
        return deflate.compress(data) + deflate.flush(zlib.Z_FULL_FLUSH)

    def send(self, data):
        data = self.block(data)
        self.wfile.write(data)
        self.wfile.flush()
        self.count(sent=len(data))


if __name__ == "__main__":
    options = argparse.ArgumentParser()
    options.add_argument("port", type=int)
    options.add_argument("sample", nargs="?", default="shop")
    options.add_argument("--tick", type=float, default=1)
    options.add_argument("--seed", type=int, default=7)
    options.add_argument("--at", type=float, default=1795270000)
    options.add_argument("--inspects", type=bool, default=False)
    options.add_argument("--allows", type=bool, default=False)
    options.add_argument("--profiles", type=bool, default=False)
    given = options.parse_args()
    Server(given.port, given.sample, given.tick, given.seed, given.at, given.inspects, given.allows, given.profiles).serve_forever()
