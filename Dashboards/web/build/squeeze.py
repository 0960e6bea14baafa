# SPDX-License-Identifier: Apache-2.0
"""Minifies the script and style of the page: no comments, no needless whitespace, short names.

This is not a JavaScript parser. It relies on the style of these files, and rejects what it does not understand: statements
end in `;` or `}`, no string spans lines, and a `/` after an operator, `(`, `,` or `return` begins a regular expression.
"""
import itertools
import re

KEYWORDS = set(
    "const let class extends function return if else for of in while new throw try catch break continue null true false "
    "undefined this typeof instanceof async await delete super constructor do var with enum void yield switch case default debugger "
    "import export as is get static let eval arguments interface package private protected public implements NaN".split()
)
# Globals of the browser, which keep their names. A name that is neither declared nor listed here is an error.
GLOBALS = set(
    "AbortSignal Array Blob Boolean BroadcastChannel Date Error EventSource Infinity IntersectionObserver JSON Map Math Node "
    "Number Object Promise Set String SyntaxError TypeError URL URLSearchParams clearTimeout console document fetch "
    "getComputedStyle history location matchMedia navigator performance requestAnimationFrame setInterval setTimeout "
    "structuredClone window".split()
)
TOKEN = re.compile(
    r"(?P<blank>\s+)|(?P<name>[A-Za-z_$][\w$]*)|(?P<number>\d[\w.]*)|(?P<string>'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\")"
    r"|(?P<sign>\.\.\.|\?\.|=>|\+\+|--|[^\s\w])"
)
# The letters of short names. Letters that are frequent in scripts come first; of many orders this one compressed best.
INNER, OUTER = "teanrisolcdykpmvbgufwhxjqz", "SKLZ_AEOTVJCQwRUIWjGDqMPYBzHXfkxyFN"
REGEX = re.compile(r"/(?:\\.|\[(?:\\.|[^\]\\])*\]|[^/\\\n])+/[a-z]*")


def tokens(text: str) -> list:
    """[(kind, text)…]. A template literal becomes the parts `` `…${ ``, ``}…${`` and ``}…` ``, with the tokens between them."""
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
    """Yields each token with its index, the tokens before and after it, and the brackets around it."""
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


def key(before, after, brackets) -> str:
    """Returns "key" for the key of an object, which keeps its name, and "both" for a key that is also a variable."""
    if brackets[-1:] != ["{"] or before not in ("{", ","):
        return ""
    return {":": "key", ",": "both", "}": "both", "=": "both"}.get(after, "")


def shortest(taken: set, first: str, letters: str):
    """Yields the names that are not taken, the shortest first: one letter of `first`, then two or three of `letters`."""
    more = ("".join(reversed(name)) for size in (2, 3) for name in itertools.product(letters, repeat=size))
    return (name for name in itertools.chain(first, more) if name not in taken)


STEPS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def step(token) -> int:
    """The change of the bracket depth by a token."""
    kind, text = token
    return text.endswith("${") - text.startswith("}") if kind == "string" else STEPS.get(text, 0)


def arrows(found: list) -> list:
    """The arrow functions whose body is an expression, each as the indices of the `(` before its parameters, of the arrow, and
    of the last token of the body."""
    solid = [index for index, token in enumerate(found) if token[0] != "blank"]
    result = []
    for at, index in enumerate(solid):
        if found[index][1] == "=>" and found[solid[at + 1]][1] != "{":
            begin, depth = at - 1, -1
            while depth:
                begin -= 1
                depth += step(found[solid[begin]])
            end, depth = at, 0
            while depth or found[solid[end + 1]][1] not in (",", ";"):
                depth += step(found[solid[end + 1]])
                if depth < 0:
                    break
                end += 1
            result.append((solid[begin], index, solid[end]))
    return result


def local(places: dict, spans: list, taken: set) -> dict:
    """Short names for the local names of one statement; `places` has the indices of their tokens. A name that is only a
    parameter of arrow functions may share its short name with a name that does not occur in these functions."""
    within = {}
    for name, indices in places.items():
        own = [(begin, end) for begin, arrow, end in spans if any(begin < index < arrow for index in indices)]
        if all(any(begin < index <= end for begin, end in own) for index in indices):
            within[name] = own

    def occurs(name, other):
        return any(begin < index <= end for begin, end in within[other] for index in places[name])

    def clash(name, other):
        pairs = [pair for pair in ((name, other), (other, name)) if pair[1] in within]
        return any(occurs(*pair) for pair in pairs) if pairs else True

    short = {}
    for name in sorted(places, key=lambda name: -len(places[name])):
        near = {short[other] for other in short if clash(name, other)}
        short[name] = next(shortest(taken | near, INNER, INNER))
    return short


def renamed(found: list) -> dict:
    """Short names by the index of their token. The script is one closure. A name that is declared at its top level has one
    short name everywhere. A name that is declared within a statement has a short name there, which other statements reuse."""
    statements, current, outer, uses, declaring = [], [], set(), {}, False
    for index, kind, text, before, after, brackets in positions(found):
        at_top = len(brackets) == 2
        if at_top and text in ("const", "let", "function", "class"):
            declaring = text in ("const", "let")
        if kind == "name" and text not in KEYWORDS | GLOBALS and before not in (".", "?."):
            if at_top and (before in ("const", "let", "function", "class") or (declaring and before == ",")):
                outer.add(text)
            kept = key(before, after, brackets)
            if kept != "key":
                uses[text] = uses.get(text, 0) + 1
                current.append((index, text, kept == "both"))
        if at_top and (text == ";" or (text == "}" and after not in (";", ")", ",", "."))):
            statements.append(current)
            current, declaring = [], False
    statements.append(current)
    short = shortest(set(uses) | KEYWORDS | GLOBALS, OUTER, INNER)
    wide = {name: next(short) for name in sorted(outer, key=lambda name: (-uses[name], name)) if len(name) > 1}
    result, spans = {}, arrows(found)
    for statement in statements:
        taken = KEYWORDS | GLOBALS | {wide.get(text, text) for _, text, _ in statement if text in outer}
        places = {}
        for index, text, _ in statement:
            if text not in outer:
                places.setdefault(text, []).append(index)
        short = {**wide, **local(places, spans, taken)}
        for index, text, both in statement:
            if text in short:
                result[index] = f"{text}:{short[text]}" if both and short[text] != text else short[text]
    return result


