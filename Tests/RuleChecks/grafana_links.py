# SPDX-License-Identifier: Apache-2.0
"""Checks what leads from one dashboard to another, and what is drawn into panels: links, exemplars, burn rates, annotations.

    grafana_links.py    prints what is wrong, and fails if anything is
"""

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import parse_qsl

ROOT = Path(__file__).resolve().parents[2]
DASHBOARDS = ROOT / "Dashboards"
sys.dont_write_bytecode = True

# From the fleet to an instance, to a component, and to the dashboard that the instance serves.
DRILL_DOWN = [
    ("axiom-fleet", "axiom-overview"),
    ("axiom-fleet", "http"),
    ("axiom-overview", "axiom-component"),
    ("axiom-component", "http"),
]
ANNOTATIONS = ["Alerts", "Openings of breakers", "Other transitions of breakers", "Restarts", "Deployments"]


def boards():
    files = sorted((DASHBOARDS / "grafana").glob("*.json"))
    return {board["uid"]: board for board in (json.loads(file.read_text(encoding="utf-8")) for file in files)}


def panels(board):
    return [inner for panel in board["panels"] for inner in [panel, *panel.get("panels", [])]]


def links(board):
    for panel in panels(board):
        for link in panel.get("fieldConfig", {}).get("defaults", {}).get("links", []):
            yield panel, link["url"]


# MARK: links


def wrong_links(all_boards):
    for uid, board in all_boards.items():
        for panel, url in links(board):
            where = f"{uid}, {panel['title']}: {url}"
            yield from (f"{where}: {problem}" for problem in _wrong_target(url, all_boards))
            yield from (f"{where}: {problem}" for problem in _unknown_labels(panel, url))
    reached = {(uid, target(url)) for uid, board in all_boards.items() for _, url in links(board)}
    yield from (f"nothing leads from {here} to {there}" for here, there in DRILL_DOWN if (here, there) not in reached)


def target(url):
    match = re.match(r"/d/([\w-]+)\?", url)
    return match[1] if match else url.split(":")[0]


def _wrong_target(url, all_boards):
    if not url.startswith("/d/"):
        if not re.match(r"https?://\$\{__(field\.labels|data\.fields)\.[Ii]nstance\}/", url):
            yield "does not lead to an instance"
        return
    if target(url) not in all_boards:
        yield "there is no such dashboard"
        return
    known = {variable["name"] for variable in all_boards[target(url)]["templating"]["list"]}
    passed = re.findall(r"\$\{(\w+):queryparam\}", url) + [key[4:] for key, _ in parse_qsl(url) if key.startswith("var-")]
    yield from (f"the dashboard has no variable {name}" for name in passed if name not in known)


def _unknown_labels(panel, url):
    """A table names its columns as they are displayed, and a line names its labels."""
    for column in re.findall(r"__data\.fields\.(\w+)", url):
        renamed = [each["options"]["renameByName"] for each in panel["transformations"] if each["id"] == "organize"]
        if not any(column in names.values() for names in renamed):
            yield f"the table has no column {column}"
    for label in re.findall(r"__field\.labels\.(\w+)", url):
        if not any(re.search(rf"\b{label}\b", each["expr"] + each["legendFormat"]) for each in panel["targets"]):
            yield f"the lines have no label {label}"


# MARK: panels


def missing_exemplars(all_boards):
    """Panels of the durations of actions lead to traces."""
    for uid, board in all_boards.items():
        for panel in panels(board):
            of_actions = [
                each for each in panel.get("targets", [])
                if re.search(r"\baxiom_(client|context)_action_duration_seconds_bucket\b", each["expr"])
            ]
            if panel["type"] in ("timeseries", "heatmap") and of_actions and not of_actions[0].get("exemplar"):
                yield f"{uid}, {panel['title']}: shows durations of actions without exemplars"


def wrong_thresholds(all_boards):
    rules = (DASHBOARDS / "prometheus/axiom.alerts.yml").read_text(encoding="utf-8")
    factors = sorted({float(factor) for factor in re.findall(r"burn_rate\w+ > ([\d.]+)", rules)})
    burns = [(uid, panel) for uid, board in all_boards.items() for panel in panels(board) if panel["title"] == "Burn rate"]
    if len(burns) != 2:
        yield f"there are {len(burns)} panels of burn rates, not 2"
    for uid, panel in burns:
        defaults = panel["fieldConfig"]["defaults"]
        drawn = [step["value"] for step in defaults["thresholds"]["steps"] if step["value"] is not None]
        if drawn != factors or defaults["custom"]["thresholdsStyle"] != {"mode": "line"}:
            yield f"{uid}, {panel['title']}: draws {drawn}; the alerts have {factors}"


# MARK: annotations


def wrong_annotations(all_boards):
    for uid, board in all_boards.items():
        if (found := [each["name"] for each in board["annotations"]["list"]]) != ANNOTATIONS:
            yield f"{uid} has the annotations {found}"
    deployments = next(each for each in board["annotations"]["list"] if each["name"] == "Deployments")
    yield from _misplaced(deployments["expr"].replace("$__rate_interval", "2m").replace('"$job"', '".+"').replace('"$instance"', '".+"'))


def _misplaced(expr):
    """With promtool: a deployment is where another revision appears, not where the first one does, nor later."""
    build = 'axiom_build_info{job="shop", instance="%s", version="0.1.0", swift="6.3", revision="%s", instrumented="true"}'
    series = {
        # A rolling update between the minutes 10 and 12.
        build % ("a:9464", "f00"): "1x9 stale", build % ("a:9464", "f01"): "_x10 1x20",
        build % ("b:9464", "f00"): "1x11 stale", build % ("b:9464", "f01"): "_x12 1x20",
    }
    found = {"labels": '{job="shop", version="0.1.0", revision="f01"}', "value": 1}
    expected = [("0m", []), ("1m", []), ("5m", []), ("11m", [found]), ("16m", []), ("25m", [])]
    test = {
        "rule_files": [],
        "tests": [
            {
                "interval": "1m",
                "input_series": [{"series": name, "values": values} for name, values in series.items()],
                "promql_expr_test": [{"expr": expr, "eval_time": at, "exp_samples": samples} for at, samples in expected],
            }
        ],
    }
    with tempfile.NamedTemporaryFile("w", suffix=".test.yml") as file:
        # JSON is YAML.
        json.dump(test, file)
        file.flush()
        run = subprocess.run(["promtool", "test", "rules", file.name], capture_output=True, text=True)
    if run.returncode != 0:
        yield f"the annotation of deployments: {run.stdout}{run.stderr}"


def self_test():
    """Yields the planted faults that are not found."""
    faults = {
        "a link to an unknown dashboard": ("/d/axiom-component?", "/d/axiom-part?"),
        "a link with an unknown variable": ("&var-component=", "&var-part="),
        "a link by an unknown label": ("${__field.labels.instance}", "${__field.labels.host}"),
        "a link by an unknown column": ("${__data.fields.Instance}", "${__data.fields.Host}"),
        "no exemplars": ('"exemplar": true', '"exemplar": false'),
        "another threshold": ('"value": 14.4', '"value": 14'),
        "a deployment at every time": (" offset $__rate_interval", " offset 1w"),
    }
    text = json.dumps(boards(), ensure_ascii=False)
    for what, (old, new) in faults.items():
        if old not in text or not list(problems(json.loads(text.replace(old, new)))):
            yield f"this planted fault is not found: {what}"


def problems(all_boards):
    for check in (wrong_links, missing_exemplars, wrong_thresholds, wrong_annotations):
        yield from check(all_boards)


def main():
    found = [*problems(boards()), *self_test()]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
