# SPDX-License-Identifier: Apache-2.0
"""What Documentation/architecture.md says of the sources, compared with them: the files that it names, the tables of modules
with what each uses, and the order of the folders of a module. Of the other pages, the files that they name."""
import re

import house_shape as shape
from documenting.markdown import FENCE

PAGE = "Documentation/architecture.md"
ROOTS = ["", "Sources", "Tools/Sources", "Dashboards/web"]
# Where a path of another page begins, and the packages that pages make as samples.
FOLDERS = ("Benchmarks/", "Plugins/", "Scripts/", "Sources/", "Tests/", "Tools/")
SAMPLES = ("Sources/Shop", "Sources/Teahouse", "Tests/TeahouseTests")
CODE = re.compile(r"`([^`\n]+)`")
PATH = re.compile(r"[\w.+-]+(?:/[\w.+-]+)+|[\w+-]+\.(?:swift|py|js|md)")
IMPORT = re.compile(r"^(?:@\w+(?:\([^)]*\))?\s+|(?:public|package|internal|private)\s+)*import\s+(Axiom\w*)", re.MULTILINE)
# The libraries of a table, and what they use: `AxiomA`, `AxiomB` | Base, Metrics | contents
ROW = re.compile(r"^\| ((?:`[^`]+`(?:, )?)+) \| ([^|]*)\| .*\|$", re.MULTILINE)


def mistakes(root):
    """What is wrong with the pages, one line each."""
    yield from wrong_names(root)
    text = FENCE.sub("", (root / PAGE).read_text(encoding="utf-8"))
    for mistake in [*wrong_paths(root, text), *wrong_modules(root, text), *wrong_folders(text)]:
        yield f"{PAGE}: error: {mistake}"


def wrong_names(root):
    """The paths of this repository that other pages name, alone or as a command, and that do not exist."""
    pages = [*sorted((root / "Documentation").glob("*.md")), root / "README.md", root / "CONTRIBUTING.md"]
    for page in (page for page in pages if page != root / PAGE and page.exists()):
        text = FENCE.sub(lambda match: "\n" * match.group().count("\n"), page.read_text(encoding="utf-8"))
        for number, line in enumerate(text.splitlines(), 1):
            for name in (code.split()[0] for code in CODE.findall(line) if code.startswith(FOLDERS)):
                if PATH.fullmatch(name) and not name.startswith(SAMPLES) and not (root / name).exists():
                    yield f"{page.relative_to(root)}:{number}: error: there is no {name}: name the file where that happens now"


def wrong_paths(root, text):
    """A path is one of the repository, of its sources, or one of the folders of the path before it in its line."""
    for line in text.splitlines():
        folders = []
        for name in CODE.findall(line):
            if not PATH.fullmatch(name):
                continue
            found = next((path for path in [*folders, *ROOTS] if (root / path / name).exists()), None)
            if found is None:
                yield f"there is no {name}: name the file where that happens now"
            else:
                path = (root / found / name).relative_to(root)
                folders = [folder for folder in (path, *path.parents) if (root / folder).is_dir()]


def wrong_modules(root, text):
    """Each library has a row, below all that it uses; what it uses is what its files import."""
    imports = {**uses(root / "Sources"), **uses(root / "Tools/Sources")}
    seen = []
    for names, used in ROW.findall(text[text.index("## Modules"):]):
        modules = [name for name in CODE.findall(names) if name in imports]
        claimed = {short if short == "Axiom" else f"Axiom{short}" for short in re.findall(r"\w+", used)}
        if not modules or not all(name.startswith("Axiom") for name in modules):
            seen += modules
            continue
        actual = set().union(*(imports[module] for module in modules)) - set(modules)
        for missing in sorted(reach(actual, imports) - reach(claimed, imports)):
            yield f"{modules[0]} uses {missing}, which its row does not name"
        for extra in sorted(reach(claimed, imports) - reach(actual, imports) - set(modules)):
            yield f"{modules[0]} does not use {extra}, which its row names"
        for late in sorted(actual - set(seen)):
            yield f"{modules[0]} uses {late}, which has no row above it"
        seen += modules
    for module in sorted(imports.keys() - set(seen)):
        yield f"the module {module} has no row in the tables of modules"


def uses(folder):
    """The modules of Axiom that each module of Swift imports."""
    return {
        module.name: {name for file in module.rglob("*.swift") for name in IMPORT.findall(file.read_text(encoding="utf-8"))}
        for module in folder.iterdir() if next(module.rglob("*.swift"), None)
    }


def reach(modules, imports):
    found, left = set(), [*modules]
    while left:
        module = left.pop()
        if module not in found:
            found.add(module)
            left += imports.get(module, ())
    return found


def wrong_folders(text):
    """A table of the folders of a module has each of them, below those that it uses."""
    for match in re.finditer(r"In `(\w+)` a folder uses only folders above it in this list:\n\n(?:\|.*\n?)+", text):
        module, listed = match[1], re.findall(r"^\| `(\w+)` \| [^|]*\|$", match[0], re.MULTILINE)
        files = shape.modules(shape.sources("."))[module]
        used, folders = shape.folder_uses(files), {shape.room(path) for path in files} - {"."}
        for folder in sorted(folders ^ set(listed)):
            yield f"the folder {folder} of {module} {'has no row' if folder in folders else 'does not exist'}"
        for index, folder in enumerate(listed):
            for below in sorted(set(used[folder]) & set(listed[index + 1:])):
                yield f"the folder {folder} of {module} uses {min(used[folder][below])} of {below}, which stands below it"
