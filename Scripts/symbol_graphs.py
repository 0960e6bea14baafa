# SPDX-License-Identifier: Apache-2.0
"""The public declarations of the libraries, as the compiler sees them: read by Scripts/coverage and Scripts/api."""
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


class Failure(Exception):
    """A reason to exit with 1."""


def tool(name):
    """The path of a tool of the Swift toolchain: one of another version cannot read what this one writes."""
    swift = shutil.which("swift")
    beside = Path(swift).resolve().parent / name if swift else None
    if beside is None or not beside.exists():
        raise Failure(f"There is no {name} beside swift: use a toolchain of swift.org.")
    return beside


def extract(scratch, folder):
    """Writes the symbol graphs of the libraries that were built in the folder `scratch` into a folder."""
    target = json.loads(subprocess.check_output(["swift", "-print-target-info"]))["target"]["triple"]
    maps = [*ROOT.glob("Sources/*/**/module.modulemap"), *scratch.glob("debug/*/module.modulemap")]
    maps += scratch.glob("checkouts/*/Sources/*/include/module.modulemap")
    options = ["-I", scratch / "debug/Modules", "-target", target, "-output-dir", folder]
    options += ["-minimum-access-level", "public", "-skip-synthesized-members"]
    options += [part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}")]
    command = tool("swift-symbolgraph-extract")
    # The plug-in of the macros is a program of the compiler, and no module.
    names = sorted(path.name for path in (ROOT / "Sources").glob("Axiom*"))
    modules = [name for name in names if (scratch / f"debug/Modules/{name}.swiftmodule").exists()]
    if not modules:
        raise Failure(f"There is no module in {scratch}: build the tests first.")

    def extract_one(module):
        subprocess.run([command, "-module-name", module, *options], check=True)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(extract_one, modules))
    return modules
