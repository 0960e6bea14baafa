# SPDX-License-Identifier: Apache-2.0
"""Compares dashboards and rules with the metrics that a running application exports, in both directions.

    names.py METRICS.txt    prints differences, and fails if there are any

Every metric, label and value in a panel or a rule must be on the page. Every family of the page must be used, or be listed
in UNUSED of Dashboards/source/metrics.py with the reason.
"""

import re
import sys
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

ROOT = Path(__file__).resolve().parents[2]
DASHBOARDS = ROOT / "Dashboards"
sys.dont_write_bytecode = True
sys.path.insert(0, str(DASHBOARDS / "source"))

import json  # noqa: E402

import alerts  # noqa: E402
import fleet_rules  # noqa: E402
import recording  # noqa: E402
from metrics import FULL, METRICS, NOT_EVERYWHERE, ON_DEMAND, SCRAPES, TARGET_LABELS, UNUSED  # noqa: E402
from promql_reader import read  # noqa: E402

# Metrics that Prometheus itself adds are on no page.
OF_PROMETHEUS = {metric.name for metric in SCRAPES}


class Page:
    """The exported metrics: the kind of each family, and the values of each label."""

    def __init__(self, text):
        self.kinds, self.labels = {}, {}
        for family in text_string_to_metric_families(text):
            name = family.name + ("_total" if family.type == "counter" else "")
            self.kinds[name] = family.type
            labels = self.labels.setdefault(name, {})
            for sample in family.samples:
                for label, value in sample.labels.items():
                    if not (label == "le" and family.type == "histogram"):
                        labels.setdefault(label, set()).add(value)
            for label, values in ON_DEMAND.get(name, {}).items():
                labels.setdefault(label, set()).update(values)

    def family(self, series):
        """The family of a series. The series of a histogram have three suffixes."""
        base = re.sub(r"_(bucket|sum|count)$", "", series)
        listed = METRICS[base].kind if base in METRICS else None
        return base if self.kinds.get(base, listed) == "histogram" else series


