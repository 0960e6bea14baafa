# SPDX-License-Identifier: Apache-2.0
"""Assembles the page from Dashboards/web: one file with a policy that allows only its own script and style.

The server and `axiom-dashboard render` do the same with the same pieces. Usage: assemble.py [SNAPSHOT.json] > page.html
`assemble.py --swift` writes the pieces as the Swift file that is compiled in: see Scripts/embed-page.
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
    """Trims each line and removes the lines that are comments.

    The sources hold no string that spans lines, and no comment that begins or ends within a line of code.
    """
    lines = (line.strip() for line in text.split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith(comment))


# A file with the squeezed script and style, which a process writes for the processes that it starts.
PIECES = "AXIOM_DASHBOARD_PIECES"


@functools.cache
def left() -> dict:
    return json.loads(pathlib.Path(os.environ[PIECES]).read_text()) if PIECES in os.environ else {}


@functools.cache
def script() -> str:
    if left():
        return left()["script"]
    names = lean((WEB / "order.txt").read_text(), "#").split("\n")
    parts = [lean((WEB / name).read_text(), "//") for name in names]
    return squeeze.squeeze_script('(() => {\n"use strict";\n' + "\n".join(parts) + "\n})();")


@functools.cache
def style() -> str:
    if left():
        return left()["style"]
    return squeeze.squeeze_style(lean((WEB / "page.css").read_text(), "/*"))


def template() -> str:
    """The template of the page in one line: white space between its tags is not visible. Words need no quotes."""
    text = lean((WEB / "index.html").read_text(), "<!--").replace("\n", "")
    return re.sub(r'(<(?!script)[^{}<>]*>)', lambda tag: re.sub(r'="([\w-]+)"', r"=\1", tag[1]), text)


def digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy(live: bool, script_text: str, style_text: str) -> str:
    """The policy of the page. A server sends it as a header, with `frame-ancestors 'none'`; an export contains it."""
    connect = " connect-src 'self';" if live else ""
    return (
        f"default-src 'none'; script-src {digest(script_text)}; style-src {digest(style_text)}; img-src data:;"
        f"{connect} base-uri 'none'; form-action 'none'"
    )


def embed(data) -> str:
    """JSON whose strings cannot end the script element."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def page(data=None, title: str = "Axiom", noscript: str = "<p>This page needs JavaScript.</p>") -> str:
    """The live page without data; with data, the page that needs no server. `noscript` is HTML, `title` is text."""
    script_text, style_text = script(), style()
    values = {
        "policy": "" if data is None else f'<meta http-equiv="Content-Security-Policy" content="{policy(False, script_text, style_text)}">',
        "title": html.escape(title),
        "style": style_text,
        "noscript": noscript,
        "data": "" if data is None else embed(data),
        "script": script_text,
    }
    # In one pass, so that no text in the data is taken for a placeholder.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], template())


def swift() -> str:
    """The pieces as Swift source, squeezed, with their digests."""
    pieces = {
        "template": template(), "style": style(), "script": script(),
        "styleDigest": digest(style()), "scriptDigest": digest(script()),
    }
    lines = ["// SPDX-License-Identifier: Apache-2.0", "// swift-format-ignore-file", "",
             "/// The page, squeezed, as Scripts/embed-page made it of Dashboards/web. Not to be changed by hand.",
             "enum PageSource {"]
    for name, text in pieces.items():
        # Enough # signs that no sequence in the text ends the literal or is an escape in it.
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
