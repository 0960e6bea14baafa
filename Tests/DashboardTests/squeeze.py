# SPDX-License-Identifier: Apache-2.0
"""Makes the page's script and style smaller without changing what they do: no comments, no needless blanks, short names.

Not a JavaScript parser. It relies on how our files are written, and refuses what it does not understand:
statements end in `;` or `}`, no string spans lines, a `/` after an operator, `(`, `,` or `return` begins a regular expression.
"""
import itertools
import re

KEYWORDS = set(
    "const let class extends function return if else for of in while new throw try catch break continue null true false "
    "undefined this typeof instanceof async await delete super constructor do var with enum void yield switch case default debugger "
    "import export as is get static let eval arguments interface package private protected public implements NaN".split()
)
# What the browser gives: never renamed. A name that is used and neither declared nor here is an error in our files.
GLOBALS = set(
    "AbortController Array Blob Boolean BroadcastChannel Date Error EventSource Infinity IntersectionObserver Intl JSON Map Math Node "
    "Number Object Promise Set String SyntaxError TypeError URL URLSearchParams addEventListener clearTimeout console document fetch "
    "getComputedStyle history location matchMedia navigator performance requestAnimationFrame setInterval setTimeout "
    "structuredClone window".split()
)
TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<name>[A-Za-z_$][\w$]*)|(?P<number>\d[\w.]*)|(?P<string>'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    r"|(?P<sign>\.\.\.|\?\.|=>|\+\+|--|[^\s\w])"
)
# The letters of short names, those first that the rest of a script is full of: they compress best.
INNER, OUTER = "tenraisolcdhpumvgbfywkxjqz", "SMLENACOTIDBPFRUVWXGHJKQYZ"
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


def positions(found: list):
    """Each token with its number, the ones that stand next to it, and the brackets around it."""
    solid = [(index, *token) for index, token in enumerate(found) if token[0] != "blank"]
    brackets = []
    for at, (index, kind, text) in enumerate(solid):
        if kind == "sign" and text in ")]}":
            brackets.pop()
        before, after = solid[at - 1][2] if at else "", solid[at + 1][2] if at + 1 < len(solid) else ""
        yield index, kind, text, before, after, brackets
        if kind == "sign" and text in "([{":
            block = text == "{" and before in (")", "=>", "else", "try", "catch", "{", "}", ";", "")
            brackets.append("block" if block else text)


def is_key(before, after, brackets) -> bool:
    """Whether a name may be a key of an object, which keeps its name; where that cannot be told, it is taken for one."""
    return after == ":" or (brackets[-1:] == ["{"] and before in ("{", ",") and after in (",", "}", "="))


def shortest(taken: set, letters: str):
    return (name for size in (1, 2, 3) for name in map("".join, itertools.product(letters, repeat=size)) if name not in taken)


def renamed(found: list) -> dict:
    """Short names by the number of their token. All is one closure: what is declared in it has one name throughout; what
    is declared within one of its statements has a name in that statement, and the same letters serve in the next."""
    statements, current, outer, keys, uses, declaring = [], [], set(), set(), {}, False
    for index, kind, text, before, after, brackets in positions(found):
        at_top = len(brackets) == 2
        if at_top and text in ("const", "let", "function", "class"):
            declaring = text in ("const", "let")
        if kind == "name" and text not in KEYWORDS | GLOBALS and before not in (".", "?."):
            key = is_key(before, after, brackets)
            if key:
                keys.add(text)
            if at_top and (before in ("const", "let", "function", "class") or (declaring and before == ",")):
                outer.add(text)
            uses[text] = uses.get(text, 0) + 1
            current.append((index, text, key))
        if at_top and (text == ";" or (text == "}" and after not in (";", ")", ",", "."))):
            statements.append(current)
            current, declaring = [], False
    statements.append(current)
    short = shortest(set(uses) | KEYWORDS | GLOBALS, OUTER)
    wide = {name: next(short) for name in sorted(outer - keys, key=lambda name: (-uses[name], name)) if len(name) > 1}
    result = {}
    for statement in statements:
        fixed = {text for _, text, key in statement if key}
        taken = KEYWORDS | GLOBALS | fixed | {wide.get(text, text) for _, text, _ in statement if text in outer}
        short, local = shortest(taken, INNER), {}
        for index, text, _ in statement:
            if text in wide:
                result[index] = wide[text]
            elif text not in fixed and text not in outer:
                if text not in local:
                    local[text] = next(short)
                result[index] = local[text]
    return result


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
        out.append(names.get(index, piece))
        last = (kind, piece)
    return "".join(out)


def squeeze_style(text: str) -> str:
    """Blanks around the signs of CSS; not around `+` and `-`, which mean something in `calc`, nor inside strings."""
    parts = re.split(r'("[^"]*")', re.sub(r"\s+", " ", text))
    for index in range(0, len(parts), 2):
        parts[index] = re.sub(r" ?([{}:;,>]) ?", lambda match: match[1], re.sub(r"(?<=[\w)*\]]) :(?=\w)", "\0", parts[index])).replace("\0", " :").replace(";}", "}")
    return "".join(parts).strip()
