// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Compares two whole commands: each pair is four runs of balanced order, judged as benchmarks are. They run on all
/// processors that this program may use, because a command may be a parallel program.
///
/// What differs between processes (the layout of memory, the seeds of hashes) is random in each run, and so it is noise
/// that more pairs average out; a fixed value would be a bias. The size of the environment changes the address of the
/// stack: it is random for each pair and equal for both commands. After ten pairs and their confirmation the duel doubles
/// its pairs until there is a decision or the time is over.
final class CommandDuel {
    /// The duration in seconds of a duel without `--budget`. The first two stages are completed in any case.
    static let standardTime = 60.0
    /// The looks of the second stage: the first has 15 pairs, the last 480.
    static let looks = 6

    private let commands: [String]
    private let settings: RunSettings
    private let progress = Progress()
    private var generator: SeededGenerator
    private var round = 0
    private var samples: [Metric: [Double]] = [:]

    init(_ commands: [String], _ settings: RunSettings) {
        self.commands = commands
        self.settings = settings
        generator = SeededGenerator(seed: settings.seed)
    }

    /// Runs and judges.
    func report() throws -> Report {
        let rows = [Metric.wall, .cpu].filter(settings.metrics.contains).map {
            ComparedRow(benchmark: 0, id: "command", metric: $0, minimumEffect: settings.minimumEffect)
        }
        guard !rows.isEmpty else {
            throw BenchmarkError(.usage, "--cmd judges wall and cpu: name one of them in --metrics")
        }
        var design = TwoStageDesign()
        design.alpha = settings.alpha
        design.looks = Self.looks
        design.needsBothStages = false
        // The first run of each is discarded: it reads files that later runs find in memory.
        for index in 0..<2 { _ = try run(index, "") }
        let findings = try design.judge(rows) { _, pairs in [0: try measure(pairs, design)] }
        progress.end()
        var builder = ReportBuilder([], settings, mode: "commands")
        builder.report.baseline = commands[0]
        builder.report.benchmarks = [Report.BenchmarkReport(id: "command")]
        builder.report.coverage.of = 1
        for (metric, values) in samples {
            builder.add("command", metric.name, unit: "ns", kind: metric.kind.name, values)
        }
        builder.add(findings)
        return builder.finish(seconds: progress.seconds)
    }

    /// Whether another pair may be measured: within the budget, or else within the standard time once there are as
    /// many pairs as a run of benchmarks has.
    private func mayMeasure(_ design: TwoStageDesign) -> Bool {
        if let budget = settings.budget { return progress.seconds < budget }
        return progress.seconds < Self.standardTime || round < design.screenPairs + design.confirmPairs
    }

    private func measure(_ pairs: Int, _ design: TwoStageDesign) throws(BenchmarkError) -> [[Metric: PairedValue]] {
        progress.begin("Running both commands in turns", steps: pairs)
        var measured: [[Metric: PairedValue]] = []
        for _ in 0..<pairs where mayMeasure(design) {
            round += 1
            let padding = String(repeating: "x", count: generator.index(below: 4_096))
            let isReversed = generator.index(below: 2) == 1
            var quads = QuadSamples()
            for isNew in isReversed ? [true, false, false, true] : [false, true, true, false] {
                quads.add(try run(isNew ? 1 : 0, padding), isNew: isNew)
            }
            measured.append(quads.values)
            for (metric, value) in quads.values { samples[metric, default: []].append(value.current) }
            progress.step()
        }
        return measured
    }

    /// Returns nanoseconds on the clock and of the processor.
    private func run(_ index: Int, _ padding: String) throws(BenchmarkError) -> [Double] {
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        let start = TimeSource.live.now
        let process = try Spawn.start(
            ["/bin/sh", "-c", commands[index]],
            ["AXIOM_BENCH_PADDING": padding],
            [(nothing, STDIN_FILENO), (nothing, STDOUT_FILENO), (nothing, STDERR_FILENO)]
        )
        guard let ended = ChildProcess.wait(process) else { throw .system("could not wait for a command") }
        let wall = Double(TimeSource.live.now.nanoseconds(since: start))
        guard ended.status == 0 else {
            throw BenchmarkError(.crashed, "the command \"\(commands[index])\" exited with \(ended.status)")
        }
        return [wall, ended.processorTime]
    }
}
