# SPDX-License-Identifier: Apache-2.0
"""What Scripts/house --check holds, and where it is written: Scripts/house-budget.txt."""
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import house_shape as shape

NAME = "Scripts/house-budget.txt"
FILE = Path(shape.ROOT, NAME)
LEAST = 10
TRAITS = ["Instrumented", "Macros", "Compatibility"]
# The traits that divide the sources of a module, so that each condition is a second version of it.
COUNTED = ["Instrumented"]
# Each kind of entry, with what follows it.
FORMS = {
    "lines": re.compile(r"(?P<count>\d+)"),
    "public": re.compile(r"(?P<subject>\S+) +(?P<count>\d+)"),
    "conditions": re.compile(r"(?P<subject>\S+) +(?P<count>\d+)"),
    "cycle": re.compile(r"(?P<subject>\S+(?: +\S+){2,})"),
    "equal": re.compile(r"(?P<subject>\S+ +\S+) +(?P<count>\d+)"),
    "moved": re.compile(r"(?P<subject>\S+) +(?P<count>\d+)"),
}
NEED_REASONS = ["cycle", "equal", "moved"]


class Wrong(Exception):
    """A budget that cannot be read."""


@dataclass(frozen=True)
class Entry:
    kind: str
    subject: tuple
    count: int
    reason: str

    @property
    def key(self):
        return self.kind, self.subject

    @property
    def name(self):
        return " ".join([self.kind, *self.subject])


def parse(line):
    """The entry of a line: its kind, what it is about, a number, and a reason behind a colon."""
    text, _, reason = line.partition(": ")
    kind, _, rest = text.strip().partition(" ")
    match = FORMS[kind].fullmatch(rest.strip()) if kind in FORMS else None
    if not match:
        raise Wrong(f"what does this mean: {line.strip()}")
    found = match.groupdict()
    subject = tuple((found.get("subject") or "").split())
    # The order of two files or of several folders says nothing.
    subject = (*subject[:1], *sorted(subject[1:])) if kind == "cycle" else tuple(sorted(subject))
    return Entry(kind, subject, int(found.get("count") or 0), reason.strip())


