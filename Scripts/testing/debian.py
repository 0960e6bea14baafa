# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the HTTP server and of the exporter with the libraries of another release of Debian:

    export PYTHONPATH=Scripts
    Scripts/on-debian 13 python3 -B -m testing.debian PROGRAM MINUTES
    Scripts/on-debian 13 python3 -B -m testing.debian build FOLDER
    Scripts/on-debian 13 python3 -B -m testing.debian run FOLDER

PROGRAM is a program of tests that was built on an older release, and has MINUTES for all of them. `build` builds it in the
folder, and so what attacks the exporter, and the demo; `run` runs all three, also those that were built on an older release.

Exit status: 0 if all passed; 1 if not."""
import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

from testing.builds import OPTIONS, ROOT
from testing.limited import Outcome, run

TESTED = ["AxiomHTTPTests", "AxiomExporterTests"]


def version(package):
    found = subprocess.run(["pkg-config", "--modversion", package], text=True, stdout=subprocess.PIPE)
    return f"{package} {found.stdout.strip()}"


def tests(program, minutes):
    """With the Python of the release. Not of CI: the root has no browsers, and not all of Python's packages."""
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    if importlib.util.find_spec("prometheus_client"):
        environment["AXIOM_PYTHON"] = sys.executable
    # A build with coverage would write beside the counts of the tests of this release.
    environment["LLVM_PROFILE_FILE"] = "/dev/null"
    outcome, end = Outcome(), time.monotonic() + 60 * minutes
    for module in TESTED:
        begin = time.monotonic()
        outcome += run(program, ["--filter", rf"^{module}\."], max(0, end - begin) / 60, environment)
        print(f"{module} took {time.monotonic() - begin:.0f} s.", flush=True)
    for name, why in outcome.skipped:
        print(f"Skipped: {name}: {why}")
    for name, said in outcome.failed:
        print(f"✘ {name}\n    " + said.replace("\n", "\n    "))
    if outcome.ended:
        print(f"✘ {outcome.ended}")
    print(f"{outcome.passed} passed, {len(outcome.failed)} failed, {len(outcome.skipped)} skipped", flush=True)
    return outcome.is_good and outcome.passed > 0


def command(*arguments, **environment):
    print("$", *arguments, flush=True)
    return subprocess.run(arguments, cwd=ROOT, env=os.environ | environment).returncode == 0


def build(tested, optimized):
    release = ["-c", "release", "--scratch-path", str(optimized)]
    return (
        command("swift", "build", "--product", "AxiomPackageTests", "--scratch-path", str(tested), *OPTIONS,
                AXIOM_TESTS=",".join(TESTED))
        and command("swift", "build", "--product", "exporter-attack", *release)
        and command("swift", "build", "--product", "axiom-demo", *release)
    )


def run_all(tested, optimized):
    """Runs all, also what is behind a failure."""
    return all([
        tests(tested / "debug/AxiomPackageTests.xctest", 30),
        command(str(optimized / "release/exporter-attack"), "2000", "30", "200"),
        command(str(optimized / "release/axiom-demo"), "--duration", "20s"),
    ])


def main():
    print(f"Debian {Path('/etc/debian_version').read_text().strip()},", ", ".join(map(version, ["libmicrohttpd", "gnutls"])),
          flush=True)
    what, last = sys.argv[1:3]
    if what in ["build", "run"]:
        folders = (ROOT / last / "tests", ROOT / last / "release")
        passed = build(*folders) if what == "build" else run_all(*folders)
    else:
        passed = tests(Path(what), float(last))
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
