// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import AxiomStatistics
internal import CAxiomProcess
internal import Foundation

/// Tests the tool on this machine: how often it finds a difference between a program and its copy, and how often it finds
/// a slower program.
struct SelfTestCommand: ParsableCommand, ProgramCommand {
    static let configuration = CommandConfiguration(
        commandName: "self-test",
        abstract: "Compares the program with itself, and says how often that raised a false alarm.",
        discussion: "Each round is a whole run over four kernels: hash, dictionary, sort and allocation."
    )

    @Option(help: "How many whole runs are made.")
    var rounds = 3

    @Option(help: "Make one of both so much slower, as 3%, and say how often that was found.")
    var inject: String?

    @Option(help: "How many other processes keep the processors busy during the test.")
    var hogs = 0

    @Option(help: "Another build of this program, to be compared instead of a copy.")
    var second: String?

    @Option(help: "The seed of the first round.")
    var seed: UInt64 = 1

    func validate() throws {
        guard rounds > 0 else { throw ValidationError("--rounds is \(rounds): give 1 or more") }
        guard hogs >= 0 else { throw ValidationError("--hogs is \(hogs): give 0 or more") }
        if let inject { _ = try RunOptions.share(inject, "--inject") }
    }

    func execute(_ program: SuiteProgram) throws -> ExitStatus {
        let share = try inject.map { try RunOptions.share($0, "--inject") } ?? 0
        let kernels = ReferenceKernels.suite.benchmarks.map(BenchmarkInfo.init)
        let load = try Hogs(hogs)
        defer { withExtendedLifetime(load) {} }
        var tally = SelfTestTally(injected: share, hogs: hogs, kernels: kernels.map(\.id))
        let progress = Progress()
        for round in 0..<rounds {
            var settings = RunSettings()
            settings.metrics = [.wall, .cpu]
            (settings.checksLayout, settings.profiled) = (false, 0)
            settings.seed = seed &+ UInt64(round)
            var other = MeasuredProgram(path: second ?? MeasuredProgram.current.path)
            other.injected = share
            let session = try DuetSession(
                baseline: .current,
                current: other,
                benchmarks: kernels,
                settings: settings,
                progress: Progress()
            )
            tally.add(try session.findings())
        }
        let cost = (progress.seconds, ProcessFacts.processorSeconds)
        for line in try tally.lines(seconds: cost.0, processorSeconds: cost.1) { print(line) }
        return tally.status
    }
}

/// The results of the rounds of a self-test.
struct SelfTestTally {
    let injected: Double
    let hogs: Int
    let kernels: [String]
    private var rounds = 0
    private var alarmed = 0
    private var doubtful = 0
    private var crashed = 0
    private var found: [String: Int] = [:]
    /// A description of each false alarm.
    private var alarms: [String] = []

    init(injected: Double, hogs: Int, kernels: [String]) {
        self.injected = injected
        self.hogs = hogs
        self.kernels = kernels
    }

    /// Adds the findings of one round.
    mutating func add(_ findings: [ComparisonFinding]) {
        rounds += 1
        let regressions = findings.filter { $0.kind == .regressed }
        let worse = Set(regressions.map(\.benchmark))
        if injected == 0 { alarms += regressions.map { "in round \(rounds): \(Self.words($0))" } }
        if !worse.isEmpty { alarmed += 1 }
        for id in worse { found[id, default: 0] += 1 }
        if findings.contains(where: { $0.kind == .insufficient }) { doubtful += 1 }
        if findings.contains(where: { $0.kind == .crashed }) { crashed += 1 }
    }

    private static func words(_ finding: ComparisonFinding) -> String {
        let change = finding.change.map(Format.change) ?? "unknown"
        let interval = finding.interval.map { "\(Format.change($0.lowerBound)) to \(Format.change($0.upperBound))" }
        let pValue = finding.pValue.map { String(format: "%.5f", $0) } ?? "unknown"
        return "\(finding.benchmark) \(finding.metric.name) \(change) (\(interval ?? "no interval")), p \(pValue)"
    }

    /// A false alarm is a failure, and so is missing most of the slower programs.
    var status: ExitStatus {
        if crashed > 0 { return .crashed }
        if injected == 0 { return alarmed == 0 ? .success : .regression }
        return found.values.reduce(0, +) * 2 >= rounds * kernels.count ? .success : .regression
    }

    func lines(seconds: Double, processorSeconds: Double) throws -> [String] {
        let load = hogs > 0 ? " beside \(hogs) busy processes" : ""
        let count = Double(rounds * kernels.count)
        let times = (seconds / count, processorSeconds / count)
        let cost = String(format: "%.1f s for each benchmark, %.1f s of processor time", times.0, times.1)
        let doubt = "inconclusive in \(doubtful) of \(rounds) rounds; \(cost)"
        guard injected > 0 else {
            let bound = try BinomialDistribution.clopperPearson(successes: alarmed, trials: rounds).upperBound
            let each = try BinomialDistribution.clopperPearson(
                successes: found.values.reduce(0, +),
                trials: rounds * kernels.count
            ).upperBound
            return [
                "false alarms: \(alarmed) of \(rounds) runs over \(kernels.count) kernels\(load)",
                "with 95 % confidence at most \(Format.percent(bound)) of runs "
                    + "and \(Format.percent(each)) of benchmarks (Clopper-Pearson)",
                doubt,
            ] + alarms
        }
        let total = found.values.reduce(0, +)
        let all = rounds * kernels.count
        let bound = try BinomialDistribution.clopperPearson(successes: total, trials: all).lowerBound
        let parts = kernels.map { "\($0.split(separator: "/").last ?? "") \(found[$0] ?? 0)" }.joined(separator: ", ")
        return [
            "found: \(total) of \(all) programs slower by \(Format.percent(injected))\(load) (\(parts) of \(rounds) each)",
            "with 95 % confidence at least \(Format.percent(bound)) are found (Clopper-Pearson)", doubt,
        ]
    }
}

/// A process that keeps a processor busy, to test verdicts under load.
enum Hog {
    /// Never returns; ends with its parent.
    static func run() -> Never {
        axiom_die_with_parent()
        let parent = getppid()
        var state: UInt64 = 1
        while true {
            for _ in 0..<50_000_000 { state = opaqueStep(state) }
            if getppid() != parent { exit(0) }
        }
    }

    @inline(never)
    private static func opaqueStep(_ state: UInt64) -> UInt64 {
        state &* 6_364_136_223_846_793_005 &+ 1
    }
}

/// A number of hogs. They end with the object.
final class Hogs {
    private var processes: [pid_t] = []

    init(_ count: Int) throws(BenchmarkError) {
        for _ in 0..<count {
            let command = [MeasuredProgram.current.path] + WorkerArguments.hog.arguments
            processes.append(try Spawn.start(command, [:], []))
        }
    }

    deinit {
        for process in processes {
            kill(process, SIGKILL)
            _ = ChildProcess.wait(process)
        }
    }
}
