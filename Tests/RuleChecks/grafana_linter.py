# SPDX-License-Identifier: Apache-2.0
"""The 17 rules of the Grafana dashboard linter (https://github.com/grafana/dashboard-linter), without exclusions, and with one other value: "All"
includes series without the label.

The original is written in Go, and ignores kinds of panels that it does not know. Here every rule applies to every panel
except headings.

    grafana_linter.py DASHBOARD.json...    prints violations, and fails if there are any
    grafana_linter.py --self-test DASHBOARD.json    checks that each rule finds a planted fault
"""

import copy
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from promql_reader import read

# The Grafana units that dashboards of Axiom may use.
UNITS = {
    "none",
    "short",
    "percent",
    "percentunit",
    "s",
    "ms",
    "µs",
    "ns",
    "bytes",
    "decbytes",
    "binBps",
    "Bps",
    "ops",
    "reqps",
    "rps",
    "cps",
    "dateTimeAsIso",
    "bool",
}
WINDOWS = {"$__rate_interval": "5m", "$__interval": "1m", "$__range": "1h"}


def panels(dashboard):
    every = [inner for panel in dashboard["panels"] for inner in [panel, *panel.get("panels", [])]]
    return [panel for panel in every if panel["type"] != "row"]


def targets(dashboard):
    return [(panel, target) for panel in panels(dashboard) for target in panel.get("targets", [])]


def variables(dashboard, kind):
    return [variable for variable in dashboard["templating"]["list"] if variable["type"] == kind]


def is_prometheus(dashboard):
    return all(variable["query"] == "prometheus" for variable in variables(dashboard, "datasource"))


# MARK: variables


def template_datasource(dashboard):
    found = variables(dashboard, "datasource")
    if len(found) != 1:
        yield f"has {len(found)} variables for a data source, not 1"
    for variable in found:
        if variable["name"] != "datasource" or variable["label"] != "Data source":
            yield "has a variable for the data source that is not named datasource and labelled Data source"


def template_job(dashboard):
    yield from _target_variable(dashboard, "job")


def template_instance(dashboard):
    yield from _target_variable(dashboard, "instance")


def _target_variable(dashboard, name):
    found = [variable for variable in dashboard["templating"]["list"] if variable["name"] == name]
    if not found:
        yield f"has no variable {name}"
    for variable in found:
        if variable["type"] != "query" or "label_values" not in str(variable["query"]):
            yield f"has a variable {name} that does not query the values of a label"
        if variable.get("datasource", {}).get("uid") != "${datasource}":
            yield f"has a variable {name} that does not use the chosen data source"
        if variable["label"] != name.title():
            yield f"has a variable {name} that is not labelled {name.title()}"
        if not variable.get("multi"):
            yield f"has a variable {name} that allows only one value"
        # The original demands .+, which leaves out series without the label, such as pushed ones.
        if variable.get("allValue") != ".*":
            yield f"has a variable {name} whose value for all is not .*"


def template_label_promql(dashboard):
    for variable in variables(dashboard, "query"):
        match = re.fullmatch(r"([a-z_]+)\((.+)\)", variable["query"])
        if not match or match[1] not in {"label_names", "label_values", "metrics", "query_result"}:
            yield f"has a variable {variable['name']} with the query {variable['query']!r}"
            continue
        series = re.sub(r",\s*\w+$", "", match[2])
        if _invalid([_expanded(series)]):
            yield f"has a variable {variable['name']} with the query {variable['query']!r}, which is not valid PromQL"


def template_on_time_change_reload(dashboard):
    for variable in variables(dashboard, "query"):
        if variable.get("refresh") != 2:
            yield f"has a variable {variable['name']} that is not refreshed when the time range changes"


# MARK: panels


def panel_datasource(dashboard):
    for panel in panels(dashboard):
        if panel.get("datasource", {}).get("uid") != "${datasource}":
            yield f"{panel['title']}: does not use the chosen data source"


def panel_title_description(dashboard):
    for panel in panels(dashboard):
        if not panel.get("title") or not panel.get("description"):
            yield f"panel {panel['id']}: has no title or no description"


def panel_units(dashboard):
    for panel in panels(dashboard):
        unit = panel["fieldConfig"]["defaults"].get("unit")
        if unit not in UNITS:
            yield f"{panel['title']}: has the unit {unit}"


def panel_no_targets(dashboard):
    for panel in panels(dashboard):
        if not panel.get("targets"):
            yield f"{panel['title']}: has no queries"


# MARK: queries


def target_promql(dashboard):
    exprs = [target.get("expr", "") for _, target in targets(dashboard)]
    for index, problem in _invalid([_expanded(expr) for expr in exprs]):
        yield f"{targets(dashboard)[index][0]['title']}: {problem} in {exprs[index]!r}"


def target_logql(dashboard):
    for panel, target in targets(dashboard):
        kind = target.get("datasource", {}).get("type")
        # promtool cannot check LogQL, so there must be none.
        if kind != "prometheus" or not is_prometheus(dashboard):
            yield f"{panel['title']}: uses a data source of the kind {kind}"


def target_logql_auto(dashboard):
    for panel, target in targets(dashboard):
        if "count_over_time({" in target.get("expr", "").replace(" ", "") and "$__auto" not in target["expr"]:
            yield f"{panel['title']}: has a LogQL range that is not $__auto"


def target_rate_interval(dashboard):
    for panel, selector in _selectors(dashboard):
        if selector.function in {"rate", "irate"} and selector.range != "$__rate_interval":
            yield f"{panel['title']}: takes the rate of {selector.metric} over {selector.range}, not $__rate_interval"


