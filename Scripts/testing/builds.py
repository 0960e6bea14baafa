# SPDX-License-Identifier: Apache-2.0
"""The builds of the tests: the folder of each, its options, and the tests that it has."""
import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from testing.turns import TURNS

ROOT = Path(__file__).resolve().parents[2]
# Debug builds have line tables and no index of the sources; Scripts/demo has the same options, and so the same folder.
# What each option costs is in Benchmarks/evidence/build-times.txt.
OPTIONS = (ROOT / "Scripts/debug-options").read_text().split()
# All traits of the default but Instrumented. They bring packages that targets of the root need.
UNINSTRUMENTED = ("--traits", "Commands,Configuration,Services,Tracing")


class Failure(Exception):
    """A reason to exit with 1."""


@dataclass(frozen=True)
class Build:
    folder: str
    about: str
    # The turns in which its tests run.
    turns: tuple
    options: tuple = ()
    # The targets with tests; empty for all that the manifest has.
    targets: tuple = ()
    # Profiles of the lines that ran are written.
    covers: bool = False
    # The folder of a package of its own, and its name; by default the root.
    package: str = "."
    name: str = "Axiom"

    @property
    def scratch(self):
        return ROOT / self.folder

    @property
    def profiles(self):
        return self.scratch / "profiles"

    @property
    def program(self):
        """The program of the tests. Without `swift build --show-bin-path`, which loads all packages."""
        return self.scratch / f"debug/{self.name}PackageTests.xctest"

    def environment(self, targets=()):
        chosen = targets or self.targets
        extra = {"AXIOM_TESTS": ",".join(chosen)} if chosen else {}
        # Up to four files for each program; a process that ends adds its counts to one.
        if self.covers:
            extra["LLVM_PROFILE_FILE"] = str(self.profiles / "%4m.profraw")
        return {**os.environ, **extra}

    @property
    def command(self):
        """What builds the tests, with the programs that they start."""
        command = ["swift", "build", "--product", f"{self.name}PackageTests", "--package-path", self.package]
        return command + ["--scratch-path", self.folder, *OPTIONS, *self.options] + ["--enable-code-coverage"] * self.covers

    def compiling(self, targets=()):
        """The environment of the command."""
        # swift build passes the traits to the compiler in the order of a set: with another order it compiles all again.
        return {**self.environment(targets), "SWIFT_DETERMINISTIC_HASHING": "1"}

    def build(self, targets=()):
        """Builds the tests of these targets, or all. Returns how long it took."""
        begin = time.monotonic()
        print("$ " + " ".join(self.command), flush=True)
        if subprocess.run(self.command, cwd=ROOT, env=self.compiling(targets)).returncode != 0:
            raise Failure("The build failed.")
        return time.monotonic() - begin


ALL_TURNS = tuple(turn.name for turn in TURNS if turn.of_root)

BUILDS = {
    "debug": Build(".build-debug", "the package as its users get it", ALL_TURNS),
    "coverage": Build(".build-coverage", "the same, and counts which lines run", ALL_TURNS, covers=True),
    # Of the modules that have code for the trait; elsewhere the object code is the same. It has no coverage, with which the
    # test of the order of calls cannot run.
    "uninstrumented": Build(
        ".build-off", "without the trait Instrumented", ("computing", "observing", "quiet"), UNINSTRUMENTED,
        ("AxiomTests", "AxiomInstrumentationTests", "AxiomTestingTests", "AxiomTracingTests"),
    ),
    "uninstrumented-all": Build(
        ".build-off", "all tests of the package without the trait", ("independent", "computing", "observing", "scraping", "running"),
        UNINSTRUMENTED,
    ),
    "tools": Build(
        ".build-tools", "axiom-verify, axiom-migrate and axiom-new, with swift-syntax", ("verifying",), covers=True,
        package="Tools", name="AxiomTools",
    ),
    # The same traits of Axiom as for the tools, so that no module is compiled again.
    "macros": Build(
        ".build-tools", "the macros", ("whole",), covers=True, package="Tests/MacrosPackage", name="MacrosPackage",
    ),
    "kit": Build(".build-nested", "an application with the testing kit", ("whole",), package="Tests/KitPackage", name="Notes"),
    "counter": Build(
        ".build-counter", "a service that wants a counter, with no trait", ("whole",), package="Tests/CounterPackage", name="Visits",
    ),
    "hummingbird": Build(
        ".build-nested", "Axiom under the server Hummingbird", ("whole",),
        package="Tests/HummingbirdPackage", name="AxiomUnderHummingbird",
    ),
}
# Those that Scripts/test --all has.
EVERYTHING = ["debug", "uninstrumented", "tools", "macros", "kit", "counter", "hummingbird"]


def targets(package="."):
    """The targets with tests of a package, by the module that each tests."""
    folders = sorted((ROOT / package / "Tests").glob("*Tests"))
    names = [path.name for path in folders if path.is_dir() and path.name != "DashboardTests"]
    return {name.removesuffix("Tests"): name for name in names}
