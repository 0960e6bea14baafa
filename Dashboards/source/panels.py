# SPDX-License-Identifier: Apache-2.0
"""Grafana panels in the classic schema. A panel has the unit of its queries."""

import runbooks
from promql import Scope
from settings import BURNS

DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}

# The scope of every dashboard query: the chosen instances, with rates over the interval that Grafana chooses.
SHOWN = Scope('job=~"$job", instance=~"$instance"', "$__rate_interval")

# The scope of sums that are recorded over all instances of a job: they have no label for one.
OF_JOB = Scope('job=~"$job"', "$__rate_interval")

UNMEASURED = "not measured"

GREEN, YELLOW, ORANGE, RED, BLUE, GREY = "green", "yellow", "orange", "red", "blue", "text"

# The lines of the burn rates at which alerts fire: those that page, then those that do not.
BURN_MARKS = tuple(zip(sorted(burn.factor for burn in BURNS), (BLUE, YELLOW, ORANGE, RED)))
BURN_TEXT = "The lines are the factors of the alerts: " + ", ".join(f"{factor:g}" for factor, _ in BURN_MARKS) + "."


def stat(title, description, query, *, good=None, bad=None, width=4, decimals=None):
    """One number. It is red from `bad` on and yellow from `good` to `bad`; without `bad` it has no colour."""
    panel = _panel("stat", title, description, width, 4, query.unit)
    panel["targets"] = [_target(query, "", instant=True)]
    panel["options"] = {
        "colorMode": "none" if bad is None else "background",
        "graphMode": "none",
        "justifyMode": "auto",
        "orientation": "auto",
        "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False},
        "textMode": "value",
    }
    panel["fieldConfig"]["defaults"]["thresholds"] = _thresholds(good, bad)
    # Missing data and a division by zero must not be shown as 0.
    panel["fieldConfig"]["defaults"]["noValue"] = UNMEASURED
    panel["fieldConfig"]["defaults"]["mappings"] = [
        {"type": "special", "options": {"match": "null+nan", "result": {"text": UNMEASURED, "index": 0}}}
    ]
    if decimals is not None:
        panel["fieldConfig"]["defaults"]["decimals"] = decimals
    return panel


def lines(title, description, *queries, width=12, height=8, stack=False, least=None, most=None, log=False, marks=()):
    """Lines over time. Each element of `queries` is a query with its legend.

    With `log` the axis is logarithmic. `marks` are horizontal lines: pairs of a value and a colour.
    """
    panel = _panel("timeseries", title, description, width, height, queries[0][0].unit)
    panel["targets"] = [_target(query, legend) for query, legend in queries]
    panel["options"] = {
        "legend": {"calcs": ["lastNotNull", "max"], "displayMode": "table", "placement": "bottom", "showLegend": True},
        "tooltip": {"mode": "multi", "sort": "desc"},
    }
    panel["options"]["legend"].update({"sortBy": "Max", "sortDesc": True})
    defaults = panel["fieldConfig"]["defaults"]
    defaults["custom"] = {
        "drawStyle": "line",
        "fillOpacity": 30 if stack else 5,
        "lineWidth": 1,
        "showPoints": "never",
        "spanNulls": False,
        "stacking": {"mode": "normal" if stack else "none"},
    }
    if log:
        # A logarithmic axis has no 0, so it has no minimum either.
        defaults["custom"]["scaleDistribution"] = {"type": "log", "log": 10}
    elif least is not None:
        defaults["min"] = least
    if marks:
        defaults["custom"]["thresholdsStyle"] = {"mode": "line"}
        steps = [{"color": "transparent", "value": None}]
        defaults["thresholds"] = {"mode": "absolute", "steps": steps + [{"color": c, "value": v} for v, c in marks]}
    if most is not None:
        defaults["max"] = most
    return panel


def table(title, description, query, columns, *, width=12, height=8):
    """The labels and values of the series. `columns` maps each label, and `Value`, to its column heading."""
    panel = _panel("table", title, description, width, height, query.unit)
    panel["targets"] = [{**_target(query, "", instant=True), "format": "table"}]
    panel["options"] = {
        "cellHeight": "sm",
        "showHeader": True,
        "sortBy": [{"displayName": columns["Value"], "desc": True}],
    }
    panel["transformations"] = [
        {
            "id": "organize",
            "options": {
                "excludeByName": {"Time": True},
                "indexByName": {name: index for index, name in enumerate(columns)},
                "renameByName": columns,
            },
        }
    ]
    return panel


