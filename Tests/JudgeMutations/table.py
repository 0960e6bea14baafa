# SPDX-License-Identifier: Apache-2.0
"""Planted inversions of decisions of the judge, each of which must make a test fail: Scripts/mutate-judge applies one at a time.

A text must occur once in its file. The last field is a regular expression for the names of tests that should fail."""
from typing import NamedTuple


class Mutation(NamedTuple):
    about: str
    file: str
    old: str
    new: str
    tests: str


BENCHMARKING, STATISTICS = "Sources/AxiomBenchmarking", "Sources/AxiomStatistics"
PROGRAM = f"{BENCHMARKING}/Command/SuiteProgram.swift"
COUNTS = f"{BENCHMARKING}/Judging/CountJudge.swift"
FILES = f"{BENCHMARKING}/Judging/FileComparison.swift"
STAGES = f"{BENCHMARKING}/Judging/TwoStageDesign.swift"
GOALS = f"{BENCHMARKING}/Judging/GoalJudge.swift"
HISTORY = f"{BENCHMARKING}/Judging/SavedHistory.swift"
PAIRS = f"{BENCHMARKING}/Measuring/PairRunner.swift"
CONTROLS = f"{BENCHMARKING}/Measuring/NullControls.swift"
DUET = f"{BENCHMARKING}/Measuring/DuetSession.swift"
REFERENCE = f"{BENCHMARKING}/Revisions/BaselineReference.swift"
GIT = f"{BENCHMARKING}/Revisions/Git.swift"
TEXT = f"{STATISTICS}/Baseline/BaselineFile+Text.swift"
LIVE = f"{STATISTICS}/Verdicts/LiveJudge.swift"

EXIT, COUNT, FILE, STAGE = "ExitStatusTests", "CountJudgeTests", "JudgedFileTests|FileComparisonTests", "StagedVerdict|TwoStage"
PAIR, CHOICE, READ, JUDGE = "ScriptedPairTests", "BaselineChoiceTests", "BaselineFileTests", "LiveJudgeTests"

