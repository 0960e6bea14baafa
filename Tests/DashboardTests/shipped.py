# SPDX-License-Identifier: Apache-2.0
"""The shipped page, as Swift's `PageAssembler` puts it together: from the parts that Scripts/embed-page has embedded.

After a change of Dashboards/web, run Scripts/embed-page: no test reads the sources of the page.
"""
import base64
import hashlib
import html
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
WEB = ROOT / "Dashboards" / "web"


def read_parts() -> dict:
    source = (ROOT / "Sources/AxiomDashboard/Page/PageSource.swift").read_text()
    return {name: text for name, _, text in re.findall(r'    static let (\w+) = (#+)"""\n(.*?)\n"""\2', source, re.DOTALL)}


PARTS = read_parts()


def digest(text: str) -> str:
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def policy(live: bool, script: str = PARTS["script"], style: str = PARTS["style"]) -> str:
    """The policy of the page. A server sends it as a header with `frame-ancestors 'none'`; an export contains it."""
    connect = " connect-src 'self';" if live else ""
    request = f" {digest(PARTS['request'])}" if live else ""
    profile = digest(PARTS["profile"])
    return (
        f"default-src 'none'; script-src {digest(script)} {profile}{request}; style-src {digest(style)}; img-src data:;"
        f"{connect} base-uri 'none'; form-action 'none'"
    )


def embeddable(data) -> str:
    """JSON that cannot end its script element, for any strings."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def has_profile(data) -> bool:
    shot = data.get("after", data) if isinstance(data, dict) else {}
    return bool(isinstance(shot.get("app"), dict) and shot["app"].get("profile"))


def page(data=None, title: str = "Axiom", noscript: str = "<p>This page needs JavaScript.</p>") -> str:
    """The live page; or with `data`, a page that works without a server. `noscript` is HTML, `title` is text."""
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy(False)}">'
    values = {
        "head": f"<script>{PARTS['request']}</script>" if data is None else meta,
        "title": html.escape(title),
        "style": PARTS["style"],
        "noscript": noscript,
        "data": "" if data is None else embeddable(data),
        "script": PARTS["script"],
        "profile": f"<script>{PARTS['profile']}</script>" if has_profile(data) else "",
    }
    # One pass, so that the data cannot contain placeholders.
    return re.sub(r"\{\{(\w+)\}\}", lambda match: values[match[1]], PARTS["template"])
