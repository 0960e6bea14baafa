# SPDX-License-Identifier: Apache-2.0
"""The public declarations of the libraries, as the compiler sees them: read by Scripts/coverage, Scripts/api and
Scripts/documentation."""
import fcntl
import json
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
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


def build():
    """Builds the libraries, and the tests, as .ci/run does."""
    if subprocess.run([ROOT / "Scripts/test", "--build", "coverage", "--only-build"]).returncode != 0:
        raise Failure("The build failed.")


@contextmanager
def kept(scratch):
    """The folder with the symbol graphs of the libraries that were built in the folder `scratch`. They are kept beside the
    modules, and extracted again if a module is newer. No other program changes them until the end of the `with`."""
    folder = scratch / "symbol-graphs"
    modules = built_modules(scratch)
    folder.mkdir(exist_ok=True)
    # Another program may extract or read them now, which takes some seconds.
    with (folder / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for path in folder.glob("*.symbols.json"):
            if path.name.split("@")[0].removesuffix(".symbols.json") not in modules:
                path.unlink()
        extract(scratch, folder, [name for name in modules if is_newer(scratch, folder, name)])
        yield folder


def is_newer(scratch, folder, module):
    graph = folder / f"{module}.symbols.json"
    sources = (scratch / f"debug/Modules/{module}.{suffix}" for suffix in ("swiftmodule", "swiftdoc"))
    return not graph.exists() or any(path.exists() and path.stat().st_mtime >= graph.stat().st_mtime for path in sources)


def built_modules(scratch):
    """The names of the libraries that were built."""
    # The plug-in of the macros is a program of the compiler, and no module.
    names = sorted(path.name for path in (ROOT / "Sources").glob("Axiom*"))
    modules = [name for name in names if (scratch / f"debug/Modules/{name}.swiftmodule").exists()]
    if not modules:
        raise Failure(f"There is no module in {scratch}: build the tests first, with the option --build.")
    return modules


def extract(scratch, folder, modules=None):
    """Writes the symbol graphs of the libraries that were built in the folder `scratch` into a folder: of these modules, or
    of all."""
    modules = built_modules(scratch) if modules is None else modules
    imports = import_options(scratch)

    def extract_one(module):
        for old in Path(folder).glob(f"{module}@*.symbols.json"):
            old.unlink()
        extract_module(module, folder, imports)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(extract_one, modules))
    return modules


def extract_module(module, folder, imports):
    options = ["-module-name", module, "-target", target(), "-output-dir", folder, *imports]
    options += ["-minimum-access-level", "public", "-skip-synthesized-members"]
    if subprocess.run([tool("swift-symbolgraph-extract"), *options]).returncode != 0:
        raise Failure(f"The declarations of {module} cannot be read; see above. Build it again, with the toolchain in PATH.")


def import_options(scratch):
    """The options with which a tool of Swift finds the modules that were built in a folder, and those of C that they need."""
    maps = [*ROOT.glob("Sources/*/**/module.modulemap"), *scratch.glob("debug/*/module.modulemap")]
    maps += scratch.glob("checkouts/*/Sources/*/include/module.modulemap")
    return ["-I", scratch / "debug/Modules"] + [part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}")]


@cache
def target():
    return json.loads(subprocess.check_output(["swift", "-print-target-info"]))["target"]["triple"]
