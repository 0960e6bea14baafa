#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the tests and runs them in turns.

    Scripts/test                     every test of the package, and of the kinds that take minutes one that stands for all
    Scripts/test AxiomMetrics        the tests of a module, or of several; only what they need is built
    Scripts/test --all               everything, also without the trait Instrumented, and the tools with swift-syntax
    Scripts/test --build tools       another build of the table below
    Scripts/test --turns serving     only these turns
    Scripts/test --prometheus 2.53   the tests with a Prometheus server, with another one than the installed one

Exit status: 0 if all tests passed; 1 if not, or if with CI in the environment a test was skipped that CI can
run; 2 for wrong options. AXIOM_TEST_SCALE changes the counts of long tests, MINUTES the limit of each turn."""
import argparse
import json
import os
import subprocess
import sys
import time

from testing.builds import BUILDS, EVERYTHING, ROOT, Failure, targets
from testing.limited import Outcome, run
from testing.servers import MODULES, TURN, VERSIONS, environment
from testing.turns import TURNS, named, options

ACCEPTED_SKIPS = ["the kernel has no pressure stall information", "a sanitizer replaces malloc", "set AXIOM_MEASURE=1"]
COVERAGE_SKIP = "With the counters of a coverage build"


def arguments():
    table = "\n".join(
        ["builds:", *(f"  {name:15} {build.about}, in {build.folder}" for name, build in BUILDS.items())]
        + ["turns:", *(f"  {turn.name:15} {turn.about}" for turn in TURNS)]
    )
    parser = argparse.ArgumentParser(
        prog="Scripts/test", usage="Scripts/test [MODULE...] [options]", description=__doc__, epilog=table,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="test only these modules, such as AxiomMetrics")
    parser.add_argument("--all", action="store_true", help="leave nothing out")
    parser.add_argument("--build", action="append", choices=BUILDS, help="the build: by default debug, with --all several")
    parser.add_argument("--turns", metavar="A,B", help="only these turns")
    parser.add_argument("--prometheus", choices=VERSIONS, help="only the tests with a Prometheus server, and with this one")
    when = parser.add_mutually_exclusive_group()
    when.add_argument("--only-build", action="store_true", help="run no test")
    when.add_argument("--skip-build", action="store_true", help="run what was built")
    options = parser.parse_args()
    options.turns = options.turns.split(",") if options.turns else None
    for turn in options.turns or []:
        if turn not in [turn.name for turn in TURNS]:
            parser.error(f"there is no turn {turn}: choose of {', '.join(turn.name for turn in TURNS)}")
    known = targets() | targets("Tools")
    for module in options.modules:
        if module.removesuffix("Tests") not in known:
            parser.error(f"no target tests a module {module}: choose of {', '.join(known)}")
    if options.prometheus and (options.modules or options.turns):
        parser.error("--prometheus has its own tests: name no modules and no turns")
    options.modules = MODULES if options.prometheus else [known[module.removesuffix("Tests")] for module in options.modules]
    return options


class Plan:
    """What is built and run, and how its last run went."""

    def __init__(self, options):
        self.options = options
        self.is_brief = not (options.all or options.modules or options.turns or options.build)
        self.builds = options.build or self.default_builds()
        self.log = ROOT / ".build-debug/last-runs.json"
        # What a limit of time or a count depends on.
        server = [options.prometheus] if options.prometheus else []
        self.key = " ".join(["all"] * options.all + self.builds + options.modules + (options.turns or []) + server)

    def default_builds(self):
        if self.options.all:
            return EVERYTHING
        wanted = set(self.options.modules)
        if not wanted:
            return ["debug"]
        return [name for name in ("debug", "tools") if wanted & set(targets(BUILDS[name].package).values())]

    def turns(self, build):
        if self.options.prometheus:
            return [TURN]
        return [named(turn) for turn in BUILDS[build].turns if self.options.turns is None or turn in self.options.turns]

    def left_out(self):
        """What this run leaves out, a line each."""
        if self.options.modules:
            return [f"all but {', '.join(self.options.modules)}"]
        if not self.is_brief:
            return []
        slow = [f"most of: {turn.about}" for turn in TURNS if turn.brief]
        return slow + [BUILDS[name].about for name in EVERYTHING if name not in self.builds]

    def runs(self):
        try:
            return json.loads(self.log.read_text())
        except (OSError, ValueError):
            return {}

    def announce(self):
        last = self.runs().get(self.key)
        print(f"Last time this took {spoken(last['seconds'])}, {spoken(last['building'])} of it to build." if last else
              "This is its first run in this clone; CONTRIBUTING.md says how long it takes.")
        for what in self.left_out():
            print(f"Left out: {what}")
        if self.is_brief:
            print("Scripts/test --all runs these, too.", flush=True)

    def keep(self, seconds, building):
        self.log.parent.mkdir(exist_ok=True)
        self.log.write_text(json.dumps({**self.runs(), self.key: {"seconds": seconds, "building": building}}))


def spoken(seconds):
    return f"{int(seconds // 60)} min {int(seconds % 60)} s" if seconds >= 60 else f"{seconds:.0f} s"


def run_turns(plan, name):
    build, outcome = BUILDS[name], Outcome()
    if not build.program.exists():
        raise Failure(f"There is no {build.program.relative_to(ROOT)}: run this without --skip-build.")
    server = environment(plan.options.prometheus) if plan.options.prometheus else {}
    for turn in plan.turns(name):
        begin = time.monotonic()
        minutes = float(os.environ.get("MINUTES", turn.minutes))
        found = run(build.program, options(turn, plan.is_brief), minutes, build.environment(plan.options.modules) | server)
        for test in refused_skips(found.skipped, build.covers):
            found.failed.append((test, "It was skipped, and CI must run it"))
        outcome += found
        if (turn is TURN or not plan.options.modules) and not found.count:
            outcome.ended = outcome.ended or f"The turn {turn.name} of the build {name} has no test"
        print(f"The turn {turn.name} of the build {name} took {spoken(time.monotonic() - begin)}.", flush=True)
    return outcome


def refused_skips(skipped, covers):
    """In CI a skipped test is a failure, because it tested nothing; but for what no package brings, and what the build without
    coverage does."""
    accepted = ACCEPTED_SKIPS + [COVERAGE_SKIP] * covers
    return [name for name, why in skipped if "CI" in os.environ and not any(reason in why for reason in accepted)]


def report(outcome, seconds):
    for name, why in outcome.skipped:
        print(f"Skipped: {name}: {why}")
    for name, said in outcome.failed:
        print(f"✘ {name}\n    " + said.replace("\n", "\n    "), file=sys.stderr)
    if outcome.ended:
        print(f"✘ {outcome.ended}", file=sys.stderr)
    print(f"It took {spoken(seconds)}.")
    print(f"{outcome.passed} passed, {len(outcome.failed)} failed, {len(outcome.skipped)} skipped", flush=True)
    return 0 if outcome.is_good else 1


def main():
    options = arguments()
    plan = Plan(options)
    if subprocess.run([ROOT / "Scripts/setup", "test"]).returncode != 0:
        return 1
    plan.announce()
    begin, building, outcome = time.monotonic(), 0, Outcome()
    try:
        if not options.skip_build:
            building = sum(BUILDS[name].build(options.modules) for name in plan.builds)
        if options.only_build:
            return 0
        for name in plan.builds:
            outcome += run_turns(plan, name)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    seconds = time.monotonic() - begin
    if outcome.is_good and not options.skip_build:
        plan.keep(seconds, building)
    return report(outcome, seconds)


if __name__ == "__main__":
    sys.exit(main())
