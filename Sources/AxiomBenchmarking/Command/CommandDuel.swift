// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomProfile
internal import Foundation

/// Compares two whole commands: each pair is four runs of balanced order on one processor, judged as benchmarks are.
final class CommandDuel {
    private let commands: [String]
    private let settings: RunSettings
    private let progress = Progress()
    private let processors = ProcessFacts.processors
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
        let rows = [
            ComparedRow(benchmark: 0, id: "command", metric: .wall, minimumEffect: effect, absoluteFloor: 0),
            ComparedRow(benchmark: 0, id: "command", metric: .cpu, minimumEffect: effect, absoluteFloor: 0),
        ].filter { settings.metrics.contains($0.metric) }
        guard !rows.isEmpty else {
            throw BenchmarkError(.usage, "--cmd judges wall and cpu: name one of them in --metrics")
        }
        var design = TwoStageDesign()
        design.alpha = settings.alpha
        // The first run of each is thrown away: it reads files that the others find in memory.
        for index in 0..<2 { _ = try run(index) }
        let findings = try design.judge(rows) { _, pairs in [0: try measure(pairs)] }
        progress.end()
        var builder = ReportBuilder([], settings, mode: "commands")
        builder.report.baseline = commands[0]
        builder.report.benchmarks = [Report.BenchmarkReport(id: "command")]
        builder.report.coverage.of = 1
        for (metric, values) in samples {
            builder.add("command", metric.name, unit: "ns", kind: metric.kind.description, values)
        }
        builder.add(findings)
        return builder.finish(seconds: progress.seconds)
    }

    private var effect: Double { settings.minimumEffect }

    private func measure(_ pairs: Int) throws(BenchmarkError) -> [[Metric: PairedValue]] {
        progress.begin("Running both commands in turns", steps: pairs)
        var measured: [[Metric: PairedValue]] = []
        for _ in 0..<pairs where settings.budget.map({ progress.seconds < $0 }) ?? true {
            round += 1
            let isReversed = generator.index(below: 2) == 1
            var quads = QuadSamples()
            for isNew in isReversed ? [true, false, false, true] : [false, true, true, false] {
                quads.add(try run(isNew ? 1 : 0), isNew: isNew)
            }
            measured.append(quads.values)
            for (metric, value) in quads.values { samples[metric, default: []].append(value.current) }
            progress.step()
        }
        return measured
    }

    /// Nanoseconds on the clock and of the processor.
    private func run(_ index: Int) throws(BenchmarkError) -> [Double] {
        let processor = processors.isEmpty ? nil : processors[round % processors.count]
        let pinned = processor.flatMap { processor in
            Counters.find("taskset").map { [$0, "-c", "\(processor)"] }
        }
        let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(nothing) }
        let start = TimeSource.live.now
        let process = try Spawn.start(
            (pinned ?? []) + ["/bin/sh", "-c", commands[index]],
            [:],
            [(nothing, STDIN_FILENO), (nothing, STDOUT_FILENO), (nothing, STDERR_FILENO)]
        )
        guard let ended = Spawn.wait(process) else { throw .system("could not wait for a command") }
        let wall = Double(TimeSource.live.now.nanoseconds(since: start))
        guard ended.status == 0 else {
            throw BenchmarkError(.crashed, "the command \"\(commands[index])\" exited with \(ended.status)")
        }
        return [wall, ended.processorTime]
    }
}
