# SPDX-License-Identifier: Apache-2.0
"""Writes lists, dictionaries, numbers and strings as YAML, without a dependency on a YAML package."""

import json
import re

# Strings that need no quotation marks: without special characters, and neither a number nor a Boolean.
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./-]*\Z")
_RESERVED = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}


def document(value):
    """Returns the value as a YAML document."""
    return "\n".join(_lines(value)) + "\n"


def _lines(value):
    if isinstance(value, dict):
        return [line for key, item in value.items() for line in _entry(f"{_scalar(key)}:", item)]
    return [line for item in value for line in _item(item)]


def _item(value):
    first, *rest = _lines(value) if _is_block(value) else _entry("", value)
    return ["- " + first.lstrip()] + ["  " + line for line in rest]


def _entry(key, value):
    if _is_block(value):
        return [key] + ["  " + line for line in _lines(value)]
    if isinstance(value, str) and "\n" in value:
        return [f"{key} |-"] + ["  " + line for line in value.splitlines()]
    return [f"{key} {_scalar(value)}"]


def _is_block(value):
    return isinstance(value, (dict, list, tuple)) and len(value) > 0


def _scalar(value):
    if isinstance(value, str):
        is_plain = _PLAIN.match(value) and value.lower() not in _RESERVED
        # A JSON string is a valid YAML string.
        return value if is_plain else json.dumps(value, ensure_ascii=False)
    if isinstance(value, (list, tuple)):
        return "[]"
    if isinstance(value, dict):
        return "{}"
    return json.dumps(value)