def target_job(dashboard):
    yield from _without_matcher(dashboard, "job")


def target_instance(dashboard):
    yield from _without_matcher(dashboard, "instance")


def _without_matcher(dashboard, name):
    for panel, selector in _selectors(dashboard):
        # Most alerts sum over instances, and so have no label for one. So do the recorded sums over all instances.
        level, is_recorded, _ = selector.metric.partition(":")
        if name == "instance" and (selector.metric == "ALERTS" or is_recorded and "instance" not in level.split("_")):
            continue
        if not any((m.label, m.operator, m.value) == (name, "=~", f"${name}") for m in selector.matchers):
            yield f'{panel["title"]}: queries {selector.metric} without {name}=~"${name}"'


def target_counter_agg(dashboard):
    for panel, selector in _selectors(dashboard):
        if selector.metric.endswith("_total"):
            if not selector.range or selector.function not in {"rate", "irate", "increase"}:
                yield f"{panel['title']}: shows the counter {selector.metric} without rate, irate or increase"


def uneditable_dashboard(dashboard):
    if dashboard.get("editable", True):
        yield "is editable"


def _selectors(dashboard):
    return [(panel, selector) for panel, target in targets(dashboard) for selector in read(target["expr"]).selectors]


def _expanded(expr):
    for name, value in WINDOWS.items():
        expr = expr.replace(name, value)
    return re.sub(r"\$\{?\w+\}?", "variable", expr)


def _invalid(exprs):
    """The indices of the invalid expressions, each with a message."""
    problems = []
    for index, expr in enumerate(exprs) if not _accepted(exprs) else []:
        if not _accepted([expr]):
            problems.append((index, "invalid PromQL"))
    return problems


def _accepted(exprs):
    rules = [{"record": f"query:{index}", "expr": expr} for index, expr in enumerate(exprs)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        # JSON is valid YAML.
        json.dump({"groups": [{"name": "queries", "rules": rules}]}, file)
        file.flush()
        check = subprocess.run(["promtool", "check", "rules", file.name], capture_output=True)
    return check.returncode == 0


RULES = [
    template_datasource, template_job, template_instance, template_label_promql, template_on_time_change_reload,
    panel_datasource, panel_title_description, panel_units, panel_no_targets,
    target_promql, target_logql, target_logql_auto, target_rate_interval, target_job, target_instance, target_counter_agg,
    uneditable_dashboard,
]  # fmt: skip


# MARK: faults, one for each rule


def _set(*path, value):
    def plant(dashboard):
        node = dashboard
        for step in path[:-1]:
            node = node[step]
        node[path[-1]] = value

    return plant


def _change(old, new):
    def plant(dashboard):
        for _, target in targets(dashboard):
            target["expr"] = target["expr"].replace(old, new)

    return plant


def _first(dashboard, field, value):
    panels(dashboard)[0][field] = value


_LIST = ("templating", "list")
FAULTS = {
    template_datasource: _set(*_LIST, 0, "name", value="prometheus"),
    template_job: _set(*_LIST, 1, "multi", value=False),
    template_instance: _set(*_LIST, 2, "allValue", value=".+"),
    template_label_promql: _set(*_LIST, 1, "query", value="label_values(up{, job)"),
    template_on_time_change_reload: _set(*_LIST, 1, "refresh", value=1),
    panel_datasource: lambda dashboard: _first(
        dashboard, "datasource", {"type": "prometheus", "uid": "P1809F7CD0C75ACF3"}
    ),
    panel_title_description: lambda dashboard: _first(dashboard, "description", ""),
    panel_units: lambda dashboard: _first(dashboard, "fieldConfig", {"defaults": {"unit": "furlongs"}}),
    panel_no_targets: lambda dashboard: _first(dashboard, "targets", []),
    target_promql: _change("sum", "sum("),
    target_logql: _set(*_LIST, 0, "query", value="loki"),
    target_logql_auto: lambda dashboard: targets(dashboard)[0][1].update(expr='sum(count_over_time({app="a"}[5m]))'),
    target_rate_interval: _change("[$__rate_interval]", "[5m]"),
    target_job: _change('job=~"$job"', 'job="$job"'),
    target_instance: _change(', instance=~"$instance"', ""),
    target_counter_agg: _change("rate(", "max_over_time("),
    uneditable_dashboard: _set("editable", value=True),
}


def self_test(dashboard):
    """Yields the rules that report a correct dashboard, or that miss their planted fault."""
    for rule in RULES:
        faulty = copy.deepcopy(dashboard)
        FAULTS[rule](faulty)
        if list(rule(dashboard)):
            yield f"{rule.__name__} finds a fault where there is none"
        if not list(rule(faulty)):
            yield f"{rule.__name__} does not find its fault"


def main(arguments):
    is_self_test = arguments[:1] == ["--self-test"]
    paths = [Path(argument) for argument in arguments if not argument.startswith("--")]
    problems = []
    for path in paths:
        dashboard = json.loads(path.read_text(encoding="utf-8"))
        found = (
            self_test(dashboard)
            if is_self_test
            else (f"{rule.__name__}: {p}" for rule in RULES for p in rule(dashboard))
        )
        problems += [f"{path.name}: {problem}" for problem in found]
    print("\n".join(problems), end="\n" if problems else "")
    # Without a dashboard, nothing was checked.
    return 1 if problems or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
