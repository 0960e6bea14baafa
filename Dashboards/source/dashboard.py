# SPDX-License-Identifier: Apache-2.0
"""The frame of every dashboard: data source, variables for jobs and instances, annotations, and links to the other
dashboards."""

from panels import DATASOURCE, SHOWN, placed
from promql import Query

TAG = "axiom"

# The classic schema of Grafana 10.4. Later versions, including 12, migrate it when they import the dashboard.
SCHEMA = 39

ALERTS = 'ALERTS{job=~"$job", alertstate="firing"}'


def dashboard(uid, title, description, panels, variables=()):
    """A complete dashboard. The user chooses its data source at the top."""
    panels = placed(panels)
    for panel in panels + [inner for panel in panels for inner in panel.get("panels", [])]:
        for number, target in enumerate(panel.get("targets", [])):
            target["refId"] = chr(ord("A") + number)
    return {
        "uid": uid,
        "title": title,
        "description": description,
        "tags": [TAG],
        "schemaVersion": SCHEMA,
        "version": 1,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "browser",
        "annotations": {"list": _annotations()},
        "links": [
            {
                "type": "dashboards",
                "title": "Axiom",
                "tags": [TAG],
                "asDropdown": True,
                "includeVars": True,
                "keepTime": True,
                "targetBlank": False,
            }
        ],
        "templating": {"list": [_datasource(), *_targets(), *variables]},
        "panels": panels,
    }


def variable(name, label, series, label_name):
    """A variable that offers the values of a label."""
    return {
        "name": name,
        "label": label,
        "type": "query",
        "datasource": DATASOURCE,
        "query": f"label_values({series}, {label_name})",
        "multi": True,
        "includeAll": True,
        # Also series without the label, such as pushed ones.
        "allValue": ".*",
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
        # Refresh when the time range changes too, so that values which no longer exist can be chosen.
        "refresh": 2,
        "sort": 1,
        "regex": "",
        "hide": 0,
    }


def _annotations():
    opened, closed = (_transitions(to) for to in (("open", "forced_open"), ("closed", "half_open")))
    started = Query(f"changes({SHOWN.series('process_start_time_seconds')}[$__rate_interval]) > 0", "short")
    change = "{{from}} to {{to}}: {{reason}}"
    return [
        _annotation("Alerts", "red", ALERTS, "{{alertname}}", "{{severity}} {{breaker}}{{context}}{{component}}"),
        _annotation("Openings of breakers", "orange", opened.expr, "{{breaker}}", change),
        _annotation("Other transitions of breakers", "yellow", closed.expr, "{{breaker}}", change, is_shown=False),
        _annotation("Restarts", "blue", started.expr, "Restart", "{{instance}}"),
        _annotation("Deployments", "purple", _deployed(), "{{job}}: revision {{revision}}", "Axiom {{version}}"),
    ]


def _transitions(to):
    labels = ("breaker", "from", "to", "reason")
    return SHOWN.increase("axiom_circuit_transitions_total", *labels, to=to).above(0)


def _deployed():
    """A build that a job did not have before, if there was one before."""
    labels = ("job", "version", "revision")
    builds = SHOWN.series("axiom_build_info")
    before = f"{builds} offset $__rate_interval"
    return (
        f"(count by ({', '.join(labels)}) ({builds}) unless count by ({', '.join(labels)}) ({before}))\n"
        f"and on (job) count by (job) ({before})"
    )


def _annotation(name, color, expr, title, text, is_shown=True):
    return {
        "name": name,
        "datasource": DATASOURCE,
        "enable": is_shown,
        "hide": False,
        "iconColor": color,
        "expr": expr,
        "step": "30s",
        "titleFormat": title,
        "textFormat": text,
        "tagKeys": "",
    }


def _datasource():
    return {
        "name": "datasource",
        "label": "Data source",
        "type": "datasource",
        "query": "prometheus",
        "current": {},
        "hide": 0,
        "includeAll": False,
        "multi": False,
        "regex": "",
    }


def _targets():
    return [
        variable("job", "Job", "axiom_build_info", "job"),
        variable("instance", "Instance", 'axiom_build_info{job=~"$job"}', "instance"),
    ]
