# SPDX-License-Identifier: Apache-2.0
"""A fake application with the protocol of the dashboard. It is deterministic: the same seed gives the same data."""
import copy
import json
import math
import random

import modules
import recorder

BOUNDS = [1e-6, 1e-5, 1e-4, 1e-3, 5e-3, 8e-3, 0.01, 0.016, 0.05, 0.3, 1]
LIFETIMES = [0.1, 1, 10, 60, 600, 3600]
FINE, COLUMN = 900, 10

SHOP = {
    "context": {
        "AppNavigationContext": ["UserClient", "NotificationClient"], "HomeContext": ["ActivityClient", "PricingClient"],
        "CartContext": ["CartClient", "PricingClient"], "CheckoutContext": ["CartClient", "PaymentClient", "UserClient"],
        "PaymentContext": ["PaymentClient"], "PricingContext": ["PricingClient"], "ProfileContext": ["ProfileClient"],
        "SettingsContext": ["ProfileClient", "NotificationClient"], "UserContext": ["UserClient"],
    },
    "client": {
        "UserClient": ["HTTPNetwork", "FileStorage"], "ProfileClient": ["FileStorage"], "PaymentClient": ["HTTPNetwork"],
        "NotificationClient": ["HTTPNetwork"], "PricingClient": ["ResponseCache"], "CartClient": ["FileStorage"],
        "ActivityClient": ["HTTPNetwork"],
    },
    "capability": {"ResponseCache": ["HTTPNetwork"], "FileStorage": [], "HTTPNetwork": []},
}
ACTIONS = {
    "CartClient": ["add", "remove", "clear", "refresh"], "PaymentClient": ["authorize", "capture", "refund"],
    "UserClient": ["signIn", "signOut", "refresh"], "PricingClient": ["quote", "refresh"],
    "ProfileClient": ["load", "save"], "NotificationClient": ["poll", "dismiss"], "ActivityClient": ["record"],
}
# Budget: (name, limit, unit, status)
BUDGETS = [
    ("client.state.mutation", 0.001, "seconds", "met"), ("state.propagation", 0.005, "seconds", "met"),
    ("action.processing", 0.05, "seconds", "violated"), ("context.creation", 0.008, "seconds", "met"),
    ("render", 0.016, "seconds", "met"), ("error.propagation", 0.05, "seconds", "met"),
    ("cancellation", 0.01, "seconds", "met"), ("client.memory", 1 << 20, "bytes", "met"),
    ("navigation", 0.01, "seconds", "unmeasured"), ("capability.check", 0.001, "seconds", "unmeasured"),
    ("app.launch.cold", 1, "seconds", "unavailable"), ("macro.expansion", 0.1, "seconds", "unbuilt"),
]
FACTS = {
    "runtime": [
        ("Resident memory", 84 << 20, "bytes"), ("Virtual memory", 1200 << 20, "bytes"), ("CPU", 0.31, "ratio"), ("CPU time", 1312.4, "seconds"), ("Threads", 9, "count"),
        ("Open files", 31, "count"), ("Open files at most", 1024, "count"), ("Executor busy", 0.18, "ratio"), ("Clock skew", 0.0004, "seconds"),
    ],
    "telemetry": [
        ("Recorded", 8123456, "count"), ("One record takes", 6.4e-8, "seconds"), ("Series", 1834, "count"), ("Memory", 3 << 20, "bytes"), ("Series refused", 0, "count"),
        ("Scrapes", 421, "count"), ("A scrape takes", 0.0042, "seconds"), ("Scrape size", 182034, "bytes"), ("Viewers", 1, "count"), ("Tick size", 1420, "bytes"),
        ("Tick takes", 0.0003, "seconds"), ("Dashboard CPU", 0.002, "ratio"), ("Dropped: subscriber_stalled", 0, "count"), ("Dropped: ring_full", 0, "count"),
    ],
}
PROMQL = {
    "vitals": "sum(rate(axiom_client_actions_total[1m]))", "components": "sum by (kind, component) (axiom_component_live)",
    "detail": "histogram_quantile(0.99, sum by (le, action) (rate(axiom_client_action_duration_seconds_bucket{client=$component}[5m])))",
    "latency": "histogram_quantile(0.99, sum by (le, client) (rate(axiom_client_action_duration_seconds_bucket[5m])))",
    "lifetimes": "axiom_component_leak_suspects > 0", "errors": "sum by (component, code, severity) (increase(axiom_errors_total[5m]))",
    "budgets": "1 - sum by (budget) (rate(axiom_budget_violations_total[5m])) / sum by (budget) (rate(axiom_budget_checks_total[5m]))",
    "circuits": 'axiom_circuit_state{state!="closed"} == 1', "regressions": "axiom_regression_ratio and axiom_regression_active == 1",
    "hangs": "histogram_quantile(0.99, rate(axiom_main_actor_delay_seconds_bucket[5m]))",
    "graph": "axiom_component_dependency", "runtime": "process_resident_memory_bytes", "telemetry": "sum by (reason) (increase(axiom_telemetry_dropped_total[5m]))",
    "events": "sum by (breaker, from, to) (increase(axiom_circuit_transitions_total[5m]))",
}


