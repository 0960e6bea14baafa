# SPDX-License-Identifier: Apache-2.0
"""Repeats the tests whose limits once depended on the machine, beside a full load of it: Scripts/thorough flaky.

Each line of Tests/repeated.txt is a regular expression for names of tests. Short ones run 200 times, others for 30 minutes;
AXIOM_TEST_SCALE shortens both. A test is short if its first run took 5 s at most. Prints a line for each, and fails if a run
failed."""
import os
import re
import subprocess
import sys
import time

from testing.builds import BUILDS, ROOT, Failure
from testing.limited import run

SCALE = float(os.environ.get("AXIOM_TEST_SCALE", 1))
RUNS, MINUTES, SHORT = max(1, int(200 * SCALE)), 30 * SCALE, 5


def busy():
    """Twice as many programs that compute as the machine has processors."""
    return [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * os.cpu_count())]


def repeat(build, pattern):
    """The number of runs and of those that failed, and the time of one run."""
    begin, runs, failed, one = time.monotonic(), 0, 0, 0.0
    while True:
        outcome = run(build.program, ["--filter", pattern], 20, build.environment())
        if not outcome.count:
            raise Failure(f"Tests/repeated.txt: no test has the name {pattern}")
        runs, failed = runs + 1, failed + (not outcome.is_good)
        passed = time.monotonic() - begin
        one = one or passed
        if runs >= RUNS and one <= SHORT or passed >= 60 * MINUTES and one > SHORT:
            return runs, failed, one


def main():
    build = BUILDS["debug"]
    build.build()
    lines = (ROOT / "Tests/repeated.txt").read_text().splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    wanted = re.compile(sys.argv[1]) if len(sys.argv) > 1 else None
    load, bad = busy(), 0
    try:
        for pattern in patterns:
            if wanted and not wanted.search(pattern):
                continue
            runs, failed, one = repeat(build, pattern)
            bad += failed
            print(f"REPEATED {pattern}: {runs} runs of {one:.1f} s, {failed} failed", flush=True)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    finally:
        for process in load:
            process.kill()
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
