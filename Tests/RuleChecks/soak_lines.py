# SPDX-License-Identifier: Apache-2.0
"""Checks what Scripts/soak does with the lines of the demo: those about missed budgets are counted, the others printed. Checks
which alerts it blames on other programs, too.

    soak_lines.py    prints what is wrong, and fails if anything is
"""

import sys
import threading
from pathlib import Path
from types import SimpleNamespace

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Scripts"))

from soaking.program import Demo  # noqa: E402
from soaking.report import Report  # noqa: E402
from soaking.schedule import Schedule  # noqa: E402
from soaking.verdicts import Firing  # noqa: E402

# A build for debugging writes the first, and a release build the second.
MISSED = [
    "axiom: warning: budget client_call: CartClient took 0.2 s, the limit is 0.1 s\n",
    "axiom: error: budget client_call: CartClient took 0.2 s, the limit is 0.1 s\n",
]
OTHERS = [
    "metrics: http://127.0.0.1:9464/metrics\n",
    "upstream: http://127.0.0.1:9465\n",
    "axiom: error: the journal cannot be written; see budget.txt\n",
    "100 actions; 20 requests\n",
]


def followed(lines):
    """The demo after it has written these lines, and what was printed."""
    printed = []
    demo = Demo.__new__(Demo)
    demo._process, demo._say = SimpleNamespace(stdout=lines), printed.append
    demo._served, demo._ended = threading.Event(), threading.Event()
    demo.missed_budgets, demo.metrics, demo.upstream = 0, None, None
    demo._follow()
    return demo, printed


def problems():
    demo, printed = followed(OTHERS[:2] + MISSED + OTHERS[2:])
    if demo.missed_budgets != len(MISSED):
        yield f"of {len(MISSED)} lines about missed budgets {demo.missed_budgets} are counted"
    if printed != [f"  shop-oracle: {line.rstrip()}" for line in OTHERS]:
        yield f"these lines are printed: {printed}"
    if (demo.metrics, demo.upstream) != ("http://127.0.0.1:9464", "http://127.0.0.1:9465"):
        yield f"these addresses are read: {demo.metrics} and {demo.upstream}"


def blames():
    """An alert about delays counts unless the demo waited for a processor; another alert always counts."""
    def alert(name):
        return Firing((("alertname", name), ("long", "1h"), ("short", "5m")), 100, 110)

    late, other = alert("AxiomPerformanceBudgetBurn"), alert("AxiomErrorBudgetBurn")
    # By the time: seconds without waits, or with a wait of a tenth of the time.
    idle, busy, early = ([(at, share * min(at, last)) for at in range(121)] for share, last in ((0, 0), (0.1, 120), (0.1, 60)))
    for waits, expected in ((idle, [late, other]), (busy, [other]), (early, [late, other]), ([], [late, other])):
        report = Report(Schedule(2, 20), 120, firings=[late, other], waits=waits)
        if report.unexplained != expected:
            yield f"after waits such as {waits[-1:]}, these alerts count: {[one.name for one in report.unexplained]}"


def main():
    found = [*problems(), *blames()]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
