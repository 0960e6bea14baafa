# SPDX-License-Identifier: Apache-2.0
"""What Scripts/house finds in the text of the sources, without the compiler: functions, public declarations, conditions, uses
between folders, and runs of equal lines. A type name that two folders declare counts for both. What is `@_spi` is for another
package of this repository, and no public declaration."""
import collections
import io
import os
import re
import subprocess
import tarfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ENDINGS = (".swift", ".c", ".h")
TYPE = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|private|fileprivate|final|indirect|nonisolated)\s+)*"
    r"(?:class|struct|enum|protocol|actor|typealias)\s+(\w+)", re.MULTILINE)
FUNCTION = re.compile(r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+(?:\(\w+\))?\s+)*?(?:func\s+\S|init[?(<]|deinit\b|subscript[(<])")
PUBLIC = re.compile(
    r"^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:public|open)\s+(?!extension|import)", re.MULTILINE)
SPI = re.compile(r"\s*@_spi\(\w+\)(?!.*\bimport\b)\s*")
CONDITION = re.compile(r"^\s*#(?:else)?if\s+(.*)")
# Platforms and compilers.
TESTED = re.compile(
    r"\b(?:os|arch|canImport|compiler|swift|targetEnvironment|hasAttribute|hasFeature|_runtime|_endian|_pointerBitWidth)\([^)]*\)")
# Lines that say nothing twice: empty ones, comments and imports.
SILENT = re.compile(r"//|(?:@\w+(?:\([^)]*\))?\s+)*(?:\w+\s+)?import\s|$")
Run = collections.namedtuple("Run", "length first first_line second second_line")


def sources(revision, root="Sources"):
    """The text of each file of Swift or C under Sources, by its path relative to Sources."""
    if revision == ".":
        found = {}
        for folder, _, names in os.walk(os.path.join(ROOT, root)):
            for name in names:
                if name.endswith(ENDINGS):
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as file:
                        found[os.path.relpath(path, os.path.join(ROOT, root))] = file.read()
        return found
    archive = subprocess.run(["git", "archive", revision, "Sources"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return {
            member.name.removeprefix("Sources/"): tar.extractfile(member).read().decode()
            for member in tar if member.isfile() and member.name.endswith(ENDINGS)
        }


def modules(files):
    """The files of each module."""
    found = collections.defaultdict(dict)
    for path, source in files.items():
        found[path.split("/")[0]][path] = source
    return found


def without_text(source):
    """The source without comments and the contents of strings; the lines keep their numbers."""
    source = re.sub(r'"""[\s\S]*?"""', lambda match: "\n" * match[0].count("\n") + '""', source)
    source = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', source)
    return re.sub(r"/\*[\s\S]*?\*/|//.*", lambda match: "\n" * match[0].count("\n"), source)


def public_count(source):
    """The number of public declarations. Those with `@_spi`, and what is inside of them, are not counted."""
    count, is_hidden, depth = 0, False, 0
    for line in without_text(source).split("\n"):
        if depth == 0 and SPI.match(line):
            is_hidden = True
        if is_hidden:
            depth += line.count("{") - line.count("}")
            # The line of the attribute may stand alone before that of the declaration.
            is_hidden = depth > 0 or bool(SPI.fullmatch(line))
        else:
            count += bool(PUBLIC.match(line))
    return count


def function_lengths(source):
    """The lines of each function that has a body, from its declaration to its closing brace."""
    lines, lengths = without_text(source).split("\n"), []
    for start, line in enumerate(lines):
        if not FUNCTION.match(line):
            continue
        depth, opened = 0, False
        for end in range(start, min(start + 400, len(lines))):
            depth += lines[end].count("{") - lines[end].count("}")
            opened = opened or "{" in lines[end]
            if opened and depth <= 0:
                lengths.append(end - start + 1)
                break
            if not opened and (end > start and not lines[end].strip() or end > start and FUNCTION.match(lines[end])):
                break
    return lengths


def conditions(files):
    """The path, the line and the text of each condition, with the names in it that are no platform or compiler."""
    for path, source in sorted(files.items()):
        if not path.endswith(".swift") or "#if" not in source:
            continue
        for number, line in enumerate(without_text(source).split("\n"), 1):
            match = CONDITION.match(line)
            if match:
                yield path, number, match[1].strip(), re.findall(r"\w+", TESTED.sub("", match[1]))


def room(path):
    return "/".join(path.split("/")[1:-1][:1]) or "."


def folder_uses(files):
    """For each top folder of a module, the folders whose types it uses, with the names of these types."""
    defined = collections.defaultdict(set)
    plain = {path: without_text(source) for path, source in files.items() if path.endswith(".swift")}
    for path, source in plain.items():
        for name in TYPE.findall(source):
            defined[name].add(path)
    uses = collections.defaultdict(lambda: collections.defaultdict(set))
    for path, source in plain.items():
        for name in set(re.findall(r"\b[A-Z]\w+\b", source)) & defined.keys():
            if path not in defined[name]:
                for folder in {room(other) for other in defined[name]} - {room(path)}:
                    uses[room(path)][folder].add(name)
    return uses


def declared(files):
    """The modules that declare each type of their top level."""
    found = collections.defaultdict(set)
    for path, source in files.items():
        for name in TYPE.findall(without_text(source)) if path.endswith(".swift") else []:
            found[name].add(path.split("/")[0])
    return found


def cycles(uses):
    """The sets of folders that use types of each other, directly or by others between them."""
    reached = {start: reachable(start, uses) for start in list(uses)}
    groups = {
        frozenset(other for other in reached if start in reached[other] and other in reached[start])
        for start in reached if start in reached[start]
    }
    return [group for group in groups if len(group) > 1]


def reachable(start, uses):
    found, left = set(), list(uses[start])
    while left:
        folder = left.pop()
        if folder not in found:
            found.add(folder)
            left += uses.get(folder, ())
    return found


def equal_runs(files, least):
    """Each pair of places with at least so many equal lines. Empty lines, comments and imports do not count."""
    lines, places = {}, collections.defaultdict(list)
    for path, source in sorted(files.items()):
        stripped = [(number, line.strip()) for number, line in enumerate(source.split("\n"), 1)]
        lines[path] = [(number, line) for number, line in stripped if not SILENT.match(line)]
        for start in range(len(lines[path]) - least + 1):
            places[tuple(line for _, line in lines[path][start:start + least])].append((path, start))
    pairs = {
        (one, other) for found in places.values() if len(found) > 1
        for index, one in enumerate(found) for other in found[index + 1:]
    }
    for (first, a), (second, b) in sorted(pairs):
        if ((first, a - 1), (second, b - 1)) in pairs:
            continue
        length = least
        while ((first, a + length - least + 1), (second, b + length - least + 1)) in pairs:
            length += 1
        yield Run(length, first, lines[first][a][0], second, lines[second][b][0])
