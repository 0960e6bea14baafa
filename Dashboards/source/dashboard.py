# SPDX-License-Identifier: Apache-2.0
"""The frame of every dashboard: data source, variables for jobs and instances, and links to the other dashboards."""

from panels import DATASOURCE, placed

TAG = "axiom"


def dashboard(uid, title, description, panels, variables=()):
    """A complete dashboard. The user chooses its data source at the top."""
    panels = placed(panels)
    for panel in panels:
        for number, target in enumerate(panel.get("targets", [])):
            target["refId"] = chr(ord("A") + number)
    return {
        "uid": uid,
        "title": title,
        "description": description,
        "tags": [TAG],
        "schemaVersion": 39,
        "version": 1,
        "editable": False,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "browser",
        "annotations": {"list": []},
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
        "allValue": ".+",
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
        # Refresh when the time range changes too, so that values which no longer exist can be chosen.
        "refresh": 2,
        "sort": 1,
        "regex": "",
        "hide": 0,
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
