# SPDX-License-Identifier: Apache-2.0
"""Compares the metrics of the demo with its ledger, which counts without Axiom."""

import re

OUTCOMES = ["success", "failure", "cancelled", "rejected"]
SAMPLE = re.compile(r'^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


class Page:
    """A parsed response of /metrics."""

    def __init__(self, text):
        self.samples = []
        for line in text.splitlines():
            match = None if line.startswith("#") else SAMPLE.match(line)
            if match:
                self.samples.append((match[1], dict(LABEL.findall(match[2] or "")), float(match[3])))

    def total(self, name, **labels):
        return sum(
            value for found, has, value in self.samples
            if found == name and all(has.get(key) == wanted for key, wanted in labels.items())
        )


def compare(page, ledger, generation):
    """Returns the differences between the page and the ledger as messages, and the number of comparisons.

    `generation` is how many configurations the script has had applied."""
    problems, count = [], 0

    def equal(what, measured, expected):
        nonlocal count
        count += 1
        if measured != expected:
            problems.append(f"{what}: the metrics say {measured:g}, the ledger says {expected:g}")

    for kind in ["client", "context"]:
        for name, outcomes in ledger[kind + "s"].items():
            for outcome in OUTCOMES:
                total = page.total(f"axiom_{kind}_actions_total", **{kind: name, "outcome": outcome})
                equal(f"{kind} {name}, {outcome}", total, outcomes.get(outcome, 0))
    for name, created in ledger["created"].items():
        for what, expected in [("created_total", created), ("lifetime_seconds_count", created), ("live", 0)]:
            equal(f"{name}, {what}", page.total("axiom_component_" + what, kind="context", component=name), expected)
    for name, presence in ledger["singletons"].items():
        equal(f"{name}, created", page.total("axiom_component_created_total", component=name), presence["created"])
        equal(f"{name}, live", page.total("axiom_component_live", component=name), presence["alive"])
    shown = ledger["rejections"]["shown"]
    equal("errors", page.total("axiom_errors_total"), ledger["errors"] + shown)
    equal("actions in flight", page.total("axiom_client_actions_in_flight"), 0)
    equal("leak suspects", page.total("axiom_component_leak_suspects"), 0)
    accounted = ledger["errors"] + ledger["recovered"] + ledger["cancelled"]
    equal("faults of the upstream", accounted, ledger["upstream"]["faults"])
    for what in ["waiting", "doubled", "rekeyed"]:
        equal(f"orders that are {what}", ledger["orders"][what], 0)
    equal("generation of the configuration", page.total("axiom_configuration_generation"), generation)
    return problems, count
