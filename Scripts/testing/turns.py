# SPDX-License-Identifier: Apache-2.0
"""The turns in which the tests run, one after the other: tests that wait can run at once, tests that measure cannot."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Turn:
    name: str
    about: str
    # A regular expression for the names of the tests; None for those that no other turn has.
    only: str | None
    # After this time the turn hangs.
    minutes: int = 10
    # Those that stand for all, if all take minutes.
    brief: str | None = None
    # Whether the default build of the root package has tests of it.
    of_root: bool = True


TURNS = [
    Turn("independent", "modules that have no code for the trait", r"^Axiom(Base|Resilience|Metrics|Statistics|SwiftMetrics)Tests\."),
    Turn("computing", "those that keep every core busy", None, minutes=15),
    Turn("observing", "telemetry, the dashboard's data, tracing, events of the system",
         r"^Axiom(Instrumentation|Dashboard|Tracing|System)Tests\."),
    # Scraping and serving are apart because of a bug in Foundation: Process crashes when it starts a program while more than
    # about 1,300 descriptors are open. Serving tests open 2,000.
    Turn("serving", "the HTTP server, and the kept corpus of Scripts/fuzz", r"^(AxiomHTTP|AxiomWebConfiguration|Fuzz)Tests\."),
    Turn("scraping", "other programs scrape the exporter, or receive pushes", r"^(Axiom(Exporter|OpenTelemetry|Push)|Exposition)Tests\."),
    Turn("running", "the demo", r"^(AxiomDemo|EndToEnd)Tests\."),
    # The sampler is one for a process, and its signals interrupt all of it.
    Turn("profiling", "the profiler", r"^AxiomProfilerTests\.|^EndToEndTests\.ProfileScoreTests/"),
    Turn("quiet", "those that need an idle machine", r"^EndToEndTests\.HealthTests/|^AxiomTestingTests\.(Duration|OrdinaryRun)Tests/"),
    Turn("measuring", "the benchmarks", r"^AxiomBenchmarkingTests\."),
    Turn("browser", "the dashboard in a browser", r"^EndToEndTests\.DashboardTests/", minutes=35,
         brief=r"^EndToEndTests\.DashboardTests/(mainPage|numbersOfTheDemo|files)\("),
    Turn("operating", "Alertmanager, the manifests for Kubernetes, the models of Grafana", r"^EndToEndTests\.OperationTests/"),
    Turn("crowd", "the rules, twenty applications at once", r"^EndToEndTests\.(RuleFile|MetricName|Fleet)Tests/",
         brief=r"^EndToEndTests\.(RuleFileTests/(drift|linter|lint|configuration|coverage)\(|MetricNameTests/)"),
    Turn("soaking", "short runs of Scripts/soak", r"^EndToEndTests\.SoakTests/",
         brief=r"^EndToEndTests\.SoakTests/(silence|missedBudgets|wrongOption)\("),
    Turn("verifying", "axiom-verify, axiom-migrate and axiom-new", r"^Axiom(Syntax|Verification|Migration|New)Tests\.", minutes=20,
         of_root=False),
    Turn("whole", "all tests of a package of its own", None, of_root=False),
]
# A turn runs what it names, without what these name: a name of theirs is a part of a name of it.
NARROWER = {"running": ["profiling", "quiet", "browser", "operating", "crowd", "soaking"], "computing": [turn.name for turn in TURNS if turn.only]}


def named(name):
    return next(turn for turn in TURNS if turn.name == name)


def options(turn, brief=False):
    """What the program of the tests is started with."""
    found = ["--filter", turn.brief if brief and turn.brief else turn.only] if turn.only else []
    for other in NARROWER.get(turn.name, []):
        found += ["--skip", named(other).only]
    return found
