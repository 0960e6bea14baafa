# SPDX-License-Identifier: Apache-2.0
"""The files for Prometheus: rules, and their test cases for promtool."""

from dataclasses import replace

import alert_cases
import alertmanager
import alerts
import fleet_rules
import histogram_forms
import recording
import recording_cases
import runbooks
import window_cases
from yaml_text import document

ORIGIN = "# Written by Dashboards/generate; change Dashboards/source instead.\n"
RELATIVE = (
    "# The links to runbooks are relative to the repository. For links that can be opened:\n"
    "#     Dashboards/generate --runbooks https://runbooks.example.org/axiom/ --into FOLDER\n"
    "#     Dashboards/generate --repository https://git.example.org/axiom/blob/main/ --into FOLDER\n"
)
RECEIVERS = "# An example for Alertmanager 0.22 or later. Give the receivers their addresses, or copy route and inhibit_rules.\n"
FLEET = "# For many instances: what the dashboard Axiom / Fleet shows, and what another Prometheus server may federate.\n"
NATIVE = "# For promtool 2.53 or later: that of 2.42 does not read native histograms.\n"
RULE_FILES = ["axiom.recording.yml", "axiom.fleet.yml", "axiom.alerts.yml"]


def files():
    """Returns the text of each file, by its path in the folder `prometheus`."""
    recorded, fleet, alerting = _groups_of_files()
    return {
        RULE_FILES[0]: _text({"groups": recorded}),
        RULE_FILES[1]: FLEET + _text({"groups": fleet}),
        RULE_FILES[2]: ("" if runbooks.are_absolute() else RELATIVE) + _text({"groups": alerting}),
        "alertmanager.yml": RECEIVERS + _text(alertmanager.configuration()),
        "tests/recording.test.yml": _tests([_recording_test()], "1m"),
        "tests/burn-rates.test.yml": _tests(_alert_tests(alert_cases.BURNS), "5m"),
        "tests/alerts.test.yml": _tests(_alert_tests(alert_cases.OTHERS), "1m"),
        "tests/windows.test.yml": _tests(window_cases.tests(), "5m", RULE_FILES[:1]),
        "tests/histograms.native.yml": NATIVE + _tests(_form_tests(), "1m"),
    }


def groups():
    """The groups of all rule files."""
    return [group for groups in _groups_of_files() for group in groups]


def _groups_of_files():
    return (
        [_group(group, _recording) for group in recording.groups()],
        [_group(group, _recording) for group in fleet_rules.groups()],
        [_group(group, _alert) for group in alerts.groups()],
    )


def _text(value):
    return ORIGIN + document(value)


def _group(group, rule):
    interval = {"interval": group.interval} if group.interval else {}
    return {"name": group.name, **interval, "rules": [rule(each) for each in group.rules]}


def _recording(rule):
    return {"record": rule.name, "expr": rule.expr}


def _alert(alert):
    return {
        "alert": alert.name,
        "expr": alert.expr,
        "for": alert.hold,
        "labels": {"severity": alert.severity, **alert.labels},
        "annotations": {
            "summary": alert.summary,
            "description": alert.description,
            "runbook_url": alerts.runbook_url(alert),
        },
    }


def _tests(tests, interval, files=RULE_FILES):
    tests, evaluated = list(tests), [group for file, group in zip(RULE_FILES, _groups_of_files()) if file in files]
    return _text(
        {
            "rule_files": [f"../{file}" for file in files],
            "evaluation_interval": interval,
            # Otherwise promtool chooses an order each time, and what one group reads of another is late by an interval.
            "group_eval_order": [group["name"] for groups in evaluated for group in groups],
            "tests": tests,
        }
    )


def _series(series):
    return [{"series": name, "values": values} for name, values in series.items()]


def _recording_test():
    return _value_test("the recorded values", recording_cases.SERIES, recording_cases.EXPECTED | recording_cases.SHOWN)


def _form_tests():
    """What reads histograms, in each form that a server may have of them."""
    first = recording_cases.A
    for form, series in histogram_forms.FORMS.items():
        stored = {
            name: values for each in recording_cases.HISTOGRAMS for name, values in series(each, first in each.labels).items()
        }
        yield _value_test(f"histograms: {form}", recording_cases.COUNTED | stored, recording_cases.OF_HISTOGRAMS)
    for cases in alert_cases.OF_HISTOGRAMS:
        for case in cases.cases:
            converted = histogram_forms.native_counts(case.series)
            yield _alert_test(cases, replace(case, what=f"{case.what}, native", series=converted))
            yield _alert_test(cases, replace(case, what=f"{case.what}, both", series=converted | case.series))


def _value_test(name, series, expected):
    return {
        "name": name,
        "interval": "1m",
        "input_series": _series(series),
        "promql_expr_test": [
            {
                # promtool compares exactly, but sums of fractions have rounding errors.
                "expr": f"round({expr}, 0.001)",
                "eval_time": recording_cases.AT,
                "exp_samples": [
                    {"labels": _recorded(labels), "value": round(value, 3)} for labels, value in samples.items()
                ],
            } for expr, samples in expected.items()
        ],
    }


def _recorded(labels):
    return f'{{job="shop"{", " if labels else ""}{labels}}}'


def _alert_tests(all_cases):
    return [_alert_test(cases, case) for cases in all_cases for case in cases.cases]


def _alert_test(cases, case):
    return {
        "name": f"{cases.alert} {case.what}",
        "interval": "1m",
        "input_series": _series(case.series),
        "alert_rule_test": [
            {"eval_time": at, "alertname": cases.alert, "exp_alerts": [_expected(cases)] if is_firing else []}
            for at, is_firing in case.expected
        ],
    }


def _expected(cases):
    alert = next(rule for group in alerts.groups() for rule in group.rules if rule.name == cases.alert)
    return {
        "exp_labels": {"severity": cases.severity, **cases.labels},
        "exp_annotations": {
            "summary": cases.summary,
            "description": cases.description,
            "runbook_url": alerts.runbook_url(alert),
        },
    }
