# SPDX-License-Identifier: Apache-2.0
"""The flight recorder of the fake application: planted traces, and the filters of `/api/activity`."""
import random

ACTIVITIES = {"context_action", "client_action", "lifecycle_phase", "breaker_refusal", "custom"}
LATEST = 300


def kind_of(name):
    return None if name is None else "client" if name.endswith("Client") else "context" if name.endswith("Context") else "capability"


class Trace:
    """One trace. `span` adds a span; times are seconds after the start of the trace."""

    def __init__(self, recorder, start, kept=None, complete=True):
        self.recorder, self.rnd = recorder, recorder.random
        self.data = {"schema": "axiom/trace", "version": 1, "id": f"{self.rnd.getrandbits(128):032x}", "kept": kept, "start": round(start, 6), "seconds": 0, "complete": complete, "omitted": 0, "spans": [], "logs": []}

    def span(self, parent, kind, who, name, after, seconds, outcome="success", error=None, budget=None):
        row = {"id": f"{self.rnd.getrandbits(64):016x}", "parent": parent and parent["id"], "kind": kind, "component": self.recorder.called(who), "componentKind": kind_of(who), "name": self.recorder.called(name),
               "instance": 3, "start": round(self.data["start"] + after, 6), "seconds": seconds, "outcome": outcome, "error": error and {"code": error[0], "type": "ShopError", "origin": error[1]},
               "by": parent and {"component": parent["component"], "name": parent["name"]}, "kept": self.data["kept"], "budget": budget and {"name": budget[0], "limit": budget[1]}}
        self.data["spans"].append(row)
        if parent is None:
            self.data["seconds"] = seconds
        return row

    def log(self, span, after, level, label, message, **metadata):
        self.data["logs"].append({"at": round(self.data["start"] + after, 6), "level": level, "label": label, "message": self.recorder.called(message), "metadata": metadata, "span": span["id"], "component": span["component"], "action": span["name"]})

    def activity(self):
        return [{**{key: row[key] for key in row if key != "budget"}, "trace": self.data["id"]} for row in self.data["spans"] if row["kind"] in ACTIVITIES]


