# SPDX-License-Identifier: Apache-2.0
"""Makes the comments in symbol graphs fit for readers of the public declarations only: a comment is written for the reader
of the source, who sees the whole package."""
import json
import re
from collections import Counter

# Parameters that the compiler fills in, and that no caller writes.
IMPLIED = {
    "file": "The file of the call, which messages name.",
    "line": "The line of the call, which messages name.",
    "location": "The place in the test that a failure names.",
    "sourceLocation": "The place in the test that a failure names.",
    "isolation": "The actor of the caller, on which the closure runs.",
}
LINK = re.compile(r"``([^`\n]+)``")
PARAMETER = re.compile(r"^\s*- (?:Parameter )?(\w+):")
DECLARED = re.compile(r"\b(?:actor|class|enum|struct|protocol|typealias|case|func|let|var)\s+(\w+)")


def complete(folder, sources):
    """Completes all graphs in a folder, in place. Returns the names of the modules that have symbols."""
    graphs = {path: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.symbols.json"))}
    links = Links(graphs, sources)
    for path, graph in graphs.items():
        for symbol in graph["symbols"]:
            # What another module has documented, such as the standard library, has no links for us.
            if "docComment" in symbol:
                symbol["docComment"]["lines"] = completed(symbol, path, links)
        path.write_text(json.dumps(graph), encoding="utf-8")
    return sorted({module_of(path) for path, graph in graphs.items() if graph["symbols"] and "@" not in path.name})


def module_of(path):
    return path.name.removesuffix(".symbols.json").partition("@")[0]


def completed(symbol, file, links):
    """The lines of the comment of a symbol."""
    lines = [dict(line) for line in symbol["docComment"]["lines"]]
    for line in lines:
        line["text"] = LINK.sub(lambda match: links.public(match.group(1), symbol, file), line["text"])
    return with_parameters(lines, symbol)


def with_parameters(lines, symbol):
    """Adds the parameters that the compiler fills in. If others are missing, because the first sentence says what they are,
    the list of parameters becomes an ordinary list: DocC has no list of some parameters."""
    first = next((i for i, line in enumerate(lines) if re.match(r"\s*- Parameters?\b", line["text"])), None)
    if first is None:
        return lines
    parameters = symbol.get("functionSignature", {}).get("parameters", [])
    names = [parameter.get("internalName", parameter["name"]) for parameter in parameters]
    documented = [match.group(1) for line in lines[first:] if (match := PARAMETER.match(line["text"]))]
    missing = [name for name in names if name not in documented]
    is_list = lines[first]["text"].strip() == "- Parameters:"
    if all(name in IMPLIED for name in missing) and all(name in names for name in documented if name != "Parameters"):
        mark, at = ("  - ", first + 1) if is_list else ("- Parameter ", first)
        lines[at:at] = [{**lines[first], "text": f"{mark}{name}: {IMPLIED[name]}"} for name in missing]
    else:
        for line in lines[first:]:
            line["text"] = re.sub(r"^(\s*)- (?:Parameter )(\w+):", r"\1- `\2`:", line["text"])
            if is_list and (match := PARAMETER.match(line["text"])):
                line["text"] = re.sub(r"- (\w+):", r"- `\1`:", line["text"], count=1)
        if is_list:
            lines[first]["text"] = "- Of the parameters:"
    return lines


class Links:
    """Where the symbol links of comments lead."""

    def __init__(self, graphs, sources):
        # The paths of each module, with the number of declarations that share one.
        self.paths, self.owners = {}, {}
        for file, graph in graphs.items():
            for symbol in graph["symbols"]:
                parts = symbol["pathComponents"]
                self.paths.setdefault(module_of(file), Counter())["/".join(parts)] += 1
                if len(parts) == 1 and "@" not in file.name:
                    self.owners.setdefault(parts[0], module_of(file))
        files = (path.read_text(encoding="utf-8") for path in sources.rglob("*.swift"))
        self.declared = {name for text in files for name in DECLARED.findall(text)}

    def public(self, link, symbol, file):
        """The link as DocC can follow it. It becomes code if it leads to several declarations, or to one that is not public.
        One that leads nowhere stays, and DocC reports it."""
        # The declarations in an extension of another module's type are on the page of that type.
        module, owner = module_of(file), self.owners.get(link.split("/")[0])
        if owner is not None and (owner != module or "@" in file.name):
            found = self.paths[owner][link]
            return f"``/{owner}/{link}``" if found == 1 else self.code(link, found)
        parts = symbol["pathComponents"]
        scopes = ["/".join(parts[:end]) + "/" if end else "" for end in range(len(parts), -1, -1)]
        counts = (self.paths[module][scope + link] for scope in scopes)
        found = next((count for count in counts if count), 0)
        return f"``{link}``" if found == 1 else self.code(link, found)

    def code(self, link, found):
        name = re.split(r"[(\-]", link.split("/")[-1])[0]
        return f"`{link.replace('/', '.')}`" if found or name in self.declared else f"``{link}``"
