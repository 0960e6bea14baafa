#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Plants each fault of the application Trips in real time, with one seed after the other, and scores what /api/diagnosis names.

A fault is named if a cause or an observation says it within a minute of its first effect, a leak and a state that grows within
five; the seconds are counted from that effect. It is exact if nothing else is named at that moment or 15 seconds later, but for a machine that was short of processors.
AXIOM_PLANTED_FAULTS names the program.
"""
import argparse
import json
import re
import statistics
import sys
import time
import urllib.error
import urllib.request

from headline_tests import FAULTS, PATIENCE
from planted_tests import Application

SETTLED = 15
# What follows from the fault, and is another fact about the same component.
ALSO = {
    "slow-query": r"{part}Client\b",
    "blocked-main-actor": r"Main actor |{part}Context\b",
    "retry-storm": r"Vault\b|Gateway\b|{part}Client\b",
    "growing-state": r"{part}Client\b",
    "stampede": r"{part}Client's client_action takes|{part}Context's context_action takes",
}


class Run:
    """An application with a fault, and what its diagnosis said."""

    def __init__(self, fault, seed):
        self.fault, self.seed, self.opened = fault, seed, time.monotonic()
        self.application = Application("trips", fault, str(seed))
        self.url = self.application.address + "api/diagnosis"
        self.began = self.seconds = None
        self.others = set()

    def look(self):
        """Whether the run is over."""
        if not self.began:
            effect = self.application.lines()[1:]
            if not effect:
                return time.monotonic() - self.opened > PATIENCE
            self.part, self.began = effect[0].split()[0], float(effect[0].split()[1])
        age = time.time() - self.began
        said = self.said()
        pattern, limit = FAULTS[self.fault]
        if self.seconds is None and any(re.search(self.filled(pattern), text) for text in said):
            self.seconds = age
        if self.seconds is not None:
            known = self.filled(f"{pattern}|{ALSO.get(self.fault, pattern)}")
            if self.application.waited() > 0.02 * (time.monotonic() - self.opened):
                known += "|^The machine "
            self.others.update(text for text in said if not re.search(known, text))
        return age > (limit if self.seconds is None else self.seconds + SETTLED)

    def said(self):
        """What the diagnosis names now; nothing if the exporter has no time for an answer."""
        try:
            with urllib.request.urlopen(self.url, timeout=30) as answer:
                diagnosis = json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            return []
        return [cause["says"] for cause in diagnosis["causes"]] + diagnosis["observed"]

    def filled(self, pattern):
        return pattern.replace("{part}", self.part).replace("{cache}", self.part.lower())

    def told(self):
        if self.seconds is None:
            return f"{self.fault}, seed {self.seed}: " + ("not named" if self.began else "it had no effect")
        return f"{self.fault}, seed {self.seed}: after {self.seconds:.0f} s" + "".join(f"; also: {text}" for text in sorted(self.others))


def run(chosen, names):
    """All runs, some of them at the same time."""
    left = [(name, chosen.seed + number) for number in range(chosen.runs) for name in names]
    running, ended = [], []
    try:
        while left or running:
            while left and len(running) < chosen.at_once:
                running.append(Run(*left.pop(0)))
            for each in [each for each in running if each.look()]:
                running.remove(each)
                each.application.end()
                ended.append(each)
                print(each.told(), flush=True)
            time.sleep(0.5)
    finally:
        for each in running:
            each.application.end()
    return ended


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20, help="how often each fault is planted (20)")
    parser.add_argument("--seed", type=int, default=1, help="of the first run of each fault (1)")
    parser.add_argument("--at-once", type=int, default=4, help="how many applications run at the same time (4)")
    parser.add_argument("--fault", choices=sorted(FAULTS), action="append", help="only this one; may be repeated")
    chosen = parser.parse_args()
    for name in ("runs", "at_once"):
        if getattr(chosen, name) < 1:
            parser.error(f"--{name.replace('_', '-')} is {getattr(chosen, name)}; give at least 1")
    names = chosen.fault or list(FAULTS)
    ended = run(chosen, names)
    for name in names:
        runs = [each for each in ended if each.fault == name]
        named = [each.seconds for each in runs if each.seconds is not None]
        exact = sum(each.seconds is not None and not each.others for each in runs)
        times = f", after {statistics.median(named):.0f} s at the median and {max(named):.0f} s at most" if named else ""
        print(f"{name}: {len(named)} of {len(runs)} named{times}; {exact} exact")
    return 0 if all(each.seconds is not None for each in ended) else 1


if __name__ == "__main__":
    sys.exit(main())
