# SPDX-License-Identifier: Apache-2.0
"""Checks that every rule has test cases, and that every alert has its texts and its runbook.

    coverage.py    prints what is missing, and fails if anything is
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "Dashboards/source"))

import alert_cases  # noqa: E402
import alerts  # noqa: E402
import fleet_rules  # noqa: E402
import recording  # noqa: E402
import recording_cases  # noqa: E402
import window_cases  # noqa: E402

CASES = ("fires", "does not fire just below", "resolves", "series absent")
HEADINGS = ("## What it means", "## What to look at", "## What to do")


def alerts_without_cases():
    tested = {}
    for cases in alert_cases.BURNS + alert_cases.OTHERS:
        key = (cases.alert, cases.severity, *(cases.labels.get(label) for label in ("long", "short")))
        tested[key] = {case.what for case in cases.cases}
    for alert in all_alerts():
        key = (alert.name, alert.severity, alert.labels.get("long"), alert.labels.get("short"))
        for case in CASES:
            if case not in tested.get(key, set()):
                yield f"{alert.name} {alert.labels or ''} has no case in which it {case}"


def alerts_without_text():
    for alert in all_alerts():
        for field in ("expr", "summary", "description"):
            if not getattr(alert, field):
                yield f"{alert.name} has no {field}"
        if alert.severity not in {"critical", "warning"}:
            yield f"{alert.name} has the severity {alert.severity}"
    # As a reader gets it: without the conditions of the template.
    for cases in alert_cases.BURNS + alert_cases.OTHERS:
        if len(cases.summary) > 120:
            yield f"{cases.alert} has a summary of {len(cases.summary)} characters; it must fit in one line"


def runbooks():
    folder = ROOT / "Documentation/runbooks"
    wanted = {alert.runbook: alert for alert in all_alerts()}
    for name, alert in wanted.items():
        # The link of the rule, relative to the root of the repository.
        file = ROOT / alerts.runbook_url(alert)
        if not file.is_file():
            yield f"{alert.name} has no runbook at {alerts.runbook_url(alert)}"
            continue
        text = file.read_text(encoding="utf-8")
        if not text.startswith(f"# {alert.name}\n"):
            yield f"{name} does not begin with the name of its alert"
        yield from (f"{name} has no heading {heading!r}" for heading in HEADINGS if f"\n{heading}\n" not in text)
        yield from _broken_links(file, text)
    for file in sorted(folder.glob("*.md")):
        if file.name not in wanted and file.name != "README.md":
            yield f"{file.name} belongs to no alert"


def _broken_links(file, text):
    for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
        if not (file.parent / link).exists():
            yield f"{file.name} links to {link}, which does not exist"


def recordings_without_values():
    names = {rule.name for group in recording.groups() + fleet_rules.groups() for rule in group.rules}
    tested = {*recording_cases.EXPECTED, *(recorded for recorded, _ in window_cases.oracles())}
    yield from (f"{name} has no test case" for name in sorted(names - tested))
    yield from (
        f"there is a test case of {name}, which no rule records" for name in set(recording_cases.EXPECTED) - names
    )


def all_alerts():
    return [rule for group in alerts.groups() for rule in group.rules]


def main():
    checks = (alerts_without_cases, alerts_without_text, runbooks, recordings_without_values)
    problems = [problem for check in checks for problem in check()]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