def queries():
    """Yields every query, with its origin."""
    for path in sorted((DASHBOARDS / "grafana").glob("*.json")):
        dashboard = json.loads(path.read_text(encoding="utf-8"))
        for panel in [inner for panel in dashboard["panels"] for inner in [panel, *panel.get("panels", [])]]:
            for target in panel.get("targets", []):
                yield f"{path.name}: {panel['title']}", target["expr"]
        for annotation in dashboard["annotations"]["list"]:
            yield f"{path.name}: annotation {annotation['name']}", annotation["expr"]
        for variable in dashboard["templating"]["list"]:
            if variable["type"] == "query":
                selector, label = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"]).groups()
                yield f"{path.name}: variable {variable['name']}", f"count by ({label}) ({selector})"
    for group in recording.groups() + fleet_rules.groups() + alerts.groups():
        for rule in group.rules:
            yield f"rule {rule.name}", rule.expr
    for path in sorted((ROOT / "Documentation/runbooks").glob("*.md")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("      "):
                yield f"runbook {path.name}", line.strip()


def disagreements(page):
    yield from _list_against_page(page)
    used = set()
    for origin, expr in queries():
        query = read(expr)
        yield from (f"{origin}: {problem}" for problem in _query_against_page(query, page))
        used |= {page.family(selector.metric) for selector in query.selectors}
    yield from _page_against_use(page, used)


def _list_against_page(page):
    for name, metric in METRICS.items():
        if name in OF_PROMETHEUS or name in NOT_EVERYWHERE and name not in page.kinds:
            continue
        if name not in page.kinds:
            yield f"metrics.py lists {name}, which is not on the page"
        elif page.kinds[name] != metric.kind:
            yield f"metrics.py says that {name} is a {metric.kind}; it is a {page.kinds[name]}"
        elif set(page.labels[name]) != set(metric.labels):
            yield f"metrics.py says that {name} has the labels {metric.labels}; it has {sorted(page.labels[name])}"


def _query_against_page(query, page):
    known = set(TARGET_LABELS) | {"le"}
    for selector in query.selectors:
        if ":" in selector.metric:
            yield from _recorded(selector)
            known |= set(_level(selector.metric))
            continue
        name = page.family(selector.metric)
        if name in OF_PROMETHEUS or name in NOT_EVERYWHERE and name not in page.kinds:
            known |= set(METRICS[name].labels)
            continue
        if name not in page.kinds:
            yield f"names {selector.metric}, which is not on the page"
            continue
        known |= set(page.labels[name])
        yield from _matchers(selector, page.labels[name])
    for label in sorted(query.labels - known):
        yield f"groups by {label}, which none of its metrics has"


def _matchers(selector, labels):
    for matcher in selector.matchers:
        if matcher.label in TARGET_LABELS:
            continue
        if matcher.label not in labels:
            yield f"selects {selector.metric} by the label {matcher.label}, which it does not have"
        # An empty value selects series without the label, or excludes these.
        elif matcher.value and not matcher.value.startswith("$"):
            has = labels[matcher.label]
            is_pattern = matcher.operator in ("=~", "!~")
            missing = {
                part
                for part in matcher.value.split("|")
                if part not in has and not (is_pattern and any(re.fullmatch(part, value) for value in has))
            }
            if missing:
                yield f"selects {selector.metric} by {matcher.label} {sorted(missing)}, which is not on the page"


RECORDINGS = {rule.name for group in recording.groups() + fleet_rules.groups() for rule in group.rules}
_LABELS = sorted({label for metric in METRICS.values() for label in metric.labels + TARGET_LABELS} | {"le"}, key=len)


def _level(name):
    """The labels in the first part of a recorded name: `job_breaker_state:` has three."""
    rest, labels = name.split(":")[0], []
    while rest:
        label = next((label for label in _LABELS if rest == label or rest.startswith(label + "_")), rest)
        labels.append(label)
        rest = rest[len(label) + 1 :]
    return labels


def _recorded(selector):
    if selector.metric not in RECORDINGS:
        yield f"names {selector.metric}, which no rule records"
    for matcher in selector.matchers:
        if matcher.label not in _level(selector.metric):
            yield f"selects {selector.metric} by the label {matcher.label}, which it does not have"


def _page_against_use(page, used):
    for name in sorted(page.kinds):
        if name in FULL:
            yield f"{name} is on the default page, but metrics.py says that it is not"
        elif name not in METRICS:
            yield f"{name} is on the page and not in metrics.py"
        elif name not in used and name not in UNUSED:
            yield f"{name} is in no panel and no rule; use it, or add it to UNUSED of metrics.py with the reason"
    for name in UNUSED:
        if name in used:
            yield f"{name} is used, but metrics.py says that it is not"
        if name not in page.kinds:
            yield f"metrics.py says that {name} is not used; it is not on the page either"


def self_test(text):
    """Yields the planted faults of the page that are not found: used metrics removed, and unused metrics added."""
    faults = {
        "a metric is missing": re.sub(r"(?m)^(# \w+ )?axiom_errors_total.*\n", "", text),
        "a label has another name": text.replace('breaker="', 'circuit="'),
        "a value is missing": text.replace('outcome="rejected"', 'outcome="refused"'),
        "a metric is not used": (
            text + "# HELP axiom_new_total New.\n# TYPE axiom_new_total counter\naxiom_new_total 1\n"
        ),
        "a kind is another": text.replace("axiom_circuit_state gauge", "axiom_circuit_state counter"),
    }
    for what, faulty in faults.items():
        if not list(disagreements(Page(faulty))):
            yield f"this fault is not found: {what}"


def main(paths):
    text = Path(paths[0]).read_text(encoding="utf-8")
    problems = [*disagreements(Page(text)), *self_test(text)]
    print("\n".join(problems), end="\n" if problems else "")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
