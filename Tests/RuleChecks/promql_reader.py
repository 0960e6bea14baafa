# SPDX-License-Identifier: Apache-2.0
"""Reads a PromQL query: its selectors, and the labels it groups by.

It does not check whether a query is valid; promtool does.
"""

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<text>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
  | (?P<range>\[[^\]]*\])
  | (?P<name>[A-Za-z_:$][A-Za-z0-9_:]*)
  | (?P<number>\d[\w.]*|\.\d+)
  | (?P<mark>=~|!~|!=|==|>=|<=|[-+*/%^<>=(){},@])
    """,
    re.VERBOSE,
)
_GROUPING = {"by", "without", "on", "ignoring", "group_left", "group_right"}
_WORDS = {"and", "or", "unless", "bool", "offset", "start", "end", "inf", "nan"}


class Unreadable(Exception):
    """A query with a character sequence that is not a PromQL token."""


@dataclass(frozen=True)
class Matcher:
    label: str
    operator: str
    value: str


@dataclass(frozen=True)
class Selector:
    """A selector with its range and the function it is an argument of. The function is empty outside of a call."""

    metric: str
    matchers: tuple
    range: str
    function: str


@dataclass(frozen=True)
class Query:
    selectors: tuple
    labels: frozenset


def read(expr):
    """The selectors of a query, and the labels that it groups or joins by."""
    tokens, index = _tokens(expr), 0
    selectors, labels, calls = [], set(), [None]
    while index < len(tokens):
        kind, text = tokens[index]
        follower = tokens[index + 1][1] if index + 1 < len(tokens) else ""
        if text == "offset":
            # A duration, or a variable of Grafana.
            index += 2
            continue
        if kind == "name" and text in _GROUPING:
            index += 1
            if follower == "(":
                end = _closing(tokens, index)
                labels.update(token for kind, token in tokens[index:end] if kind == "name")
                index = end + 1
            continue
        if kind == "name" and follower == "(" and text not in _WORDS:
            calls.append(text)
            index += 2
            continue
        if kind == "name" and text.lower() not in _WORDS and follower not in _GROUPING:
            selector, index = _selector(tokens, index, calls[-1])
            selectors.append(selector)
            continue
        if text == "(":
            calls.append(None)
        elif text == ")":
            calls.pop()
        index += 1
    return Query(tuple(selectors), frozenset(labels))


def _tokens(expr):
    tokens, position = [], 0
    while position < len(expr):
        match = _TOKEN.match(expr, position)
        if not match:
            raise Unreadable(f"{expr[position:position + 20]!r} in {expr!r}")
        if match.lastgroup != "space":
            tokens.append((match.lastgroup, match.group()))
        position = match.end()
    return tokens


def _closing(tokens, index):
    while tokens[index][1] != ")":
        index += 1
    return index


def _selector(tokens, index, function):
    metric, matchers = tokens[index][1], []
    index += 1
    if index < len(tokens) and tokens[index][1] == "{":
        index += 1
        while tokens[index][1] != "}":
            if tokens[index][0] == "name":
                label, operator, value = (token for _, token in tokens[index : index + 3])
                matchers.append(Matcher(label, operator, value[1:-1]))
                index += 3
            else:
                index += 1
        index += 1
    window = ""
    if index < len(tokens) and tokens[index][0] == "range":
        window = tokens[index][1][1:-1]
        index += 1
    return Selector(metric, tuple(matchers), window, function or ""), index