class World:
    def __init__(self, sample="shop", seed=7, at=1795270000.0, instance=None, pid=4711, tick=1.0):
        self.random = random.Random(seed)
        self.step = tick
        self.snapshot = {
            "schema": "axiom/snapshot", "version": 1, "seq": 0, "instance": instance or f"run-{seed}", "capturedAt": at,
            "window": 60, "tick": 1,
            "app": {"name": "Axiom Demo Shop", "about": f"287e939, Axiom 0.4.0, Swift 6.3.1, Linux x86_64, pid {pid}", "startedAt": at - 4213},
            "bounds": {"latency": BOUNDS, "lifetime": LIFETIMES},
            "components": [], "calls": [], "instances": [], "slowest": [], "errors": [], "budgets": [], "circuits": [], "policies": [],
            "regressions": [], "hangs": [], "edges": [], "events": [], "latency": [], "problems": [], "runtime": [], "telemetry": [],
            "baseline": {"loaded": False}, "dropped": {}, "promql": PROMQL, "panels": modules.PANELS,
            "history": {"fine": {"step": 1, "start": at, "series": {}}, "coarse": {"step": 60, "start": at, "series": {}}},
        }
        self.ticks = []
        getattr(self, "make_" + sample)()
        self.recorder = recorder.Recorder(at, seed, getattr(self, "names", None))
        self.recorder.link(self.snapshot)

    # The samples

    def make_empty(self):
        pass

    def make_shop(self, history=FINE, trouble=True):
        shot, rnd, at = self.snapshot, self.random, self.snapshot["capturedAt"]
        names = [(kind, name) for kind, group in SHOP.items() for name in group]
        for number, (kind, name) in enumerate(names):
            shot["components"].append(self.component(number, kind, name))
        self.ids = {name: number for number, (_, name) in enumerate(names)}
        edges = [(name, other) for group in SHOP.values() for name, others in group.items() for other in others]
        for number, (name, other) in enumerate(edges):
            calls = rnd.randrange(200, 30000)
            shot["edges"].append({"id": number, "from": self.ids[name], "to": self.ids[other], "calls": calls,
                                  "rate": round(calls / 400, 2), "errors": calls // 40 if other == "PaymentClient" else 0, "errorRatio": 0.025 if other == "PaymentClient" else 0, "forbidden": False})
        self.make_calls()
        if trouble:
            self.make_trouble(len(edges))
        self.make_budgets(trouble)
        self.make_circuits(trouble)
        self.make_history(history)
        shot["baseline"] = {"loaded": True, "name": "shop-2026-11.json", "recordedAt": at - 86400 * 3}
        for number, (name, action, verdict, ratio) in enumerate([
            ("PricingClient", "quote", "regressed" if trouble else "ok", 1.34 if trouble else 1.01), ("CartClient", "add", "ok", 1.02), ("UserClient", "signIn", "ok", 0.97),
            ("ProfileClient", "save", "insufficient", None),
        ]):
            shot["regressions"].append({"id": number, "component": self.ids[name], "action": action, "percentile": "p90", "verdict": verdict,
                                        "baseline": 0.0041, "current": round(0.0041 * ratio, 6) if ratio else None, "ratio": ratio,
                                        "requests": 1200 if ratio else 14, "reason": "" if ratio else "14 of 200 calls"})
        for name, rows in FACTS.items():
            shot[name] = [{"id": number, "name": label, "value": value, "unit": unit} for number, (label, value, unit) in enumerate(rows)]
        if trouble:
            self.make_problems()
        shot["dropped"] = {"instances": 1204, "events": 380, "errors": 0}

    def make_quiet(self):
        self.make_shop(trouble=False)

    def make_modules(self):
        """The shop with all modules, each of which records something."""
        self.make_shop()
        self.snapshot.update(signals=modules.signals(), capabilities=modules.capabilities(self.ids, self.snapshot["capturedAt"]))

    def make_fresh(self):
        """An application with components, but without calls."""
        self.make_shop(history=0, trouble=False)
        shot = self.snapshot
        for row in shot["components"]:
            row.update(calls=0, rate=0, errors=0, errorRatio=None, p50=None, p90=None, p99=None, budget="unmeasured", spark=[])
        for row in shot["budgets"]:
            if row["status"] == "met":
                row.update(status="unmeasured", p99=None, within=None, checks=0, violations=0)
        shot.update(calls=[], slowest=[], errors=[], latency=[], events=[], edges=[], regressions=[], circuits=[], baseline={"loaded": False})
        self.still = True

    def make_restarted(self):
        """The shop just after its start: its history begins with the first tick."""
        self.make_shop(history=0)

    def make_large(self, size=10_000):
        self.make_shop()
        for number in range(len(self.snapshot["components"]), size):
            kind = ["client", "context", "capability"][number % 3]
            self.snapshot["components"].append(self.component(number, kind, f"Module{number % 97:02}Feature{number:05}{kind.title()}"))

    def make_thousand(self):
        """A thousand components, all of them called each second."""
        self.make_large(1_000)
        for row in self.snapshot["components"]:
            row.update(rate=row["rate"] or 0.5, p99=row["p99"] or 0.01)

    def make_storm(self):
        """The shop in trouble, where everything changes all the time."""
        self.make_shop()
        self.stormy = True

    def make_hostile(self):
        self.make_modules()
        corpus = hostile()
        shot = self.snapshot
        shot["app"]["name"] = corpus[0] + corpus[5]
        shot["app"]["about"] = corpus[1]
        self.names = {row["name"]: corpus[number % len(corpus)] for number, row in enumerate(shot["components"])} | {name: corpus[number] for number, name in enumerate(["add", "pay", "authorize", "retry"])}
        for number, row in enumerate(shot["components"]):
            row["name"] = corpus[number % len(corpus)] + (str(number) if number >= len(corpus) else "")
            row["module"] = corpus[(number + 3) % len(corpus)]
        for name in ["calls", "slowest", "hangs", "errors", "budgets", "circuits", "policies", "regressions", "events", "instances", "problems", "runtime", "telemetry", "capabilities"]:
            for number, row in enumerate(shot[name]):
                for field in row:
                    if isinstance(row[field], str) and field not in ("unit",):
                        row[field] = corpus[(number + len(field)) % len(corpus)]
        for row in shot["capabilities"]:
            row["conditions"] = corpus[:3]
        for number, row in enumerate(shot["signals"]):
            row["labels"] = {label: corpus[(number + len(label)) % len(corpus)] for label in row["labels"]}
        for circuit in shot["circuits"]:
            circuit["transitions"] = [{"at": shot["capturedAt"], "from": corpus[2], "to": corpus[3], "reason": corpus[4]}]
        for number, value in enumerate([-1, 1e308, -1e-300, 5e-324, None, "12", True, [], {}, 1e21]):
            shot["components"][number].update(calls=value, p99=value, rate=value, errorRatio=value)
        self.still = True

    def export(self):
        """The snapshot as an export contains it: version 2, with the latest errors, actions and traces."""
        occurrences = [one for row in self.snapshot["errors"] for one in self.occurrences(row["id"])]
        recorded = {"activity": self.recorder.activity({"limit": "300"}), "traces": self.recorder.kept()}
        return {**copy.deepcopy(self.snapshot), "version": 2, "occurrences": occurrences, **recorded}

    # The parts of samples

    def component(self, number, kind, name):
        rnd = self.random
        busy = 0 if kind == "capability" else rnd.choice([0.2, 1, 3, 12, 40])
        made, base = rnd.randrange(1, 4000), 10 ** rnd.uniform(-5, -2.3)
        alive = min(made, rnd.randrange(1, 9))
        calls = int(busy * 4200)
        errors = int(calls * rnd.choice([0, 0, 0, 0.001, 0.004]))
        return {
            "id": number, "kind": kind, "name": name, "module": "Shop", "live": alive, "created": made, "ended": made - alive, "leaks": 0, "restarts": 0,
            "lifetime": {"count": made - alive, "p50": round(rnd.uniform(1, 30), 2), "p95": round(rnd.uniform(30, 300), 1), "max": round(rnd.uniform(300, 4000)),
                         "counts": [rnd.randrange(made + 1) // n for n in (9, 4, 2, 3, 6, 20, 90)]},
            "calls": calls, "errors": errors, "rate": busy, "errorRatio": errors / calls if calls else None, "inFlight": rnd.randrange(3) if busy else 0,
            "p50": base if calls else None, "p90": base * 2.2 if calls else None, "p99": base * 6 if calls else None, "wait": 2e-5 if kind == "client" and calls else None,
            "budget": "met" if calls else "none", "spark": [round(busy * rnd.uniform(0.6, 1.4), 2) for _ in range(30)],
        }

    def make_calls(self):
        shot, rnd = self.snapshot, self.random
        for name, actions in ACTIONS.items():
            for action in actions:
                done, base = rnd.randrange(40, 20000), 10 ** rnd.uniform(-4.5, -2)
                shot["calls"].append({"id": len(shot["calls"]), "component": self.ids[name], "action": action, "success": done, "failure": done // 90,
                                      "cancelled": done // 300, "rejected": 0, "rate": round(done / 4000, 2), "errorRatio": 0.011, "inFlight": 0, "p50": base, "p90": base * 2, "p99": base * 5})
        for number in range(12):
            call = rnd.choice(shot["calls"])
            shot["slowest"].append({"id": number, "component": call["component"], "action": call["action"], "seconds": round(0.9 / (number + 1), 4),
                                    "at": shot["capturedAt"] - number * 31, "outcome": rnd.choice(["success", "failure"]), "trace": f"{rnd.getrandbits(64):016x}"})
        for number in range(70):
            lane = rnd.choice([0, 2, 3, 4, 6, 7, 9])
            start = shot["capturedAt"] - rnd.uniform(5, 400)
            end = start + rnd.expovariate(1 / 60)
            alive = end > shot["capturedAt"]
            shot["instances"].append({"id": number, "component": lane, "start": round(start, 3), "end": None if alive else round(end, 3),
                                      "how": "live" if alive else rnd.choice(["finished"] * 6 + ["cancelled", "failed"])})

    def make_trouble(self, edges):
        shot, at = self.snapshot, self.snapshot["capturedAt"]
        payment = shot["components"][self.ids["PaymentClient"]]
        payment.update(errors=1204, errorRatio=0.063, p99=0.31, budget="violated")
        leaky = shot["components"][self.ids["CheckoutContext"]]
        leaky.update(leaks=2)
        shot["instances"] += [{"id": 900 + n, "component": leaky["id"], "start": at - 250 - n * 60, "end": None, "how": "leaked"} for n in range(2)]
        shot["edges"] += [
            {"id": edges, "from": self.ids["ResponseCache"], "to": self.ids["PricingClient"], "calls": 12, "rate": 0.1, "errors": 0, "forbidden": True, "note": "rule 4"},
            {"id": edges + 1, "from": self.ids["PaymentContext"], "to": self.ids["CheckoutContext"], "calls": 30, "rate": 0.2, "errors": 0, "forbidden": False},
            {"id": edges + 2, "from": self.ids["CheckoutContext"], "to": self.ids["PaymentContext"], "calls": 90, "rate": 0.6, "errors": 0, "forbidden": False},
        ]
        for number, (name, code, severity, amount, first, last, sample) in enumerate([
            ("PaymentClient", "AXIOM_NET_003", "error", 1204, 3000, 2, "The connection to 127.0.0.1:8081 was reset after 300 ms"),
            ("PaymentClient", "AXIOM_CIRCUIT_001", "warning", 310, 600, 2, "The circuit PaymentClient is open for 4.2 s"),
            ("UserClient", "AXIOM_AUTH_002", "error", 12, 4000, 900, "The session token expired"),
            ("ProfileClient", "AXIOM_CAP_004", "critical", 1, 4100, 4100, "No space left on device"),
        ]):
            shot["errors"].append({"id": number, "component": self.ids[name], "code": code, "severity": severity, "count": amount, "first": at - first,
                                   "last": at - last, "recovered": amount // 3, "sample": sample, "chain": "AXIOM_AUTH_002 ← AXIOM_TLS_004 (HTTPNetwork)" if code == "AXIOM_AUTH_002" else None})
            if code == "AXIOM_CIRCUIT_001":
                shot["errors"][-1].update(meaning="A circuit breaker refused a call because it is open.", remedy="Try again later.")
        for number, (ago, held, name, action, sure, cause) in enumerate([
            (200, 0.312, "CheckoutContext", "pay", True, "seen"), (90, 0.14, None, None, False, "nothing of Axiom ran: other code of the application"), (20, 1.2, "CartContext", "sort", False, "likely"),
        ]):
            shot["hangs"].append({"id": number + 1, "at": at - ago, "seconds": held, "component": self.ids.get(name), "action": action, "trace": f"{number:032x}" if name else None,
                                  "sure": sure, "lasts": False, "cause": cause})
        for number, (ago, kind, severity, name, said) in enumerate([
            (400, "started", "info", "CheckoutContext", "Mounted"), (300, "error", "warning", "PaymentClient", "Connection reset, 30 in a minute"),
            (120, "transition", "warning", "PaymentClient", "Circuit PaymentClient: closed to open, failure ratio 0.62 over 0.5"),
            (60, "violation", "warning", "PaymentClient", "Budget action.processing: 310 ms of 50 ms"), (30, "leak", "warning", "CheckoutContext", "Alive 60 s after its scope ended"),
            (12, "transition", "warning", "PaymentClient", "Circuit PaymentClient: half-open to open, probe failed"), (5, "regression", "critical", "PricingClient", "quote p90 is 1.34 times its baseline"),
        ]):
            shot["events"].append({"id": number, "at": at - ago, "kind": kind, "severity": severity, "component": self.ids[name], "text": said})

    def make_problems(self):
        shot, at = self.snapshot, self.snapshot["capturedAt"]
        for number, (kind, panel, name, said, ago) in enumerate([
            ("bad", "circuits", "PaymentClient", "Circuit PaymentClient is open", 0), ("bad", "budgets", None, "Budget action.processing is missed: 96.4 % within 50 ms", 0),
            ("bad", "regressions", "PricingClient", "PricingClient.quote p90 is 1.34× its baseline", 0), ("bad", "graph", "ResponseCache", "ResponseCache must not depend on PricingClient", 0),
            ("bad", "errors", "PaymentClient", "PaymentClient: AXIOM_NET_003, 1,204 errors", 2), ("warn", "circuits", "NotificationClient", "Circuit NotificationClient is half-open", 0),
            ("warn", "circuits", "PricingClient", "Circuit PricingClient would be open", 0), ("warn", "lifetimes", "CheckoutContext", "CheckoutContext: 2 leak suspects", 0),
        ]):
            shot["problems"].append({"id": number, "kind": kind, "panel": panel, "component": self.ids.get(name), "text": said, "since": at - 60 + number, "at": at - ago, "ended": None})
        for number, (kind, panel, name, said, ago) in enumerate([
            ("bad", "circuits", "UserClient", "Circuit UserClient was open", 100), ("bad", "errors", "UserClient", "UserClient: AXIOM_AUTH_002, 12 errors", 850),
        ], 8):
            shot["problems"].append({"id": number, "kind": kind, "panel": panel, "component": self.ids.get(name), "text": said, "since": at - ago - 30, "at": at - ago - 3, "ended": at - ago})

    def occurrences(self, error):
        """The latest errors of a group, the latest first, as `/api/errors/ID` returns them; None if there is no such group."""
        group = next((row for row in self.snapshot["errors"] if row["id"] == error), None)
        return group and [
            {"id": error * 1000 + group["count"] - i, "error": error, "component": group["component"], "at": group["last"] - i * 7, "chain": group.get("chain"),
             "action": "CheckoutContext.pay" if i % 2 else None, "message": f"{group['sample']}, request {group['count'] - i}" + ", after it was sent again" * (i % 3 * 4),
             "outcome": ["ended", "recovered", "cancelled"][i % 3], "path": ["HTTPNetwork", "PaymentClient", "CheckoutContext"], "trace": f"{error:016x}{i + 1:016x}" if i % 2 else None,
             "context": {"user": f"u-{i}", "appVersion": "2.4.1", "attributes": {"cart": f"{i + 1} items"}} if error == 0 else None}
            for i in range(min(20, group["count"]))
        ]

    def make_budgets(self, trouble):
        shot, rnd, at = self.snapshot, self.random, self.snapshot["capturedAt"]
        for number, (name, limit, unit, status) in enumerate(BUDGETS):
            if not trouble and status == "violated":
                status = "met"
            measured, bad = status in ("met", "violated"), status == "violated"
            shot["budgets"].append({
                "id": number, "name": name, "unit": unit, "limit": limit, "status": "default" if name == "state.propagation" else status, "note": {"unavailable": "needs a device", "unbuilt": "the operation is not built yet"}.get(status, ""),
                "objective": 0.99, "checks": rnd.randrange(900, 90000) if measured else 0, "violations": 812 if bad else 3 if measured else 0,
                "within": 0.964 if bad else 0.9998 if measured else None, "p99": limit * (6.2 if bad else rnd.uniform(0.1, 0.9)) if measured else None,
                "burn": {"5m": 3.6 if bad else 0.02, "1h": 2.1 if bad else 0.01, "6h": 0.9 if bad else 0.01} if measured else {},
                "spark": [rnd.randrange(9) if bad else 0 for _ in range(30)] if measured else [],
                "worst": [{"component": self.ids["PaymentClient"], "action": "authorize", "value": limit * (9 - n), "at": at - 40 * n - 3, "trace": f"{n:032x}" if n == 1 else None} for n in range(3)] if bad else [],
            })

    def make_circuits(self, trouble):
        shot, at = self.snapshot, self.snapshot["capturedAt"]
        plan = [("PaymentClient", "open" if trouble else "closed", False, 0.62 if trouble else 0.01), ("NotificationClient", "half-open" if trouble else "closed", False, 0.02),
                ("UserClient", "closed", False, 0.004), ("PricingClient", "closed", True, 0.55 if trouble else 0), ("CartClient", "closed", False, None), ("ProfileClient", "closed", True, 0.0)]
        for number, (name, state, shadow, ratio) in enumerate(plan):
            few = ratio is None
            shot["circuits"].append({
                "id": number, "name": name, "component": self.ids[name], "state": state, "shadow": shadow, "wouldBeOpen": shadow and (ratio or 0) > 0.5,
                "since": at - (12 if state != "closed" else 4000), "until": at + 18 if state == "open" else None, "failureRatio": ratio, "failureThreshold": 0.5,
                "slowRatio": None if few else 0.08, "slowThreshold": 0.8, "windowCalls": 4 if few else 87, "minimumCalls": 20, "windowSize": 100,
                "permitsUsed": 1 if state == "half-open" else 0, "permits": 3, "rejected": 310 if state == "open" else 0, "rejectedRate": 4.2 if state == "open" else 0,
                "shadowRejections": 41 if shadow else 0, "lastError": "AXIOM_NET_003 connection reset" if state == "open" else None,
                "transitions": [{"at": at - 120, "from": "closed", "to": "open", "reason": "failure ratio 0.62 over 0.5"},
                                {"at": at - 42, "from": "open", "to": "half-open", "reason": "waited 30 s"},
                                {"at": at - 12, "from": "half-open", "to": "open", "reason": "a probe failed"}] if state == "open" else [],
            })
        shot["policies"] = [{"id": number, "name": name, "value": value, "unit": "count"} for number, (name, value) in enumerate([
            ("payment.retry: tokens of 10", 3.5 if trouble else 10), ("payment.retry: retries", 412), ("payment.retry: refused", 38), ("payment.timeout: timeouts", 12),
            ("pricing.limit: in use of 16", 2), ("pricing.limit: queued", 1)])]

    def make_history(self, size):
        shot, at = self.snapshot, self.snapshot["capturedAt"]
        fine = [self.point(-size + i) for i in range(size)]
        coarse = [self.point(i * 60) for i in range(1440 if size else 0)]
        for name, points, step in (("fine", fine, 1), ("coarse", coarse, 60)):
            ring = shot["history"][name]
            ring["start"] = at - len(points) * step
            ring["series"] = {key: [p[key] for p in points] for key in (points[0] if points else {})}
        if not size:
            return
        subjects = [(None, None, None), (self.ids["PaymentClient"], "authorize", 0.05), (self.ids["CartClient"], "add", 0.05), (self.ids["PricingClient"], "quote", 0.05)]
        for number, (who, action, limit) in enumerate(subjects):
            shot["latency"].append({"id": number, "component": who, "action": action, "limit": limit,
                                    "fine": self.columns(number, 90, COLUMN), "coarse": self.columns(number, 90, 960)})

    def columns(self, number, size, step):
        start = math.floor(self.snapshot["capturedAt"] / COLUMN) * COLUMN - (size - 1) * step
        made = [self.column(number, i) for i in range(size)]
        return {"step": step, "start": start, "series": {"p50": [m[0] for m in made], "p90": [m[1] for m in made], "p99": [m[2] for m in made], "counts": [m[3] for m in made]}}

    def column(self, number, i):
        rnd = self.random
        middle = 4 + (number == 1) * 2 + 0.6 * math.sin(i / 9 + number)
        counts = [int(max(0, 300 * math.exp(-((row - middle) ** 2) / 2.2) * rnd.uniform(0.7, 1.3) - 1)) for row in range(len(BOUNDS) + 1)]
        total, out = sum(counts), []
        for q in (0.5, 0.9, 0.99):
            below, value = 0, None
            for row, n in enumerate(counts):
                if total and below + n >= q * total:
                    low, high = (BOUNDS[row - 1] if row else 0), BOUNDS[min(row, len(BOUNDS) - 1)]
                    value = float(f"{low + (high - low) * ((q * total - below) / n if n else 0):.4g}")
                    break
                below += n
            out.append(value)
        return [*out, counts]

    def point(self, i):
        rnd = self.random
        wave = 1 + 0.3 * math.sin(i / 47) + 0.1 * math.sin(i / 9)
        storm = max(0, math.sin(i / 160)) ** 8
        calls = 210 * wave * rnd.uniform(0.92, 1.08)
        four = lambda v: float(f"{v:.4g}")
        return {"calls": four(calls), "errors": four(calls * (0.002 + 0.05 * storm) * rnd.uniform(0.6, 1.4)), "p50": four(0.0011 * wave), "p90": four(0.0047 * wave * rnd.uniform(0.9, 1.2)),
                "p99": four(0.021 * wave * (1 + 5 * storm) * rnd.uniform(0.8, 1.3)), "live": 41 + int(6 * math.sin(i / 30)), "memory": (80 << 20) + int(2e6 * math.sin(i / 200)) + (i % 90) * 9000,
                "cpu": four(0.3 * wave * rnd.uniform(0.9, 1.1)), "threads": 9, "violations": four(2 * storm * rnd.uniform(0.5, 1.5)), "rejected": four(6 * storm), "dropped": 0, "events": four(calls * 5.2), "delay": four(0.0004 * wave)}

    # Time

    def advance(self, at):
        """Makes one tick, and applies it to the snapshot as the page does."""
        shot, rnd = self.snapshot, self.random
        seq = shot["seq"] + 1
        tick = {"seq": seq, "at": at, "points": self.point(seq) if not getattr(self, "still", False) else {}}
        if shot["components"] and not getattr(self, "still", False):
            busy = [c for c in shot["components"] if c["rate"]]
            rows = []
            for c in busy:
                done = max(1, round(c["rate"] * rnd.uniform(0.5, 1.5)))
                rows.append({"id": c["id"], "calls": c["calls"] + done, "rate": round(max(0.1, c["rate"] * rnd.uniform(0.95, 1.05)), 2), "p99": float(f"{c['p99'] * rnd.uniform(0.98, 1.02):.3g}")})
            tick["rows"] = {"components": rows}
            tick["rows"]["runtime"] = [{"id": 0, "value": tick["points"]["memory"]}, {"id": 2, "value": tick["points"]["cpu"]}]
            if seq % 10 == 0:
                # Current problems are sent again every ten seconds.
                tick["rows"]["problems"] = [{"id": p["id"], "at": at} for p in shot["problems"] if p["ended"] is None]
            if getattr(self, "stormy", False):
                self.storm(tick)
            if shot["latency"]:
                start = math.floor(at / COLUMN) * COLUMN
                tick["columns"] = [[0, start, *self.column(0, seq // COLUMN)]]
            if seq % 15 == 0:
                tick["rows"]["events"] = [{"id": 10_000 + seq, "at": at, "kind": "started", "severity": "info", "component": 0, "text": f"Tick {seq}"}]
        self.fold(tick)
        self.ticks = (self.ticks + [tick])[-120:]
        return tick

    def storm(self, tick):
        """Problems that begin and end, circuits that flip, errors that recur, and texts whose lengths change."""
        rnd, shot, at, rows = self.random, self.snapshot, tick["at"], tick["rows"]
        problems = rows.setdefault("problems", [])
        for p in rnd.sample(shot["problems"], 4):
            if p["ended"] is None and rnd.random() < 0.4:
                problems.append({"id": p["id"], "ended": at})
            else:
                problems.append({"id": p["id"], "at": at, "ended": None, **({"since": at} if p["ended"] else {})})
        number = len(shot["problems"])
        if number < 40:
            name = rnd.choice(list(self.ids))
            kind, panel = rnd.choice([("bad", "errors"), ("warn", "circuits"), ("bad", "budgets")])
            problems.append({"id": number, "kind": kind, "panel": panel, "component": self.ids[name], "since": at, "at": at, "ended": None,
                             "text": f"{name}: {'AXIOM_NET_003, ' * rnd.randrange(1, 4)}{rnd.randrange(5, 90_000)} errors in 5 minutes"})
        rows["circuits"] = []
        for c in rnd.sample(shot["circuits"], 2):
            state = rnd.choice(["open", "half-open", "closed"])
            step = {"at": at, "from": c["state"], "to": state, "reason": "failure ratio"}
            rows["circuits"].append({"id": c["id"], "state": state, "since": at, "until": at + 30 if state == "open" else None, "rejected": c["rejected"] + rnd.randrange(300),
                                     "failureRatio": round(rnd.random(), 3), "lastError": rnd.choice([None, "reset", "The connection to 127.0.0.1:8081 was reset after 300 ms"]), "transitions": (c["transitions"] + [step])[-20:]})
        rows["errors"] = [{"id": e["id"], "count": e["count"] + rnd.randrange(90), "last": at, "sample": f"Request {rnd.randrange(99_999)} for /profiles/grace" + " failed" * rnd.randrange(9)} for e in rnd.sample(shot["errors"], 2)]
        # Rates that jump change the order of the table, and the number of digits of every cell.
        for c in rows["components"]:
            c.update(rate=float(f"{10 ** rnd.uniform(-1, 3):.3g}"), errorRatio=rnd.choice([None, 0, 0.0004, 0.123, 1]), p99=float(f"{10 ** rnd.uniform(-5, 1):.3g}"), budget=rnd.choice(["met", "violated", "none"]))

    def record(self):
        """Records the two traces of a tick. Separate from `advance`, because most tests need no traces."""
        if not getattr(self, "still", False) and self.snapshot["calls"]:
            for half in (0, 0.5):
                self.recorder.add(self.recorder.random.randrange(7), self.snapshot["capturedAt"] - half)

    def fold(self, tick):
        shot = self.snapshot
        shot.update(seq=tick["seq"], capturedAt=tick["at"])
        for name, fields in tick.get("set", {}).items():
            shot[name].update(fields)
        for name, rows in tick.get("rows", {}).items():
            known = {row["id"]: row for row in shot[name]}
            for row in rows:
                if row["id"] in known:
                    known[row["id"]].update(row)
                else:
                    shot[name].append(dict(row))
        ring = shot["history"]["fine"]
        size = max(map(len, ring["series"].values()), default=0)
        if not size:
            ring["start"] = tick["at"] - 1
        index = max(size - 1, round((tick["at"] - 1 - ring["start"]) / ring["step"]))
        for key, value in tick["points"].items():
            series = ring["series"].setdefault(key, [])
            series += [None] * (index - len(series))
            series[index:] = [value]
            if len(series) > FINE:
                del series[: len(series) - FINE]
        if index >= FINE:
            ring["start"] += (index - FINE + 1) * ring["step"]

    def since(self, seq, instance):
        """The ticks after `seq` if all are still kept, else the snapshot."""
        shot = self.snapshot
        if instance == shot["instance"] and seq <= shot["seq"] and (seq == shot["seq"] or (self.ticks and self.ticks[0]["seq"] <= seq + 1)):
            return {"schema": "axiom/ticks", "version": 1, "instance": instance, "ticks": [t for t in self.ticks if t["seq"] > seq]}
        return copy.deepcopy(shot)


def hostile():
    """Names that look like markup, code, addresses or formulas."""
    return [
        "<script>alert(1)</script>", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "\"><svg onload=alert(1)>", "'; alert(1); '", "{{script}}", "<!--", "]]>",
        "javascript:alert(1)", "مرحبا بالعالم", "שלום עולם", "\u202eevil\u202c", "👩‍👩‍👧‍👦🏳️‍🌈", "a\u0000b", "line\nbreak\r\ttab", "=1+1", "@SUM(A1)", "-2+3|cmd", "\\\"quoted\\\"", "%00%0a", "__proto__", "constructor",
        "hasOwnProperty", "", " ", "N" * 20000, "e\u0301" * 200, "\ud7ff\ufffd", "&lt;b&gt;&amp;", "<style>*{display:none}</style>", "<base href=//evil.example>", "https://evil.example/x.png",
    ]


if __name__ == "__main__":
    import sys
    print(json.dumps(World(*sys.argv[1:2]).snapshot, ensure_ascii=True, separators=(",", ":")))
