# SPDX-License-Identifier: Apache-2.0
"""Makes the page's script and style smaller without changing what they do: no comments, no needless blanks, short names.

Not a JavaScript parser. It relies on how our files are written, and refuses what it does not understand:
statements end in `;` or `}`, no string spans lines, a `/` after an operator, `(`, `,` or `return` begins a regular expression.
"""
import itertools
import re
import string

KEYWORDS = set(
    "const let class extends function return if else for of in while new throw try catch break continue null true false "
    "undefined this typeof instanceof async await delete super constructor do var with enum void yield switch case default debugger "
    "import export as is get static let eval arguments interface package private protected public implements NaN".split()
)
# What the browser gives: never renamed. A name that is used and neither declared nor here is an error in our files.
GLOBALS = set(
    "AbortController Array Blob BroadcastChannel Date Error EventSource Infinity IntersectionObserver Intl JSON Map Math Node "
    "Number Object Promise Set String SyntaxError TypeError URL URLSearchParams addEventListener clearTimeout console document fetch "
    "getComputedStyle history location matchMedia navigator performance requestAnimationFrame setInterval setTimeout "
    "structuredClone window".split()
)
TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<name>[A-Za-z_$][\w$]*)|(?P<number>\d[\w.]*)|(?P<string>'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    r"|(?P<sign>\.\.\.|\?\.|=>|\+\+|--|[^\s\w])"
)
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/[a-z]*")


def tokens(text: str) -> list:
    """[(kind, text)…]; a template literal is its pieces, `` `…${ ``, ``}…${`` and ``}…` ``, around what stands between."""
    found, at, inside = [], 0, []
    while at < len(text):
        last = next((token for token in reversed(found) if token[0] != "blank"), ("sign", "("))
        if text[at] == "`" or (text[at] == "}" and inside and inside[-1] == 0):
            end = at + 1
            while text[end] != "`" and text[end : end + 2] != "${":
                end += 2 if text[end] == "\\" else 1
            opens = text[end] == "$"
            if text[at] == "}":
                inside.pop()
            if opens:
                inside.append(0)
            end += 2 if opens else 1
            found.append(("string", text[at:end]))
            at = end
            continue
        starts = last[0] == "sign" and last[1] not in (")", "]", "}") or last[1] == "return"
        match = REGEX.match(text, at) if text[at] == "/" and starts else TOKEN.match(text, at)
        kind = match.lastgroup or "string"
        if inside and match[0] in "{}":
            inside[-1] += 1 if match[0] == "{" else -1
        found.append((kind, match[0]))
        at = match.end()
    return found


def renamed(found: list) -> dict:
    """Short names for those that are only ever variables: a name that is also a property or a key anywhere stays."""
    solid = [token for token in found if token[0] != "blank"]
    uses, kept, brackets = {}, KEYWORDS | GLOBALS, []
    for (_, before), (kind, text), (_, after) in zip([("", "")] + solid, solid, solid[1:] + [("", "")]):
        if kind == "sign" and text in "([{":
            brackets.append(text)
        elif kind == "sign" and text in ")]}":
            brackets.pop()
        elif kind == "name":
            inside_braces = brackets and brackets[-1] == "{" and before in ("{", ",") and after in (",", "}", "=")
            if before in (".", "?.") or after == ":" or inside_braces:
                kept.add(text)
            uses[text] = uses.get(text, 0) + 1
    taken = set(uses) | kept
    short = (name for size in (1, 2, 3) for name in map("".join, itertools.product(string.ascii_letters, repeat=size)) if name not in taken)
    wanted = [name for name in uses if name not in kept and len(name) > 2]
    return {name: next(short) for name in sorted(wanted, key=lambda name: (-uses[name] * len(name), name))}


def squeeze_script(text: str) -> str:
    found = tokens(text)
    names = renamed(found)
    out, last = [], ("sign", "")
    for index, (kind, piece) in enumerate(found):
        after = found[index + 1] if index + 1 < len(found) else ("sign", "")
        solid = next((token[1] for token in found[index + 1 : index + 3] if token[0] != "blank"), "")
        if (piece == ";" and solid == "}") or (piece == "," and solid in (")", "]", "}")):
            continue
        if kind == "blank":
            words = last[0] in ("name", "number") and after[0] in ("name", "number")
            signs = last[1] in ("+", "-", "++", "--") and after[1] in ("+", "-", "++", "--")
            # A line that ends in `}` may end a statement that has no `;`.
            ends = "\n" in piece and last[1] == "}" and after[0] in ("name", "string")
            out.append("\n" if ends else " " if words or signs else "")
            continue
        out.append(names.get(piece, piece) if kind == "name" and last[1] not in (".", "?.") else piece)
        last = (kind, piece)
    return "".join(out)


def squeeze_style(text: str) -> str:
    """Blanks around the signs of CSS; not around `+` and `-`, which mean something in `calc`, nor inside strings."""
    parts = re.split(r'("[^"]*")', re.sub(r"\s+", " ", text))
    for index in range(0, len(parts), 2):
        parts[index] = re.sub(r" ?([{}:;,>]) ?", lambda match: match[1], re.sub(r"(?<=[\w)*\]]) :(?=\w)", "\0", parts[index])).replace("\0", " :").replace(";}", "}")
    return "".join(parts).strip()