def read():
    """The entries by kind and subject."""
    if not FILE.exists():
        raise Wrong(f"{NAME} is missing: `git checkout {NAME}`")
    entries = {}
    for number, line in enumerate(FILE.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            entry = parse(line)
        except Wrong as wrong:
            raise Wrong(f"{NAME}:{number}: {wrong}. The first lines of the file say what it may hold.") from None
        if entry.key in entries:
            raise Wrong(f"{NAME}:{number}: {line.split(':')[0].strip()} stands there twice. Remove one.")
        if entry.kind in NEED_REASONS and not entry.reason:
            raise Wrong(f"{NAME}:{number}: {entry.kind} needs its reason, behind a colon and a space.")
        entries[entry.key] = entry
    return entries


def history():
    """Each entry that the file ever had, as far as the clone knows."""
    log = ["git", "log", "-p", "--format=", "--", NAME]
    for line in subprocess.run(log, cwd=shape.ROOT, capture_output=True, text=True).stdout.splitlines():
        if line.startswith("+") and not line.startswith(("+++", "+#")) and line[1:].strip():
            try:
                yield parse(line[1:])
            except Wrong:
                # A form of before.
                continue


def rises(entries):
    """The numbers that are larger than once, without a reason or with that of then."""
    for old in history():
        new = entries.get(old.key)
        if new and new.count > old.count and new.reason in ("", old.reason):
            yield (
                f"{NAME}: {new.name} rises from {old.count:,} to {new.count:,}. Numbers fall: go back "
                "to it, or write a new reason behind the number, after a colon and a space."
            )


def over_size(files, entries):
    count, most = lines(files), at_most(entries, "lines")
    if count > most:
        yield (
            f"Sources has {count:,} lines, {count - most:,} more than its budget. Remove a mechanism that exists twice, or what "
            "only tests use. `Scripts/house HEAD .` shows which module grew; longer lines are no gain."
        )


def over_public(files, entries):
    for module, own in sorted(shape.modules(files).items()):
        count, most = sum(map(shape.public_count, own.values())), at_most(entries, "public", module)
        if count > most:
            yield (
                f"{module} has {count} public declarations, and its budget is {most}. Let them be package or internal, or raise "
                f"the number in {NAME} with its reason behind it."
            )


def wrong_conditions(files, entries):
    found = {trait: [] for trait in TRAITS}
    for path, number, text, names in shape.conditions(files):
        for name in names:
            if name in found:
                found[name].append(f"Sources/{path}:{number}")
            elif name != "DEBUG":
                yield (
                    f"Sources/{path}:{number}: the condition {text} is no platform, compiler, DEBUG or trait of {', '.join(TRAITS)}. "
                    "Decide it at run time, or move the code to a module or package of its own."
                )
    for trait in COUNTED:
        places, most = found[trait], at_most(entries, "conditions", trait)
        if len(places) > most:
            yield (
                f"{len(places)} conditions name {trait}, and the budget is {most}. Ask a constant that one of them declares: "
                + ", ".join(places)
            )


def wrong_cycles(files, entries):
    found = set()
    for module, own in sorted(shape.modules(files).items()):
        uses = shape.folder_uses(own)
        for group in shape.cycles(uses):
            folders = sorted(group)
            found.add((module, *folders))
            if ("cycle", (module, *folders)) not in entries:
                arrows = [f"{a} uses {min(uses[a][b])} of {b}" for a in folders for b in folders if uses[a][b] and uses[b][a]]
                yield (
                    f"Sources/{module}: the folders {', '.join(folders)} use each other: {'; '.join(arrows)}. Move a type down, or "
                    f"add to {NAME}: cycle {module} {' '.join(folders)} : REASON"
                )
    for kind, subject in entries:
        if kind == "cycle" and subject not in found:
            yield f"{NAME}: there is no cycle {' '.join(subject)} any more. Remove the line."


def wrong_copies(files, entries):
    runs = {}
    for run in shape.equal_runs(files, LEAST):
        runs.setdefault(tuple(sorted((run.first, run.second))), []).append(run)
    for pair, found in sorted(runs.items()):
        count, most = sum(run.length for run in found), at_most(entries, "equal", *pair)
        if count > most:
            places = ", ".join(f"{r.length} from {r.first}:{r.first_line} and {r.second}:{r.second_line}" for r in found)
            yield (
                f"Sources: equal lines: {places}. Let one function serve both; where that is impossible, add to {NAME}: "
                f"equal {' '.join(pair)} {count} : REASON"
            )
    for kind, subject in entries:
        if kind == "equal" and subject not in runs:
            yield f"{NAME}: {' and '.join(subject)} have no equal lines any more. Remove the line."


def double_names(files, _):
    for name, modules in sorted(shape.declared({**files, **shape.sources(".", "Tools/Sources")}).items()):
        if len(modules) > 1:
            yield f"{name} is a type of {' and of '.join(sorted(modules))}: a reader takes one for the other. Rename one of them."


def wrong_moves(_, entries):
    for entry in (entry for entry in entries.values() if entry.kind == "moved"):
        folder = entry.subject[0]
        if not Path(shape.ROOT, folder).exists():
            yield f"{NAME}: {folder}, to which lines moved, does not exist. Name where they are now, or remove the line."
        elif entry.count > (count := lines(shape.sources(".", folder))):
            yield f"{NAME}: {folder} has {count:,} lines, and {entry.count:,} moved there. Run Scripts/house --lower."


def lines(files):
    return sum(source.count("\n") for source in files.values())


def at_most(entries, kind, *subject):
    """The number of an entry; 0 if it has none."""
    entry = entries.get((kind, subject))
    return entry.count if entry else 0


def check():
    """A sentence for each violation, with its remedy."""
    entries, files = read(), shape.sources(".")
    known = {("public", (module,)) for module in shape.modules(files)}
    stale = [key for key in entries if key[0] == "public" and key not in known]
    problems = [f"{NAME}: there is no module {subject[0]}. Remove its line." for _, subject in stale]
    for rule in (over_size, over_public, wrong_conditions, wrong_cycles, wrong_copies, double_names, wrong_moves):
        problems += rule(files, entries)
    return list(dict.fromkeys([*problems, *rises(entries)]))


def present(files, moved):
    """The present number of each entry that could be one; 1 for a cycle. Moved lines are those of each of the folders `moved`."""
    counts = {("lines", ()): lines(files)}
    for folder in moved:
        counts["moved", (folder,)] = lines(shape.sources(".", folder))
    for module, own in shape.modules(files).items():
        counts["public", (module,)] = sum(map(shape.public_count, own.values()))
        for group in shape.cycles(shape.folder_uses(own)):
            counts["cycle", (module, *sorted(group))] = 1
    for trait in COUNTED:
        counts["conditions", (trait,)] = sum(trait in names for _, _, _, names in shape.conditions(files))
    for run in shape.equal_runs(files, LEAST):
        key = "equal", tuple(sorted((run.first, run.second)))
        counts[key] = counts.get(key, 0) + run.length
    return counts


def lower():
    """Writes the present numbers into the budget, where they are lower, and removes what is not needed any more."""
    moved = [subject[0] for kind, subject in read() if kind == "moved"]
    counts, rows = present(shape.sources("."), moved), []
    for row in FILE.read_text(encoding="utf-8").splitlines(keepends=True):
        entry = parse(row) if row.strip() and not row.startswith("#") else None
        if entry:
            row = lowered(row, entry, counts.get(entry.key, 0))
        rows.append(row)
    FILE.write_text("".join(rows), encoding="utf-8")


def lowered(row, entry, count):
    """The row with a lower number; nothing if it is not needed."""
    if not count and entry.kind in ("public", "cycle", "equal"):
        print(f"{entry.name}: gone")
        return ""
    if count >= entry.count:
        return row
    print(f"{entry.name}: from {entry.count:,} to {count:,}")
    head, colon, reason = row.partition(": ")
    return re.sub(rf"\b{entry.count}(?=\s*$)", str(count), head) + colon + reason
