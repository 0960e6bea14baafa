# SPDX-License-Identifier: Apache-2.0
"""The generated parts of Documentation/metrics.md. Name, type, unit and labels of each metric are those of
Dashboards/source/metrics.py, which a test compares with a running application. The meaning, and the sentence below each
heading, stay as the page has them."""
import importlib
import re
import sys

PAGE = "Documentation/metrics.md"
TITLES = {
    "Components": ["COMPONENTS"],
    "Actions and states": ["ACTIONS"],
    "Capabilities": ["CAPABILITIES"],
    "Errors": ["ERRORS"],
    "Circuit breakers": ["CIRCUITS"],
    "Retries, timeouts, bulkheads and fallbacks": ["STRATEGIES"],
    "Budgets and regressions": ["BUDGETS"],
    "Navigation and the life of the application": ["NAVIGATION", "LINKS", "LIFE"],
    "Configuration": ["CONFIGURATION"],
    "Storage, caches and pools": ["STORAGE", "PERSISTENT_STATES", "CACHES", "POOLS"],
    "Work without a server": ["BACKGROUND", "OFFLINE"],
    "Telemetry itself": ["TELEMETRY"],
    "The process": ["PROCESS"],
}
# What a counted thing of metrics.py is called on the page.
UNITS = {"actions": "count", "timestamp": "seconds since 1970"}
HEAD = "| name | type; unit | labels | meaning |\n| --- | --- | --- | --- |\n"


def metrics(root):
    folder = str(root / "Dashboards/source")
    sys.path.insert(0, folder)
    try:
        return importlib.import_module("metrics")
    finally:
        sys.path.remove(folder)


def page(root):
    """The page as it should be, and the names of metrics that have no meaning yet."""
    source, text = metrics(root), (root / PAGE).read_text(encoding="utf-8")
    head, mark, rest = text.partition("<!-- generated from here -->\n")
    meanings = {name: meaning for name, meaning in re.findall(r"^\| `(\w+)` \|.*\| (.*) \|$", rest, re.MULTILINE)}
    leads = dict(re.findall(r"^## (.+)\n\n((?:[^|#\n].*\n)+)", rest, re.MULTILINE))
    parts, unknown = [], []
    for title, groups in TITLES.items():
        rows = [row(metric, source, meanings, unknown) for group in groups for metric in getattr(source, group)]
        parts.append(f"\n## {title}\n\n{leads.get(title, '')}\n{HEAD}{''.join(rows)}")
    return head + mark + "".join(parts), unknown


def row(metric, source, meanings, unknown):
    if not meanings.get(metric.name):
        unknown.append(metric.name)
    unit = UNITS.get(metric.counted, metric.counted)
    labels = ", ".join(metric.labels)
    return f"| `{metric.name}` | {metric.kind}; {unit} | {labels} | {meanings.get(metric.name, '')} |\n"


def differences(root):
    """What is wrong with the page, one line each."""
    expected, unknown = page(root)
    if expected != (root / PAGE).read_text(encoding="utf-8"):
        yield f"{PAGE}: error: it differs from Dashboards/source/metrics.py: run Scripts/documentation --renew"
    for name in unknown:
        yield f"{PAGE}: error: {name} has no meaning: write it into the last column"


def renew(root):
    expected, unknown = page(root)
    (root / PAGE).write_text(expected, encoding="utf-8")
    print(f"Wrote {PAGE}." + (f" Write the meaning of {', '.join(unknown)}." if unknown else ""))
