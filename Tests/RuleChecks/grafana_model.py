# SPDX-License-Identifier: Apache-2.0
"""Reads each dashboard with the models of grafana-foundation-sdk, which Grafana generates from its own schemas.

    grafana_model.py DASHBOARD.json...    prints what the models do not know, and fails if there is anything
    grafana_model.py --self-test DASHBOARD.json    checks that planted faults are found

The models ignore unknown fields, take any text for a word of a list, and any type of panel. So a dashboard that they have
read and written again must be the same, and the words and types are compared here.
"""

import copy
import enum
import json
import sys
import types
import typing
from pathlib import Path

from grafana_foundation_sdk.cog import plugins, runtime
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

plugins.register_default_plugins()

# Fields that the Prometheus data source reads from an annotation, and that the general model of annotations lacks.
OF_PROMETHEUS = {"step", "titleFormat", "textFormat", "tagKeys"}


def problems(dashboard):
    try:
        model = Dashboard.from_json(dashboard)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        return [f"cannot be read: {error!r}"]
    written = json.loads(json.dumps(model, cls=JSONEncoder))
    return [*differences(_without_annotation_fields(dashboard), written, ""), *unknown_words(model, ""), *unknown_panels(dashboard)]


def _without_annotation_fields(dashboard):
    known = copy.deepcopy(dashboard)
    for annotation in known["annotations"]["list"]:
        for field in OF_PROMETHEUS:
            # A field that is in no annotation need not be excepted.
            del annotation[field]
    return known


def differences(given, written, path):
    """What the model lost or changed. It may add defaults."""
    if isinstance(given, dict) and isinstance(written, dict):
        for key, value in given.items():
            if key not in written:
                yield f"{path}.{key} is unknown"
            else:
                yield from differences(value, written[key], f"{path}.{key}")
    elif isinstance(given, list) and isinstance(written, list) and len(given) == len(written):
        for index, (one, other) in enumerate(zip(given, written)):
            yield from differences(one, other, f"{path}[{index}]")
    elif given != written:
        yield f"{path} is {given!r}, and is read as {written!r}"


def unknown_words(value, path):
    """Texts in the model that are not in the list of words which the type of their field allows."""
    if isinstance(value, list):
        for index, each in enumerate(value):
            yield from unknown_words(each, f"{path}[{index}]")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from unknown_words(each, f"{path}.{key}")
    elif hasattr(value, "to_json") and not isinstance(value, enum.Enum):
        hints = _hints(type(value))
        for name, each in vars(value).items():
            allowed = _words(hints.get(name))
            if isinstance(each, (str, int)) and not isinstance(each, enum.Enum) and allowed and each not in allowed:
                yield f"{path}.{name} is {each!r}; known are {', '.join(map(str, allowed))}"
            yield from unknown_words(each, f"{path}.{name}")


def _hints(kind):
    try:
        return typing.get_type_hints(kind)
    except NameError:
        return {}


def _words(hint):
    """The words of an enumeration or a literal type; empty for a type that allows more."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        parts = [_words(part) for part in typing.get_args(hint) if part is not type(None)]
        return [word for part in parts for word in part] if all(parts) else []
    if typing.get_origin(hint) is typing.Literal:
        return list(typing.get_args(hint))
    return [member.value for member in hint] if isinstance(hint, type) and issubclass(hint, enum.Enum) else []


def unknown_panels(dashboard):
    for panel in panels(dashboard):
        if panel["type"] != "row" and runtime.panelcfg_config(panel["type"]) is None:
            yield f"{panel['title']}: there is no panel {panel['type']}"


def panels(dashboard):
    return [inner for panel in dashboard["panels"] for inner in [panel, *panel.get("panels", [])]]


def first(dashboard, kind):
    return next(panel for panel in panels(dashboard) if panel["type"] == kind)


def self_test(dashboard):
    """Yields the planted faults that are not found."""
    faults = {
        "an unknown panel": lambda board: first(board, "stat").update(type="number"),
        "an unknown field of a panel": lambda board: first(board, "stat").update(subtitle="x"),
        "an unknown option": lambda board: first(board, "stat")["options"].update(colours=True),
        "an unknown word in an option": lambda board: first(board, "stat")["options"].update(graphMode="bars"),
        "an unknown field of a query": lambda board: first(board, "stat")["targets"][0].update(query="up"),
        "an unknown field of a line": lambda board: first(board, "timeseries")["fieldConfig"]["defaults"]["custom"].update(width=2),
        "an unknown style of thresholds": lambda board: first(board, "timeseries")["fieldConfig"]["defaults"]["custom"].update(
            thresholdsStyle={"mode": "stripes"}
        ),
        "a list instead of one value": lambda board: first(board, "stat").update(gridPos=[]),
        "an unknown field of a variable": lambda board: board["templating"]["list"][0].update(values=[]),
        "an unknown field of the dashboard": lambda board: board.update(theme="dark"),
    }
    if found := problems(dashboard):
        yield f"without a fault: {found}"
    for what, plant in faults.items():
        planted = copy.deepcopy(dashboard)
        plant(planted)
        if not problems(planted):
            yield f"this planted fault is not found: {what}"


def main(arguments):
    is_self_test = arguments[0] == "--self-test"
    found = []
    for path in map(Path, arguments[is_self_test:]):
        dashboard = json.loads(path.read_text(encoding="utf-8"))
        found += [f"{path.name}: {each}" for each in (self_test if is_self_test else problems)(dashboard)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
