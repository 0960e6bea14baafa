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
INNER, OUTER = "teanrisolmduwkcbvgyfphxjqz", "SHIZA_wODVJCTyNWLUjQKqRPYBzEXfkxGFM"
# Properties that only the script uses: no field of the data, no property of the browser, and not read by a name in a string.
PRIVATE = dict(zip(
    "draw why linked received broken alone calm endedAt grown due times many retryAt attempt asked keyed build wide one seen zoom box bars mode order picked format".split(),
    "nbcdefghijklmopqrstuvwaTNyHBC",
))
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


class Scope:
    """The local names of one statement, with the indices of their tokens. A name that is only a parameter of arrow functions may
    share its short name with a name that does not occur in these functions."""

    def __init__(self, places: dict, spans: list, taken: set):
        self.places, self.taken, self.within = places, taken, {}
        for name, indices in places.items():
            own = [(begin, end) for begin, arrow, end in spans if any(begin < index < arrow for index in indices)]
            if all(any(begin < index <= end for begin, end in own) for index in indices):
                self.within[name] = own

    def occurs(self, name, other) -> bool:
        return any(begin < index <= end for begin, end in self.within[other] for index in self.places[name])

    def clash(self, name, other) -> bool:
        pairs = [pair for pair in ((name, other), (other, name)) if pair[1] in self.within]
        return any(self.occurs(*pair) for pair in pairs) if pairs else True

    def short(self, wanted: dict) -> dict:
        """Short names: the wanted ones where they are possible, and the shortest for the others."""
        short = {}

        def free(name):
            return self.taken | {short[other] for other in short if self.clash(name, other)}

        for name in self.places:
            if wanted.get(name, "") not in free(name) | {""}:
                short[name] = wanted[name]
        for name in sorted(self.places, key=lambda name: -len(self.places[name])):
            if name not in short:
                short[name] = next(shortest(free(name), INNER, INNER))
        return short


def title(statement: list) -> str:
    """What names a statement in names.txt: the function that it declares, or its first words."""
    return movable(statement) or "".join(text for _, text in solid_of(statement)[:3])


def names_of(found: list) -> tuple:
    """The names of the script: [(title, uses)…] of its statements with the use of each name as (index, name, whether it is a key
    too), the names that are declared at the top level of the closure, the uses of each name, and the short properties."""
    statements, current, outer, uses, declaring, properties = [], [], set(), {}, False, {}
    for index, kind, text, before, after, brackets in positions(found):
        at_top = len(brackets) == 2
        if at_top and text in ("const", "let", "function", "class"):
            declaring = text in ("const", "let")
        if kind == "name" and before in (".", "?.") and text in PRIVATE:
            properties[index] = PRIVATE[text]
        if kind == "name" and text not in KEYWORDS | GLOBALS and before not in (".", "?."):
            if at_top and (before in ("const", "let", "function", "class") or (declaring and before == ",")):
                outer.add(text)
            kept = key(before, after, brackets)
            if kept == "key" and text in PRIVATE:
                properties[index] = PRIVATE[text]
            if kept != "key":
                uses[text] = uses.get(text, 0) + 1
                current.append((index, text, kept == "both"))
        if at_top and (text == ";" or (text == "}" and after not in (";", ")", ",", "."))):
            statements.append(current)
            current, declaring = [], False
    return statements + [current], outer, uses, properties


def outer_names(outer: set, uses: dict, wanted: dict) -> dict:
    """The short names of what is declared at the top level: the wanted ones, and the shortest for the others, the most frequent
    first. A wanted name that another name of the script has is ignored."""
    wide = {}
    for name in sorted(outer & set(wanted)):
        if wanted[name] not in set(uses) | KEYWORDS | GLOBALS | set(wide.values()):
            wide[name] = wanted[name]
    short = shortest(set(uses) | KEYWORDS | GLOBALS | set(wide.values()), OUTER, INNER)
    rest = sorted((name for name in outer - set(wide) if len(name) > 1), key=lambda name: (-uses[name], name))
    return {**wide, **{name: next(short) for name in rest}}


def scopes(found: list, statements: list, outer: set, wide: dict):
    """Yields the scope of each statement with its title."""
    spans, pieces = arrows(found), pieces_of(found)
    for at, statement in enumerate(statements):
        taken = KEYWORDS | GLOBALS | {wide.get(text, text) for _, text, _ in statement if text in outer}
        places = {}
        for index, text, _ in statement:
            if text not in outer:
                places.setdefault(text, []).append(index)
        yield Scope(places, spans, taken), title(pieces[at]) if len(pieces) == len(statements) else ""


