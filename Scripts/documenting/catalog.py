# SPDX-License-Identifier: Apache-2.0
"""The catalogue of DocC, written from the pages of the repository: a page is written once, and is read in both places."""
import re
import shutil
from pathlib import Path

from documenting.markdown import ANCHOR, Page, destination, fragment, is_external

# The pages outside of Documentation that readers need, and the names that they have in DocC.
OTHERS = {
    "CHANGELOG.md": "changelog",
    "CONTRIBUTING.md": "contributing",
    "SECURITY.md": "security",
    "Dashboards/README.md": "dashboards-and-rules",
    "Dashboards/web/PROTOCOL.md": "protocol",
}
# The first page: its content is that of the README.
ROOT_NAME = "guide"


def pages(root):
    """All pages by their name in DocC."""
    files = [*(root / "Documentation").glob("*.md"), *(root / "Documentation/runbooks").glob("*.md")]
    found = {path.stem: Page(path.resolve()) for path in sorted(files)}
    found |= {name: Page((root / path).resolve()) for path, name in OTHERS.items()}
    return {ROOT_NAME: Page((root / "README.md").resolve())} | found


class Catalog:
    """Writes the catalogue. `source_url` is the address of the sources: a link to a file leads there, or is only text."""

    def __init__(self, root, folder, source_url=None):
        self.root, self.folder, self.source_url = root.resolve(), folder, source_url
        self.pages = pages(root)
        self.names = {page.path: name for name, page in self.pages.items()}

    def write(self, modules):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        for name, page in self.pages.items():
            text = self.first_page(page, modules) if name == ROOT_NAME else self.translated(page, page.text)
            (self.folder / f"{name}.md").write_text(text, encoding="utf-8")

    def first_page(self, page, modules):
        """The README, with its tables of needs and tasks as the topics."""
        rows = re.findall(r"^\| (.+?) \| (.+) \|$", page.text, re.MULTILINE)
        text = re.sub(r"^## Where to go next\n(?:\n(?:\|.*\n)+)+", "", page.text, flags=re.MULTILINE)
        title, _, rest = self.translated(page, text).partition("\n")
        listed = [(task, self.named(page, links)) for task, links in rows]
        seen = {ROOT_NAME}.union(*(names for _, names in listed))
        rest_of = [name for name in self.pages if name not in seen]
        alerts = [name for name in rest_of if self.pages[name].path.parent.name == "runbooks"]
        listed += [("Answer an alert", alerts), ("Look up more", [name for name in rest_of if name not in alerts])]
        topics = "".join(self.topic(task, names) for task, names in listed if names)
        symbols = "".join(f"- ``{name}``\n" for name in modules)
        head = f"{title}\n\n@Metadata {{\n    @TechnologyRoot\n}}\n"
        return f"{head}{rest}\n## Topics\n\n{topics}### Modules\n\n{symbols}"

    def named(self, page, links):
        """The names of the pages to which links lead."""
        targets = (destination(page, target)[0] for target in re.findall(r"\]\(([^)\s]+)\)", links))
        return list(dict.fromkeys(self.names[path] for path in targets if path in self.names))

    def topic(self, task, names):
        title = re.sub(r"`([^`]*)`", r"\1", task[0].upper() + task[1:])
        return f"### {title}\n\n" + "".join(f"- <doc:{name}>\n" for name in names) + "\n"

    def unlisted(self):
        """The pages of Documentation that the table of the README does not reach, directly or through other pages."""
        reached, waiting = set(), [self.pages[ROOT_NAME]]
        while waiting:
            page = waiting.pop()
            if page.path in reached:
                continue
            reached.add(page.path)
            targets = (match.group("target") for match in page.links())
            paths = (destination(page, target)[0] for target in targets if not is_external(target))
            waiting += [self.pages[self.names[path]] for path in paths if path in self.names]
            # A link to a folder leads to its pages.
            folders = [destination(page, match.group("target"))[0] for match in page.links()]
            waiting += [other for other in self.pages.values() if other.path.parent in folders]
        return sorted(str(page.path) for page in self.pages.values() if page.path not in reached)

    def translated(self, page, text):
        """The text with its links as DocC writes them."""
        part = Page(page.path)
        part.__dict__["text"] = text
        pieces, end = [], 0
        for match in part.links():
            pieces += [text[end:match.start()], self.link(page, match)]
            end = match.end()
        return ANCHOR.sub("", "".join(pieces) + text[end:])

    def link(self, page, match):
        target, label = match.group("target"), match.group("text")
        if is_external(target):
            return match.group()
        path, anchor = destination(page, target)
        if match.group("image"):
            shutil.copy(path, self.folder / path.name)
            return f"![{label}]({path.name})"
        if path not in self.names:
            return self.source(path, label)
        if anchor:
            anchor = "#" + fragment(self.pages[self.names[path]].headings[anchor])
        return f"[{label}](doc:{self.names[path]}{anchor})"

    def source(self, path, label):
        """A link to a file that is no page."""
        place = path.relative_to(self.root).as_posix()
        if self.source_url:
            return f"[{label}]({self.source_url.rstrip('/')}/{place})"
        return label if place in label or label.strip("`") in place else f"{label} (`{place}`)"