MUTATIONS = [
    # --- The exit code
    Mutation("A regression hides a crash", PROGRAM,
             "if kinds.contains(.crashed) {", "if kinds == [.crashed] {", EXIT),
    Mutation("A missed goal passes", PROGRAM, "[.regressed, .missed]", "[.regressed]", EXIT),
    Mutation("Removed benchmarks fail only if they may be removed", PROGRAM, "&& !allowRemoved", "&& allowRemoved", EXIT),
    Mutation("A lost metric passes", PROGRAM, "[.insufficient, .lost]", "[.insufficient]", EXIT),
    Mutation("Doubt fails only with --strict", PROGRAM,
             "strictness != .lenient, isDoubtful", "strictness == .strict, isDoubtful", EXIT),
    Mutation("A run that judged nothing passes", PROGRAM, " || report.judgedNothing", "", EXIT),
    Mutation("--strict lets the incomparable pass", PROGRAM, " || kinds.contains(.incomparable)", "", EXIT),
    Mutation("A failed build is wrong usage", PROGRAM, "default: .crashed", "default: .usage", EXIT),
    Mutation("A baseline that cannot be read is wrong usage", PROGRAM,
             "usage.contains(error.code) ? .usage : .baseline", "usage.contains(error.code) ? .baseline : .usage",
             "ExitCodeTests/unreadable"),
    Mutation("The comparison of two files always succeeds", f"{BENCHMARKING}/Command/FileCommands.swift",
             "        return status\n", "        return .success\n", FILE),

    # --- The verdict on counts
    Mutation("Fewer allocations are worse", COUNTS, "$0 > old : $0 < old", "$0 < old : $0 > old", COUNT),
    Mutation("One bad run is a regression", COUNTS, "if current.allSatisfy(isWorse)", "if current.contains(where: isWorse)", COUNT),
    Mutation("Counts that were never exact are judged", COUNTS, "let old = common(baseline) else", "let old = baseline.first else", COUNT),
    Mutation("A better count is no improvement", COUNTS, "? .regressed : .improved", "? .improved : .regressed", COUNT),
    Mutation("More instructions by 2 % pass", COUNTS, "nearExactFloor = 0.002", "nearExactFloor = 0.02", COUNT),
    Mutation("Instructions are judged although runs disagree", COUNTS,
             "return most <= least * (1 + agreement)", "return most >= least", COUNT),
    Mutation("A count that is gone is new", COUNTS, "? .lost : .added", "? .added : .lost", COUNT),

    # --- The verdict on recordings
    Mutation("Another version of a benchmark is compared", FILES,
             "old.sourceHash != new.sourceHash", "old.sourceHash == new.sourceHash", FILE),
    Mutation("A debug build is compared with a release build", FILES,
             "baseline.build.configuration != current", "baseline.build.configuration > current", FILE),
    Mutation("Counts of another counter are compared", FILES,
             "old.backend == new.backend && old.version", "old.backend == new.backend || old.version", FILE),
    Mutation("Instructions of another machine are compared", FILES,
             "guard metric == .instructions else", "guard metric != .instructions else", FILE),
    Mutation("Times of another machine are compared", FILES,
             'match.isMatch ? nil : "another machine:', '!match.isMatch ? nil : "another machine:', FILE),
    Mutation("A baseline of few processes is judged", FILES, "guard before.count >= Self.leastRuns, after", "guard after", FILE),
    Mutation("A metric that is gone is new", FILES, '.lost, "the current', '.added, "the current', FILE),
    Mutation("A longer time is an improvement", FILES, "isLowerBetter ? 1.0 : -1", "isLowerBetter ? -1.0 : 1", FILE),
    Mutation("A change within the variation of processes is judged", FILES,
             "3 * (try Statistics.standardDeviation", "1 * (try Statistics.standardDeviation", FILE),
    Mutation("What cannot be excluded passes", FILES,
             "candidate.shift.upper < candidate.floor", "candidate.shift.value < candidate.floor", FILE),
    Mutation("Many benchmarks raise more false alarms", FILES,
             "try MultipleComparisons.holm(candidates.map(\\.pValue))", "candidates.map(\\.pValue)", FILE),

    # --- The verdict on pairs
    Mutation("Many rows raise more false alarms", STAGES, "try MultipleComparisons.holm(pValues)", "pValues", STAGE),
    Mutation("Many looks raise more false alarms", STAGES, "Double { alpha / Double(looks) }", "Double { alpha }", STAGE),
    Mutation("The second stage alone raises an alarm", STAGES,
             "screened[index].looksWorse || !needsBothStages ? finding",
             "screened[index].isChosen || !needsBothStages ? finding", STAGE),
    Mutation("The pairs by which a row was chosen confirm it", STAGES,
             "rows.map { Self.values($0, fresh) }", "rows.map { Self.values($0, first) + Self.values($0, fresh) }", STAGE),
    Mutation("A change below the least effect is a regression", STAGES,
             "adjusted <= lookAlpha, comparison.shift.value >= floor,", "adjusted <= lookAlpha,", STAGE),
    Mutation("An undecided row passes after the first stage", STAGES,
             "looksWorse || comparison.shift.upper >= floor", "looksWorse", STAGE),
    Mutation("What cannot be excluded passes", STAGES, "all.shift.upper < floor", "all.shift.value < floor", STAGE),
    Mutation("The floor in nanoseconds lets large changes pass", STAGES,
             "level < row.absoluteFloor", "level > row.absoluteFloor", STAGE),
    Mutation("The worst of ten processes judges a goal", GOALS,
             "if let least = values.min(), least", "if let least = values.max(), least", "GoalTests/(least|ceiling)"),
    Mutation("The history takes machines for one", HISTORY,
             "$0.fingerprint.match(last.fingerprint).isMatch && ", "", "HistoryTests/otherMachine"),

    # --- Pairing
    Mutation("The builds of every second pair are swapped", PAIRS,
             "isSwapped ? (second, first) : (first, second)", "(first, second)", PAIR),
    Mutation("The values of every second pair are swapped", PAIRS,
             "Self.paired(isSwapped ? two : one, isSwapped ? one : two, metric)", "Self.paired(one, two, metric)", PAIR),
    Mutation("The old build is measured before the new one in each four", PAIRS,
             "isReversed ? [true, false, false, true] : [false, true, true, false]",
             "isReversed ? [true, true, false, false] : [false, false, true, true]", PAIR),
    Mutation("The samples of both builds are swapped", PAIRS, "samples[index][isNew ? 1 : 0]", "samples[index][isNew ? 0 : 1]", PAIR),
    Mutation("More of what is good is worse", PAIRS, "isLowerBetter ? ratio : -ratio", "isLowerBetter ? -ratio : ratio", PAIR),
    Mutation("The runner takes the new build for the baseline", DUET,
             "PairRunner(baseline: old, current: new)", "PairRunner(baseline: new, current: old)", PAIR),
    Mutation("A failed null control withdraws no regression", DUET,
             "finding.kind == .regressed || finding.kind == .ok", "finding.kind == .ok", PAIR),
    Mutation("A large change with equal instructions passes", DUET,
             "< settings.layoutEffect { finding", "> settings.layoutEffect { finding", PAIR),
    Mutation("A null control fails if pairs agree", CONTROLS,
             "deviation > Self.greatestDeviation", "deviation < Self.greatestDeviation", "NullControlTests"),
    Mutation("A null control fails if the programs are equal", CONTROLS, "!shift.contains(0)", "shift.contains(0)", "NullControlTests"),

    # --- The choice of a baseline
    Mutation("A branch is compared with what the other branch did since", REFERENCE,
             "git.mergeBase(with: sha) ?? sha", "sha", CHOICE),
    Mutation("What is checked out is compared with itself", REFERENCE,
             "guard git.isCheckedOut(base) else", "guard !git.isCheckedOut(base) else", CHOICE),
    Mutation("An equal parent is compared", REFERENCE, ", !git.isCheckedOut(parent) else", " else", CHOICE),
    Mutation("A file in the present folder is taken for a saved name", REFERENCE,
             'name.contains("/") || name.hasSuffix(".json")', 'name.contains("/") && name.hasSuffix(".json")', CHOICE),
    Mutation("A local main precedes the default branch of the remote", GIT,
             '[remote, "main", "master"]', '["main", "master", remote]', CHOICE),
    Mutation("Changed files are what is checked out", GIT, '"--porcelain") == ""', '"--porcelain") != nil', CHOICE),
    Mutation("A revision stands for a file that was recorded of changed files", f"{BENCHMARKING}/Command/Gate.swift",
             ", !baseline.source.isDirty else", " else", CHOICE),

    # --- Reading files
    Mutation("A newer format is read", TEXT, "guard version <= schemaVersion", "guard version >= schemaVersion", READ),
    Mutation("An edited file is read", TEXT, '["sha256"] == .string(found)', '["sha256"] != .string("0" + found)', READ),
    Mutation("A foreign file is read", TEXT, 'json["schema"] == .string(schema)', 'json["schema"] != nil', READ),
    Mutation("A foreign file is replaced", f"{STATISTICS}/Baseline/BaselineFile+Disk.swift",
             "error.code == .missingFile {", "error.code != .fileSystem {", READ),
    Mutation("Machines that differ match", f"{STATISTICS}/Baseline/Fingerprint.swift",
             "mine.value == other.value", "mine.field == other.field", "FingerprintTests"),
    Mutation("Accepting numbers forgets the history", f"{BENCHMARKING}/Command/BaselineCommand.swift",
             "file.history = old?.history ?? []", "file.history = []", "ExitCodeTests/accept"),

    # --- The live judge
    Mutation("What is likely by chance is a regression", LIVE, "if p <= policy.levelOfLook", "if p >= policy.levelOfLook", JUDGE),
    Mutation("Growth below the least effect is a regression", LIVE, ", shift.value >= floor, lasts {", ", lasts {", JUDGE),
    Mutation("A burst that has ended is a regression", LIVE, ", shift.value >= floor, lasts {", ", shift.value >= floor {", JUDGE),
    Mutation("The first look is enough", LIVE, ">= policy.persistence {", ">= policy.lookInterval {", JUDGE),
    Mutation("Another machine's profile is compared", LIVE, "guard machine.isMatch else", "guard !machine.isMatch else", JUDGE),
    Mutation("Cost that moved is a regression", LIVE, "groups[sibling] == group", "groups[sibling] != group", JUDGE),
    Mutation("Cost counts as moved although the sibling saved too little", LIVE,
             "saved >= policy.movedShare * extra", "saved <= policy.movedShare * extra", JUDGE),
    Mutation("Windows of too few requests are compared", f"{STATISTICS}/Verdicts/OperationWatch.swift",
             "if let durations, durations.count >= policy.minimumRequests", "if let durations, durations.count > 0", JUDGE),
    Mutation("Buckets wider than the least effect are compared", f"{STATISTICS}/Verdicts/LiveComparison.swift",
             "guard before.bucketWidth < log1p", "guard before.bucketWidth > log1p", JUDGE),
]
