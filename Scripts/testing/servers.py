# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of each format and feature with the Prometheus servers of three releases of Debian, and writes the results into
Documentation/prometheus.md.

    export PYTHONPATH=Scripts
    python3 -B -m testing.servers            builds, runs the tests, prints the table and writes it
    python3 -B -m testing.servers --check    whether the page has a row for each feature

Exit status: 0 if all tests passed, or the page has the rows; 1 if not."""
import os
import re
import subprocess
import sys
from dataclasses import dataclass

from testing.builds import BUILDS, ROOT, Failure
from testing.limited import run
from testing.turns import Turn

VERSIONS = ("2.42", "2.53", "sid")
MODULES = ["ExpositionTests", "AxiomPushTests", "EndToEndTests"]
PAGE = ROOT / "Documentation/prometheus.md"
BEGIN, END = "<!-- servers: Scripts/thorough servers -->", "<!-- end of servers -->"


@dataclass(frozen=True)
class Feature:
    about: str
    # A regular expression for the names of its tests.
    tests: str
    # The version that brought it. Tests expect of an older server what it does without.
    since: tuple = (0, 0)


FEATURES = [
    Feature("text 0.0.4, OpenMetrics 1.0 and protocol buffers, with hostile values", r"ExpositionTests\.PrometheusTests/formats"),
    Feature("the format that the server chooses, or that `scrape_protocols` names", r"ServerFeature\w+/negotiation"),
    Feature("native histograms, within one bucket of the truth", r"ExpositionTests\.PrometheusTests/nativeHistogram"),
    Feature("exemplars of classic and of native histograms", r"ExemplarTests/prometheus|ServerFeature\w+/exemplars"),
    Feature("names in UTF-8 by all four escaping schemes", r"ServerFeature\w+/names", (3, 0)),
    Feature("start timestamps of OpenMetrics and of protocol buffers", r"ServerFeature\w+/startTimestamps", (2, 50)),
    Feature("TLS, client certificates, passwords and tokens", r"SecurePrometheusTests/kinds"),
    Feature("remote write", r"AxiomPushTests\.\w*RemoteWrite\w*Prometheus"),
    Feature("the sample configuration",
            r"EndToEndTests\.PrometheusTests/(scrape|promtool)|RuleFileTests/(configuration|nativeConfiguration)"),
    Feature("rules, alerts and recording rules: promtool's checks and cases", r"RuleFileTests/(lint|rulesObeyCases)"),
    Feature("what rules record and panels show of native histograms alone", r"FleetTests/nativeHistograms"),
    Feature("`axiom-dashboard prometheus`", r"PrometheusCheckTests"),
]
TURN = Turn("servers", "those with a Prometheus server", "|".join(feature.tests for feature in FEATURES), of_root=False)


def environment(version):
    """A path on which programs find this server and its promtool first."""
    found = subprocess.run([ROOT / "Scripts/prometheus", version], stdout=subprocess.PIPE, text=True)
    if found.returncode != 0:
        raise Failure(f"Prometheus {version} could not be fetched.")
    return {"PATH": f"{found.stdout.strip()}:{os.environ['PATH']}"}


def numbers(path):
    """The version of the server on a path: 3.5.3."""
    printed = subprocess.run(["prometheus", "--version"], env=path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return re.search(r"version (\d+\.\d+\.\d+)", printed.stdout)[1]


def cell(feature, version, outcome):
    if tuple(map(int, version.split(".")[:2])) < feature.since:
        return "does not have it"
    passed = [name for name in outcome.names if re.search(feature.tests, name)]
    others = [name for name, _ in outcome.failed + outcome.skipped if re.search(feature.tests, name)]
    if others or not passed:
        return f"{len(others)} failed or were skipped"
    return "passes"


def table(columns):
    """The rows of the table; `columns` are the outcomes by version."""
    rows = [["", *columns], ["---"] * (len(columns) + 1)]
    rows += [[feature.about, *(cell(feature, *column) for column in columns.items())] for feature in FEATURES]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def write(rows):
    before, rest = PAGE.read_text().split(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{rows}{END}{rest.split(END)[1]}")


def run_all():
    build, columns = BUILDS["debug"], {}
    build.build(MODULES)
    for version in VERSIONS:
        path = environment(version)
        outcome = run(build.program, ["--filter", TURN.only], TURN.minutes, build.environment(MODULES) | path)
        columns[numbers(path)] = outcome
        for name, said in outcome.failed + outcome.skipped:
            print(f"✘ {name}: {said}")
    rows = table(columns)
    print(rows, end="")
    write(rows)
    return all(outcome.is_good and outcome.passed and not outcome.skipped for outcome in columns.values())


def check():
    """Prints the features without a row, and rows without a feature."""
    rows = PAGE.read_text().split(BEGIN)[1].split(END)[0].strip().splitlines()[2:]
    named, known = [row.split(" | ")[0].removeprefix("| ") for row in rows], [feature.about for feature in FEATURES]
    wrong = set(named) ^ set(known)
    for about in sorted(wrong):
        print(f"{PAGE.name}: {about}: Scripts/thorough servers")
    return not wrong


def main():
    try:
        return 0 if (check() if sys.argv[1:] == ["--check"] else run_all()) else 1
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
