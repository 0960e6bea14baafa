# SPDX-License-Identifier: Apache-2.0
"""Checks what Scripts/soak does with the lines of the demo: those about missed budgets are counted, the others printed.

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
    if printed != [f"  axiom-demo: {line.rstrip()}" for line in OTHERS]:
        yield f"these lines are printed: {printed}"
    if (demo.metrics, demo.upstream) != ("http://127.0.0.1:9464", "http://127.0.0.1:9465"):
        yield f"these addresses are read: {demo.metrics} and {demo.upstream}"


def main():
    found = list(problems())
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
