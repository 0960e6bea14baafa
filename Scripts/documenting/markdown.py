# SPDX-License-Identifier: Apache-2.0
"""The pages of the documentation: what is in a Markdown file, and where its links lead."""
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

# Code in fences, indented code and code in a line: links in them are text.
FENCE = re.compile(r"^(```+|~~~+)[^\n]*\n.*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`+[^`\n]+`+")
# The text of a link can have brackets of its own, in code.
LINK = re.compile(r"(?P<image>!?)\[(?P<text>(?:`[^`\n]*`|[^\[\]`])*)\]\((?P<target>[^()\s]+)\)")
# An anchor that a page gives to a heading itself.
ANCHOR = re.compile(r'<a id="([^"]+)"></a>')
HEADING = re.compile(r"^(#{1,6}) +(.+?) *$", re.MULTILINE)


def masked(text):
    """The text with code replaced by blanks of the same length, so that positions stay; the code in the text of a link
    goes, too, which no target needs."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return CODE.sub(blank, FENCE.sub(blank, text))


def plain_text(heading):
    """A heading without the marks of links, code and anchors."""
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", ANCHOR.sub("", heading)).replace("`", "").strip()


def slug(heading):
    """The anchor of a heading on a page of a repository: as GitHub makes it."""
    plain = plain_text(heading)
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def fragment(heading):
    """The anchor of a heading on a page of DocC."""
    plain = plain_text(heading)
    return re.sub(r"\s+", "-", re.sub(r"[\"'“”‘’]", "", plain))


@dataclass(frozen=True)
class Page:
    """One Markdown file of the repository."""

    path: Path

    @cached_property
    def text(self):
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def headings(self):
        """The headings by their anchor. Of two that are equal the second one has the anchor `name-1`."""
        found = {}
        outside = FENCE.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), self.text)
        for match in HEADING.finditer(outside):
            anchor, number = slug(match.group(2)), 0
            while (unique := anchor if number == 0 else f"{anchor}-{number}") in found:
                number += 1
            found[unique] = match.group(2)
            found |= {own: match.group(2) for own in ANCHOR.findall(match.group(2))}
        return found

    @property
    def title(self):
        return next(iter(self.headings.values()), self.path.stem)

    def links(self):
        """The matches of links, with the text as it stands."""
        mask = masked(self.text)
        for match in LINK.finditer(self.text):
            # The parenthesis of a target is outside of code.
            if mask[match.end() - 1] == ")":
                yield match

    def line(self, position):
        return self.text.count("\n", 0, position) + 1


def is_external(target):
    return re.match(r"[a-z]+:", target) is not None


def destination(page, target):
    """The file and the anchor to which a relative link leads; the page itself for a mere anchor."""
    name, _, anchor = target.partition("#")
    path = (page.path.parent / name).resolve() if name else page.path
    return path, anchor


def dead_links(pages):
    """What is wrong with the links of pages, one line each."""
    known = {page.path: page for page in pages}
    for page in pages:
        for match in page.links():
            target = match.group("target")
            if is_external(target):
                continue
            path, anchor = destination(page, target)
            where = f"{page.path}:{page.line(match.start())}: error: the link {target} leads to no"
            if not path.exists():
                yield f"{where} file"
            elif anchor and path.suffix == ".md" and anchor not in known.get(path, Page(path)).headings:
                yield f"{where} heading of {path.name}"