def shortened(found: list, names: dict) -> list:
    """The tokens with short names, in their shortest form: `let` for `const`, `!0` for `true`, `.5` for `0.5`, `a=>b` for
    `(a)=>(b)`, one kind of quotes, and consecutive declarations merged."""
    found = [(kind, names.get(index, text)) for index, (kind, text) in enumerate(found)]
    dropped, needless, begun, last = set(), set(), [""], ";"
    solid = [index for index, token in enumerate(found) if token[0] != "blank"]
    for at, index in enumerate(solid):
        kind, text = found[index]
        after = [found[other] for other in solid[at + 1 : at + 4]]
        begun[-1] = begun[-1] or text
        if text in ("const", "true", "false"):
            found[index] = {"const": ("name", "let"), "true": ("sign", "!0"), "false": ("sign", "!1")}[text]
        elif kind == "string" and text[0] == "'" and not set(text[1:-1]) & set("\"'\\"):
            found[index] = (kind, f'"{text[1:-1]}"')
        elif text == "=>" and after and after[0][1] == "(" and after[1][1] != "{":
            end, depth, list_at = at + 1, 0, False
            while True:
                depth += step(found[solid[end]])
                list_at = list_at or (depth == 1 and found[solid[end]][1] == ",")
                if depth == 0:
                    break
                end += 1
            if not list_at and found[solid[end + 1]][1] in (",", ";", ")", "]", "}"):
                needless |= {solid[at + 1], solid[end]}
        elif kind == "number" and text.startswith("0."):
            found[index] = (kind, text[1:])
        elif text == "(" and len(after) == 3 and after[0][0] == "name" and after[1][1] == ")" and after[2][1] == "=>":
            # Keep a space between a preceding word and the name.
            found[index] = ("blank", " " if last[-1].isalnum() else "")
            dropped.add(solid[at + 2])
        elif text == ";" and begun[-1] in ("const", "let") and after and after[0][1] in ("const", "let"):
            found[index] = ("sign", ",")
            dropped.add(solid[at + 1])
        elif text == ";":
            begun[-1] = ""
        if index in dropped and text in ("const", "let"):
            continue
        if kind == "sign" and text in "([{":
            begun.append("")
        elif kind == "sign" and text in ")]}":
            begun.pop()
            # A block ends its statement; an object or a function within a declaration does not.
            if text == "}" and begun[-1] not in ("const", "let"):
                begun[-1] = ""
        last = text
    return [token for index, token in enumerate(found) if index not in dropped | needless]


def hoisted(found: list) -> list:
    """Moves the functions of the closure to its start. They are hoisted anyway, and the other declarations become adjacent."""
    ends = [
        index for index, _, text, _, after, brackets in positions(found)
        if len(brackets) == 2 and (text == ";" or (text == "}" and after not in (";", ")", ",", ".")))
    ]
    pieces = [found[begin:end] for begin, end in zip([0] + [end + 1 for end in ends], [end + 1 for end in ends] + [len(found)])]
    begins = lambda piece: next((text for kind, text in piece if kind != "blank"), "")
    pieces[1:-1] = sorted(pieces[1:-1], key=lambda piece: begins(piece) not in ("function", "async"))
    return [token for piece in pieces for token in piece]


def squeeze_script(text: str) -> str:
    found = hoisted(tokens(text))
    found = shortened(found, renamed(found))
    out, last = [], ("sign", "")
    for index, (kind, piece) in enumerate(found):
        after = next((found[other] for other in range(index + 1, len(found)) if found[other][0] != "blank"), ("sign", ""))
        if (piece == ";" and after[1] == "}") or (piece == "," and after[1] in (")", "]", "}")):
            continue
        if kind == "blank":
            words = last[0] in ("name", "number") and after[0] in ("name", "number")
            signs = last[1] in ("+", "-", "++", "--") and after[1] in ("+", "-", "++", "--")
            out.append(" " if words or signs else "")
            last = ("blank", "") if words or signs else last
            continue
        out.append(piece)
        last = (kind, piece)
    return "".join(out)


def squeeze_style(text: str) -> str:
    """Removes whitespace around the signs of CSS, but not around `+` and `-`, where `calc` needs it, and not inside strings."""
    parts = re.split(r'("[^"]*")', re.sub(r"\s+", " ", text))
    for index in range(0, len(parts), 2):
        parts[index] = re.sub(r" ?([{}:;,>]) ?", lambda match: match[1], re.sub(r"(?<=[\w)*\]]) :(?=\w)", "\0", parts[index])).replace("\0", " :").replace(";}", "}")
    style = "".join(parts).strip()
    # Shorten custom properties, which no script uses.
    used = re.findall(r"--[a-z]+(?![\w-])", style)
    letters = {name: f"--{letter}" for name, letter in zip(sorted(set(used), key=lambda name: (-used.count(name), name)), INNER)}
    return re.sub(r"--[a-z]+(?![\w-])", lambda match: letters[match[0]], style)