class Recorder:
    """Deterministic: the same seed gives the same traces. `names` renames what the traces name."""

    def __init__(self, at, seed=7, names=None):
        self.random, self.names = random.Random(seed), names or {}
        self.traces, self.recorded = [], 0
        for number in range(40):
            self.add(number, at - 130 + number * 3)

    def called(self, name):
        return self.names.get(name, name)

    def add(self, number, at):
        plan = [self.payment, self.cart, self.cart, self.slow, self.cart, self.startup, self.refused][number % 7]
        trace = plan(at)
        self.traces = (self.traces + [trace])[-LATEST:]
        self.recorded += len(trace.data["spans"])

    def cart(self, at):
        trace = Trace(self, at)
        root = trace.span(None, "context_action", "CartContext", "add", 0, 0.0042)
        client = trace.span(root, "client_action", "CartClient", "add", 0.0003, 0.0021, budget=("action.processing", 0.05))
        trace.span(client, "capability_call", "FileStorage", "write", 0.0004, 0.0016)
        trace.span(client, "state_published", "CartClient", "state published", 0.0022, 0)
        trace.span(root, "main_actor_wait", "CartContext", "main-actor wait", 0.0024, 0.0011)
        trace.span(root, "render", "CartContext", "render", 0.0035, 0.0007)
        return trace

    def payment(self, at):
        trace, code = Trace(self, at, "failed"), ("AXIOM_NETWORK_003", "HTTPNetwork")
        root = trace.span(None, "context_action", "CheckoutContext", "pay", 0, 0.412, "failure", code)
        first = trace.span(root, "client_action", "PaymentClient", "authorize", 0.001, 0.1504, "failure", code, ("action.processing", 0.05))
        trace.span(first, "capability_call", "HTTPNetwork", "post", 0.0012, 0.15, "failure", code)
        step = trace.span(root, "recovery_step", "CheckoutContext", "retry", 0.1516, 0.26)
        again = trace.span(step, "retry_attempt", "CheckoutContext", "attempt 2", 0.25, 0.16, "failure", code)
        second = trace.span(again, "client_action", "PaymentClient", "authorize", 0.2502, 0.1595, "failure", code, ("action.processing", 0.5))
        trace.span(second, "capability_call", "HTTPNetwork", "post", 0.2504, 0.159, "failure", code)
        trace.span(root, "breaker_refusal", "PaymentClient", "authorize", 0.411, 0, "rejected", ("AXIOM_CIRCUIT_001", "PaymentClient"))
        trace.log(first, 0.1513, "warning", "shop.payment", "The connection to 127.0.0.1:8081 was reset", order="4711", attempt="1")
        trace.log(root, 0.4115, "error", "shop.checkout", "The order could not be paid")
        return trace

    def slow(self, at):
        trace = Trace(self, at, "over_budget")
        root = trace.span(None, "client_action", "PricingClient", "quote", 0, 1.54, budget=("action.processing", 0.05))
        trace.span(root, "capability_call", "ResponseCache", "fetch", 0.002, 1.53)
        trace.span(root, "custom", None, "parse", 1.534, 0.004)
        return trace

    def startup(self, at):
        trace = Trace(self, at, "slowest")
        root = trace.span(None, "lifecycle_phase", "ProfileContext", "appear", 0, 0.03)
        trace.span(root, "client_action", "ProfileClient", "load", 0.001, 0.028, "cancelled")
        return trace

    def refused(self, at):
        trace = Trace(self, at, "recovered", complete=False)
        root = trace.span(None, "context_action", "CheckoutContext", "refresh", 0, 0.002)
        trace.span(root, "breaker_refusal", "PaymentClient", "capture", 0.0001, 0, "rejected", ("AXIOM_CIRCUIT_001", "PaymentClient"))
        return trace

    def link(self, snapshot):
        """Gives every other of the slowest calls the id of a trace."""
        for row, trace in zip(snapshot["slowest"], self.traces):
            row["trace"] = trace.data["id"] if row["id"] % 2 == 0 else None

    def all(self):
        return sorted((row for trace in self.traces for row in trace.activity()), key=lambda row: -row["start"] - row["seconds"])

    def activity(self, query):
        """The rows for the parameters of `/api/activity`. A bad value raises ValueError, which names the parameter."""
        def number(name, least, most, default):
            try:
                value = float(query.get(name, default))
            except ValueError:
                value = None
            if value is None or not least <= value <= most:
                raise ValueError(f"{name}: a number from {least} to {most}")
            return value

        limit, least = int(number("limit", 1, 1000, 200)), number("min", 0, 1e9, 0)
        if query.get("outcome", "success") not in ("success", "failure", "cancelled", "rejected"):
            raise ValueError("outcome: success, failure, cancelled or rejected")
        found = [row for row in self.all() if row["seconds"] >= least
                 and ("component" not in query or row["component"] == query["component"])
                 and ("outcome" not in query or row["outcome"] == query["outcome"])
                 and (query.get("failures") != "1" or row["outcome"] in ("failure", "rejected"))
                 and (query.get("kept") != "1" or row["kept"])
                 and any(query.get("q", "").lower() in str(text).lower() for text in self.texts(row))]
        return found[:limit]

    def texts(self, row):
        """The texts with which the process compares `q`, each on its own."""
        return [row["kind"], row["component"], row["name"], row["outcome"], *(row["error"] or {}).values(), row["id"], row["trace"]]

    def answer(self, query, snapshot):
        return {"schema": "axiom/activity", "version": 1, "instance": snapshot["instance"], "at": snapshot["capturedAt"], "recorded": self.recorded,
                "dropped": {"overwritten": 0, "displaced": 0, "contended": 2}, "activity": self.activity(query)}

    def trace(self, id):
        """The answer of `/api/traces/ID`, or None. Of the traces that are not kept only the latest twenty are known."""
        latest = [trace for trace in self.traces if not trace.data["kept"]][-20:]
        found = next((trace.data for trace in self.traces if trace.data["id"] == id and (trace.data["kept"] or trace in latest)), None)
        return found

    def kept(self):
        return [trace.data for trace in self.traces if trace.data["kept"]][-100:]