def heat_map(title, description, query, *, width=12, height=8):
    """The buckets of a histogram over time."""
    panel = _panel("heatmap", title, description, width, height, query.unit)
    panel["targets"] = [{**_target(query, "{{le}}"), "format": "heatmap"}]
    panel["options"] = {
        "calculate": False,
        "color": {"mode": "scheme", "scheme": "Oranges", "steps": 64},
        "yAxis": {"unit": "s"},
        "rowsFrame": {"layout": "le"},
        "tooltip": {"show": True, "yHistogram": True},
    }
    return panel


def states(title, description, query, legend, names, *, width=24, height=8):
    """The state of each series over time. `names` maps each number to its text and colour."""
    panel = _panel("state-timeline", title, description, width, height, query.unit)
    panel["targets"] = [_target(query, legend)]
    panel["options"] = {
        "alignValue": "left",
        "legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
        "mergeValues": True,
        "rowHeight": 0.9,
        "showValue": "auto",
        "tooltip": {"mode": "single", "sort": "none"},
    }
    panel["fieldConfig"]["defaults"]["mappings"] = [
        {
            "type": "value",
            "options": {
                str(number): {"text": text, "color": color, "index": number} for number, (text, color) in names.items()
            },
        }
    ]
    return panel


def row(title, collapsed=False):
    """A heading over the panels that follow. If it is collapsed, Grafana loads them when the user opens it."""
    return {"type": "row", "title": title, "collapsed": collapsed, "panels": []}


def with_exemplars(panel):
    """The panel with the exemplars of its first query, each a point that links to its trace. The queries of a panel select
    the same series, so those of one query are enough."""
    panel["targets"][0]["exemplar"] = True
    return panel


def linked(panel, label):
    """The panel with a link from each series to *Axiom / Component* of the component in `label`."""
    value = _value(panel, label)
    scope = "${datasource:queryparam}&${job:queryparam}&${instance:queryparam}&${__url_time_range}"
    panel["fieldConfig"]["defaults"]["links"] = [
        {"title": f"Open {value}", "url": f"/d/axiom-component?{scope}&var-component={value}", "targetBlank": False}
    ]
    return panel


def by_instance(panel, label="instance", place=""):
    """The panel with links from each series to *Axiom / Overview* of its instance, and to the dashboard that the instance
    itself serves, if the browser reaches the address that Prometheus scrapes. `place` is what to show there."""
    value = _value(panel, label)
    scope = "${datasource:queryparam}&${job:queryparam}&${__url_time_range}"
    panel["fieldConfig"]["defaults"]["links"] = [
        {"title": f"Overview of {value}", "url": f"/d/axiom-overview?{scope}&var-instance={value}", "targetBlank": False},
        {"title": f"Dashboard that {value} serves", "url": f"http://{value}/{place}", "targetBlank": True},
    ]
    return panel


def _value(panel, label):
    """The expression of Grafana for a label of the series or row under the pointer."""
    return f"${{__data.fields.{label}}}" if panel["type"] == "table" else f"${{__field.labels.{label}}}"


def explained(panel, *alerts):
    """The panel with links to the runbooks of these alerts, if the generator has their base URL."""
    links = [{"title": f"Runbook: {name}", "url": runbooks.url(name), "targetBlank": True} for name in alerts]
    if runbooks.are_absolute():
        panel["links"] = links
    return panel


def placed(panels):
    """Places the panels from left to right and from top to bottom on the 24 columns of Grafana, and numbers them. The
    panels of a collapsed row are inside it."""
    x = y = height = after = 0
    into = result = []
    for number, panel in enumerate(panels, start=1):
        size = panel.pop("gridPos", {"w": 24, "h": 1})
        if panel["type"] == "row" and into is not result:
            # The panels of a collapsed row take no room.
            x, y, height, into = 0, after, 0, result
        elif x + size["w"] > 24 or panel["type"] == "row":
            x, y, height = 0, y + height, 0
        into.append({"id": number, "gridPos": {"x": x, "y": y, **size}, **panel})
        x, height = x + size["w"], max(height, size["h"])
        if panel["type"] == "row" and panel["collapsed"]:
            into, after = into[-1]["panels"], y + height
    return result


def _panel(kind, title, description, width, height, unit):
    return {
        "type": kind,
        "title": title,
        "description": description,
        "datasource": DATASOURCE,
        "gridPos": {"w": width, "h": height},
        "fieldConfig": {"defaults": {"unit": unit}, "overrides": []},
    }


def _target(query, legend, instant=False):
    target = {"datasource": DATASOURCE, "expr": query.expr, "legendFormat": legend or "__auto"}
    return {**target, "instant": True, "range": False} if instant else {**target, "instant": False, "range": True}


def _thresholds(good, bad):
    steps = [{"color": GREY if bad is None else GREEN, "value": None}]
    if good is not None:
        steps.append({"color": YELLOW, "value": good})
    if bad is not None:
        steps.append({"color": RED, "value": bad})
    return {"mode": "absolute", "steps": steps}
