# SPDX-License-Identifier: Apache-2.0
"""Assembles the page of Dashboards/web: one file, with a policy that allows only its own script and style.

The server and `axiom-dashboard render` do the same with the same parts. Usage: assemble.py [SNAPSHOT.json] > page.html
`assemble.py --swift` prints the parts as the Swift file that is compiled; see Scripts/embed-page.
"""
import base64
import functools
import hashlib
import html
import json
import os
import pathlib
import re
import sys

import squeeze

WEB = pathlib.Path(__file__).resolve().parents[1]


def lean(text: str, comment: str) -> str:
    """Strips all lines, and removes empty lines and comment lines.

    The sources contain no string that spans lines, and no comment that begins or ends within a line of code.
    """
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith(comment))


# The environment variable with the path of a file that contains the minified script and style. It lets many processes
# share one result.
PIECES = "AXIOM_DASHBOARD_PIECES"

REQUEST = "request.js"


@functools.cache
def left() -> dict:
    return json.loads(pathlib.Path(os.environ[PIECES]).read_text()) if PIECES in os.environ else {}


def source() -> str:
    """The files of the script in one closure."""
    names = lean((WEB / "order.txt").read_text(), "#").split("\n")
    parts = [lean((WEB / name).read_text(), "//") for name in names]
    return '(() => {\n"use strict";\n' + "\n".join(parts) + "\n})();"


def functions() -> list:
    """The names of functions in the order in which the script compresses best; arrange.py finds it."""
    return lean((WEB / "build" / "functions.txt").read_text(), "#").split()


@functools.cache
def names() -> dict:
    """The short names with which the script compresses best, by the statement in which they are declared; rename.py finds them."""
    lines = [line.split() for line in lean((WEB / "build" / "names.txt").read_text(), "#").split("\n")]
    return {title: dict(pair.split("=") for pair in pairs) for title, *pairs in filter(None, lines)}


@functools.cache
def script() -> str:
    if left():
        return left()["script"]
    return squeeze.squeeze_script(source(), functions(), names())


@functools.cache
def request() -> str:
    """The first script of a live page. It is not part of `order.txt`."""
    return left().get("request") or squeeze.squeeze_script(lean((WEB / REQUEST).read_text(), "//"))


@functools.cache
def style() -> str:
    if left():
        return left()["style"]
    return squeeze.squeeze_style(lean((WEB / "page.css").read_text(), "/*"))


def template() -> str:
    """The frame of the page in one line. Whitespace between its tags is not visible. Simple attribute values need no quotes."""
    text = lean((WEB / "index.html").read_text(), "<!--").replace("\n", "")
    return re.sub(r'(<(?!script)[^{}<>]*>)', lambda tag: re.sub(r'="([\w-]+)"', r"=\1", tag[1]), text)


def digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy(live: bool, script_text: str, style_text: str) -> str:
    """The policy of the page. A server sends it as a header with `frame-ancestors 'none'`; an export contains it."""
    connect = " connect-src 'self';" if live else ""
    first = f" {digest(request())}" if live else ""
    return (
        f"default-src 'none'; script-src {digest(script_text)}{first}; style-src {digest(style_text)}; img-src data:;"
        f"{connect} base-uri 'none'; form-action 'none'"
    )


def embed(data) -> str:
    """JSON that cannot end its script element, for any strings."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def page(data=None, title: str = "Axiom", noscript: str = "<p>This page needs JavaScript.</p>") -> str:
    """The live page; or with `data`, a page that works without a server. `noscript` is HTML, `title` is text."""
    script_text, style_text = script(), style()
    values = {
        "head": f"<script>{request()}</script>" if data is None else f'<meta http-equiv="Content-Security-Policy" content="{policy(False, script_text, style_text)}">',
        "title": html.escape(title),
        "style": style_text,
        "noscript": noscript,
        "data": "" if data is None else embed(data),
        "script": script_text,
    }
    # One pass, so that the data cannot contain placeholders.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], template())


def swift() -> str:
    """The parts as Swift source: minified, with their digests."""
    pieces = {
        "template": template(), "style": style(), "script": script(), "request": request(),
        "signalPanels": json.dumps(json.loads((WEB / "signals.json").read_text()), ensure_ascii=False, separators=(",", ":")),
        "styleDigest": digest(style()), "scriptDigest": digest(script()), "requestDigest": digest(request()),
    }
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// swift-format-ignore-file", "",
             "/// The minified page of Dashboards/web. Generated by Scripts/embed-page; do not edit.",
             "enum PageSource {"]
    for name, text in pieces.items():
        # Enough number signs that no sequence in the text ends the literal or is an escape.
        fence = "#" * (1 + max([len(signs) for signs in re.findall(r'(?:"""|\\)(#*)', text)], default=0))
        lines += [f'    static let {name} = {fence}"""', text, f'"""{fence}', ""]
    lines[-1:] = ["}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:] == ["--swift"]:
        sys.stdout.write(swift())
        sys.exit()
    given = json.loads(pathlib.Path(sys.argv[1]).read_text()) if len(sys.argv) > 1 else None
    sys.stdout.write(page(given))
