# SPDX-License-Identifier: Apache-2.0
"""Measures what a contributor waits for, in fresh clones of the present revision: Scripts/thorough clock. Parts of it by name:

    PYTHONPATH=Scripts python3 -B -m testing.clock demo tests loops

Prints a row for each command: until the page of the demo answers, the tests before a commit, and the tests of a module after
a comment changed in a file of it. Nothing else should run; the load before each is printed, too."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from testing.builds import ROOT

# A file whose comment changes, and the module whose tests run then.
LOOPS = [
    ("Sources/AxiomBase/TimeSource.swift", "AxiomBase"),
    ("Sources/AxiomMetrics/Registry/Registry.swift", "AxiomMetrics"),
    ("Sources/Axiom/Errors/AxiomError.swift", "Axiom"),
    ("Sources/AxiomPush/Pages/TextfileTarget.swift", "AxiomPush"),
    ("Tests/AxiomBaseTests/TimeSourceTests.swift", "AxiomBase"),
]


def row(what, seconds, before):
    print(f"{seconds:7.0f} s  {what}  (load before: {before:.2f})", flush=True)


def run(what, command, folder):
    before, begin = os.getloadavg()[0], time.monotonic()
    result = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    seconds = time.monotonic() - begin
    if result.returncode != 0:
        print(result.stdout[-4_000:])
        sys.exit(f"{what} ended with {result.returncode}.")
    row(f"{what}: {result.stdout.rstrip().rsplit(chr(10), 1)[-1]}", seconds, before)


def demo(folder):
    before, begin = os.getloadavg()[0], time.monotonic()
    program = subprocess.Popen(
        ["Scripts/demo", "--duration", "20s"], cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        while program.poll() is None:
            try:
                if b"<html" in urllib.request.urlopen("http://127.0.0.1:9464/", timeout=5).read():
                    return row("Scripts/demo --duration 20s, until the page answers", time.monotonic() - begin, before)
            except OSError:
                time.sleep(0.2)
        sys.exit(f"The demo ended with {program.returncode} before its page answered.")
    finally:
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGINT)
            program.wait(60)


def clone(folder, name):
    path = Path(folder) / name
    subprocess.run(["git", "clone", "--quiet", ROOT, path], check=True)
    return path


def loops(path):
    for file, module in LOOPS:
        # Builds what is not yet built of the module's own configuration.
        subprocess.run(["Scripts/test", module], cwd=path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        text = (path / file).read_text()
        (path / file).write_text(text.replace("\n\n", "\n// A comment.\n\n", 1))
        run(f"Scripts/test {module}, after a comment in {file}", ["Scripts/test", module], path)


PARTS = {"demo": demo, "tests": lambda path: run("Scripts/test", ["Scripts/test"], path), "loops": loops}


def main():
    unknown = set(sys.argv[1:]) - set(PARTS)
    if unknown:
        sys.exit(f"There is no part {', '.join(sorted(unknown))}: choose of {', '.join(PARTS)}.")
    folder = tempfile.mkdtemp(dir=ROOT.parent)
    try:
        for name in sys.argv[1:] or PARTS:
            PARTS[name](clone(folder, name))
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
