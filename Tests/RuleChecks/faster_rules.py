# SPDX-License-Identifier: Apache-2.0
"""Checks the rules that Scripts/soak makes faster: what they count does not depend on the second at which a run starts.

    faster_rules.py    prints what is wrong, and fails if anything is
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RULES = ROOT / "Dashboards/prometheus"
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Scripts"))

from soaking.prometheus import faster  # noqa: E402

SPEED = 20
# Two user actions fail in each second, beginning at each of these seconds. A subquery of the slow rules has a step of 30 s.
BEGINS = range(60, 90)
PER_SECOND = 2
# Seconds after the begin. A rate over 15 s, which is 5 minutes of the slow rules, lags behind the count by half of them.
AFTER, LEAST, MOST = 20, 20, 48


def case(begin):
    failures = f"0x{begin} {PER_SECOND}+{PER_SECOND}x60"
    counted = "job_context:axiom_context_actions_bad:increase1h"
    return f"""
  - name: failures from second {begin}
    interval: 1s
    input_series:
      - series: 'axiom_context_actions_total{{job="axiom", context="Cart", outcome="failure"}}'
        values: {failures}
    promql_expr_test:
      - expr: '({counted} >= bool {LEAST}) * ({counted} <= bool {MOST})'
        eval_time: {begin + AFTER}s
        exp_samples: [{{labels: '{{context="Cart", job="axiom"}}', value: 1}}]
"""


def main():
    with tempfile.TemporaryDirectory() as folder:
        rules, cases = Path(folder, "rules.yml"), Path(folder, "cases.yml")
        rules.write_text(faster((RULES / "axiom.recording.yml").read_text(), SPEED))
        cases.write_text("rule_files: [rules.yml]\nevaluation_interval: 1s\ntests:" + "".join(map(case, BEGINS)))
        run = subprocess.run(["promtool", "test", "rules", str(cases)], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(run.stdout + run.stderr)


if __name__ == "__main__":
    main()
