# SPDX-License-Identifier: Apache-2.0
"""The first line of the page names each planted fault, with the defaults of the library, and is green without one.

AXIOM_PLANTED_FAULTS names the program; see planted_tests. Three faults, drawn by a seed, are planted, and one application has
none. AXIOM_SEED sets the seed. AXIOM_HEADLINES=all plants each fault, and watches two applications without one for ten minutes;
the name of a fault plants that one. With AXIOM_LOAD=1 as many processes as there are processors keep the machine busy.
"""
import os
import random
import re
import subprocess
import sys
import time
import unittest

from planted_tests import Application, Planted

# What the first lines have to say. A part is Search, Plan or Booking: the culprit. The seconds are those after the first effect.
LIMIT, SLOW_LIMIT = 60, 300
FAULTS = {
    "slow-query": (r"Database is slow for {part}Client|{part}Client\b.* takes \d+ ms .*the default limit", LIMIT),
    "flapping-breaker": (r"Circuit {part}Client flaps|{part}Client fails: TRIPS_FAILED, .*flaps", LIMIT),
    "leak": (r"{part}Context: \d+ leak suspects?", SLOW_LIMIT),
    "retry-storm": (r"Vault .*called again [\d.]+ times a call", LIMIT),
    "unavailable": (r"Compass is unavailable: the location service was switched off", LIMIT),
    "stampede": (r"\d+ callers missed one key of {cache}-routes at once", LIMIT),
    "blocked-main-actor": (r"Main actor .*held .*{part}Context\.save", LIMIT),
    "deep-cause": (r"Vault fails: TRIPS_VAULT_KEY", LIMIT),
    "growing-state": (r"{part}Client's state(_memory)? (grew|is) ", SLOW_LIMIT),
}
CONTROLS = ["none", "idle"]
ALL = os.environ.get("AXIOM_HEADLINES")
# A fault without an effect in so many seconds is an error of the program.
PATIENCE = 60
# The title, and the problems and observations that the page lists by itself.
HEADLINE = """() => [document.querySelector('#problems').innerText.trim(),
    [...document.querySelectorAll('#list > li > a')].map((link) => link.innerText.trim())]"""


class Watched:
    """A run of the program, and what its page said."""

    def __init__(self, test, name, seed):
        self.name, self.said, self.opened = name, [], time.monotonic()
        self.application = Application("trips", name, str(seed))
        test.addCleanup(self.application.end)
        self.page = test.show(self.application)

    @property
    def age(self):
        return time.monotonic() - self.opened

    def look(self):
        """The lines below the headline. Keeps what they said, without repetitions."""
        title, lines = self.page.evaluate(HEADLINE)
        if lines and (not self.said or self.said[-1][1:] != (title, lines)):
            self.said.append((self.age, title, lines))
        return lines

    def told(self):
        said = "\n".join(f"    after {at:.0f} s: {title}: {lines}" for at, title, lines in self.said[-20:])
        return f"{self.name}: in {self.age:.0f} s {self.page.url} says\n{said or '    nothing'}"


# What an application without a fault may say if other programs have the processors: that they do, and that it is late.
DELAYS = re.compile(r"^The machine |'s \w+ takes |^Main actor was held")


class Control(Watched):
    """An application without a fault, which is watched for some seconds. Delays do not count if it waited for processors for
    more than 2 % of the time, by the count of the kernel."""

    def __init__(self, test, name, seed, seconds):
        super().__init__(test, name, seed)
        self.seconds = seconds

    def has_ended(self):
        self.look()
        return self.age > self.seconds

    @property
    def failure(self):
        lines = [line for _, _, lines in self.said for line in lines]
        is_late = self.application.waited() > 0.02 * self.age
        return self.told() if any(not (is_late and DELAYS.search(line)) for line in lines) else None

    @property
    def report(self):
        if not self.said:
            return f"{self.name}: no problem and no observation for {self.seconds:.0f} s"
        return self.failure or f"It waited {self.application.waited():.0f} s for processors. {self.told()}"


class Fault(Watched):
    began = seconds = None
    above = ()

    def has_ended(self):
        """Whether the page has named the fault, or cannot do so in time any more."""
        lines = self.look()
        if not self.began:
            effect = self.application.lines()[1:]
            if not effect:
                return self.age > PATIENCE
            part, began = effect[0].split()
            self.part, self.began = part, float(began)
        pattern, limit = FAULTS[self.name]
        pattern = pattern.format(part=self.part, cache=self.part.lower())
        for place, line in enumerate(lines, 1):
            if self.seconds is None and re.search(pattern, line):
                self.seconds, self.text = time.time() - self.began, line
                self.above = lines[:place - 1]
        return self.seconds is not None or time.time() - self.began > limit

    @property
    def failure(self):
        return self.told() if self.seconds is None else None

    @property
    def report(self):
        above = f" (below {self.above})" if self.above else ""
        return self.failure or f"{self.name} of {self.part}: {self.seconds:.1f} s: {self.text}{above}"


class Headlines(Planted):
    def setUp(self):
        super().setUp()
        self.seed = int(os.environ.get("AXIOM_SEED") or random.randrange(1000))
        print(f"AXIOM_SEED={self.seed}", flush=True)
        for _ in range(os.cpu_count() if os.environ.get("AXIOM_LOAD") else 0):
            process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)

    def watch(self, faults=(), controls=(), seconds=0):
        """Runs applications at the same time, until each fault was named or its time is over, and for some seconds at least."""
        watched = [Fault(self, name, self.seed) for name in faults]
        watched += [Control(self, name, self.seed, seconds) for name in controls]
        left = watched
        while left:
            left = [each for each in left if not each.has_ended()]
            watched[0].page.wait_for_timeout(100)
        for each in watched:
            print(each.report, flush=True)
            each.page.close()
        failures = [each.failure for each in watched if each.failure]
        self.assertFalse(failures, "\n".join(failures))
        self.assertEqual(self.complaints, [])

    @unittest.skipIf(ALL, "all faults are planted")
    def test_three_faults_and_a_control(self):
        draw = random.Random(self.seed)
        self.watch(draw.sample(sorted(FAULTS), 3), [draw.choice(CONTROLS)], 60)

    @unittest.skipUnless(ALL, "AXIOM_HEADLINES=all plants all faults")
    def test_each_fault(self):
        names = [name for name in FAULTS if ALL in ("all", name)]
        for first in range(0, len(names), 3):
            with self.subTest(names[first:first + 3]):
                self.watch(names[first:first + 3])

    @unittest.skipUnless(ALL, "AXIOM_HEADLINES=all watches both for ten minutes")
    def test_controls(self):
        if ALL in ("all", "controls"):
            self.watch(controls=CONTROLS, seconds=float(os.environ.get("AXIOM_QUIET") or 600))


if __name__ == "__main__":
    unittest.main()