def renamed(found: list, wanted: dict = {}) -> dict:
    """Short names by the index of their token. The script is one closure. A name that is declared at its top level has one
    short name everywhere. A name that is declared within a statement has a short name there, which other statements reuse.
    `wanted` has a dictionary of short names for the title of a statement, and with the title `*` one for the top level."""
    statements, outer, uses, result = names_of(found)
    wide = outer_names(outer, uses, wanted.get("*", {}))
    for statement, (scope, title) in zip(statements, scopes(found, statements, outer, wide)):
        short = {**wide, **scope.short(wanted.get(title, {}))}
        for index, text, both in statement:
            if text in short:
                result[index] = shorthand(text, short[text]) if both else short[text]
    return result


def shorthand(text: str, short: str) -> str:
    """The entry of an object whose key is also a variable."""
    return short if PRIVATE.get(text, text) == short else f"{PRIVATE.get(text, text)}:{short}"


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


def quoted(found: list) -> list:
    """The tokens with one kind of quotes: that of template literals, except for keys of objects, directives, and strings that
    would mean something else."""
    places = {index: (before, after, brackets[-1:]) for index, _, _, before, after, brackets in positions(found)}

    def with_quotes(index, kind, text):
        before, after, bracket = places.get(index, ("", "", []))
        is_key = bracket == ["{"] and before in ("{", ",") and after == ":"
        if kind != "string" or text[0] != '"' or is_key or text == '"use strict"' or re.search(r"[`\\]|\$\{", text):
            return text
        return f"`{text[1:-1]}`"

    return [(kind, with_quotes(index, kind, text)) for index, (kind, text) in enumerate(found)]


def pieces_of(found: list) -> list:
    """The statements of the closure. The first and the last piece are its begin and its end."""
    ends = [
        index for index, _, text, _, after, brackets in positions(found)
        if len(brackets) == 2 and (text == ";" or (text == "}" and after not in (";", ")", ",", ".")))
    ]
    return [found[begin:end] for begin, end in zip([0] + [end + 1 for end in ends], [end + 1 for end in ends] + [len(found)])]


def solid_of(piece: list) -> list:
    """The tokens of a statement without blanks."""
    return [token for token in piece if token[0] != "blank"]


def movable(piece: list) -> str:
    """The name of the function that a statement declares; empty for any other statement. The statement may be anywhere in the
    closure, because its evaluation reads nothing. An arrow function counts if the statement declares nothing else."""
    solid = solid_of(piece)
    texts = [text for _, text in solid]
    if texts[0] in ("function", "async"):
        return next(text for text in texts if text not in ("function", "async"))
    if texts[0] != "const" or texts[2] != "=" or "(" not in texts[3:5] or texts[3] not in ("(", "async"):
        return ""
    depth, arrow, more = 0, False, False
    for token in solid[texts.index("(") :]:
        depth += step(token)
        arrow = arrow or (depth == 0 and token[1] == "=>")
        more = more or (depth == 0 and token[1] == ",")
        if depth == 0 and not arrow and token[1] != ")":
            return ""
    return texts[1] if arrow and not more else ""


def as_arrow(piece: list) -> list:
    """The declaration of a function as that of an arrow function. The functions of the page use neither `this` nor `arguments`."""
    solid = solid_of(piece)
    texts = [text for _, text in solid]
    if texts[0] not in ("function", "async"):
        return piece
    name, depth = texts.index("function") + 1, 0
    for end, token in enumerate(solid[name + 1 :], name + 1):
        depth += step(token)
        if depth == 0:
            break
    begin = next(index for index, token in enumerate(piece) if token is solid[name + 1])
    body = next(index for index, token in enumerate(piece) if token is solid[end + 1])
    head = [("name", "const"), ("blank", " "), solid[name], ("sign", "=")] + [("name", "async"), ("blank", " ")] * (texts[0] == "async")
    return [*head, *piece[begin:body], ("sign", "=>"), *piece[body:], ("sign", ";")]


def hoisted(found: list, order: list) -> list:
    """Moves the functions of the closure to its start, as arrow functions, first those of `order` in that order, in which they
    compress best. The other declarations become adjacent. Without an order, the script may be other than one closure."""
    if not order:
        return found
    places = {name: index for index, name in enumerate(order)}
    begin, *pieces = pieces_of(found)
    if not pieces:
        return found
    end = pieces.pop()
    moved = sorted((piece for piece in pieces if movable(piece)), key=lambda piece: places.get(movable(piece), len(places)))
    rest = [piece for piece in pieces if not movable(piece)]
    return [token for piece in [begin, *map(as_arrow, moved), *rest, end] for token in piece]


def squeeze_script(text: str, order: list = (), wanted: dict = {}) -> str:
    found = hoisted(tokens(text), order)
    return written(found, renamed(found, wanted))


def written(found: list, names: dict) -> str:
    """The script with these names."""
    found = quoted(shortened(found, names))
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
