// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStatistics
import Foundation
import Testing

@testable import AxiomBenchmarking

/// Programs of benchmarks whose measurements are written down: each is a shell script that answers as a worker does.
private struct ScriptedPrograms {
    /// What `old` takes for an iteration, what `new` takes, and what a copy of that takes.
    var nanoseconds = (old: 1_000, new: 1_000, twin: 1_000)
    /// By how many nanoseconds of 100,000 each sample is longer than the one before, of whichever program.
    var drift = 0

    private let sample: SampleProgram

    init() throws {
        sample = try SampleProgram()
    }

    func remove() { sample.remove() }

    private var script: String {
        """
        #!/bin/sh
        case "${0##*/}" in old) t=\(nanoseconds.old) ;; new) t=\(nanoseconds.new) ;; *) t=\(nanoseconds.twin) ;; esac
        echo '\(WorkerCommand.greeting)' >&3
        while read -r command count; do
            case "$command" in
            calibrate) echo 'ok 10 10000000 4' >&3 ;;
            sample) \(drift == 0 ? "" : drifting) echo "ok $((count * t)) $((2 * count * t))" >&3 ;;
            count) echo "ok $((4 * count)) $((64 * count)) $((1000 * count))" >&3 ;;
            value) echo "ok $t" >&3 ;;
            facts) echo 'ok -1 0 0' >&3 ;;
            *) echo 'error it is not written down' >&3 ;;
            esac
        done
        """
    }

    /// The samples of all processes are counted in a file.
    private var drifting: String {
        "printf x >>'\(sample.path("samples"))'; t=$((100000 + \(drift) * $(wc -c <'\(sample.path("samples"))')));"
    }

    /// The program of a name, which is a link: a file that was just written may still be open in another process, and then
    /// cannot be run.
    func program(_ name: String) throws -> MeasuredProgram {
        let (file, link) = (sample.path("script"), sample.path(name))
        let write = "printf '%s\\n' \"$1\" >\"$2\"; chmod 700 \"$2\"; ln -sf \"$2\" \"$3\""
        #expect(try ProgramOutput.run(["/bin/sh", "-c", write, "sh", script, file, link]).status == 0)
        return MeasuredProgram(path: link)
    }

    static func benchmark(_ work: Benchmark.Work = .body { { _, _ in } }) -> BenchmarkInfo {
        let benchmark = Benchmark(id: "s/b", suite: "s", options: .init(), work: work, size: nil, file: "", line: 1)
        return BenchmarkInfo(benchmark)
    }

    /// The ratios of some pairs, as logarithms.
    func ratios(_ benchmark: BenchmarkInfo, _ metric: Metric, count: Int) throws -> [Double] {
        let runner = PairRunner(baseline: try program("old"), current: try program("new"))
        let plan = try SamplingPlan(runner.baseline, benchmark, processor: nil)
        return try (0..<count).map { seed in
            var generator = SeededGenerator(seed: UInt64(seed))
            let values = try runner.pair(benchmark, plan, processor: nil, &generator)
            return try #require(values[metric]).logRatio
        }
    }

    /// What a session finds.
    func findings(_ metrics: Set<Metric>, checksLayout: Bool) throws -> (ComparisonFinding, [NullControl]) {
        var settings = RunSettings()
        (settings.metrics, settings.checksLayout, settings.namesInstructions) = (metrics, checksLayout, true)
        let session = try DuetSession(
            baseline: try program("before"),
            current: try program("after"),
            benchmarks: [Self.benchmark()],
            settings: settings,
            progress: Progress()
        )
        let findings = try session.findings()
        return (try #require(findings.first { $0.metric == .wall }), session.nullControls)
    }
}

@Suite("Pairs of processes", .timeLimit(.minutes(5)))
struct ScriptedPairTests {
    @Test("A program that takes longer is the one that takes longer, whichever starts first and is measured first")
    func direction() throws {
        var programs = try ScriptedPrograms()
        defer { programs.remove() }
        programs.nanoseconds = (1_000, 1_100, 1_100)
        for metric in [Metric.wall, .cpu] {
            for ratio in try programs.ratios(ScriptedPrograms.benchmark(), metric, count: 8) {
                #expect(abs(ratio - log(1.1)) < 1e-9)
            }
        }
    }

    @Test(
        "So is a value, and of a value of which more is better, the one that has less is worse",
        arguments: [true, false]
    )
    func values(isLowerBetter: Bool) throws {
        var programs = try ScriptedPrograms()
        defer { programs.remove() }
        programs.nanoseconds = (1_000, 1_100, 1_100)
        let metric = Metric("value", unit: "x", kind: .noisy, isLowerBetter: isLowerBetter)
        for ratio in try programs.ratios(ScriptedPrograms.benchmark(.value(metric) { 1 }), metric, count: 8) {
            #expect(abs(ratio - (isLowerBetter ? log(1.1) : -log(1.1))) < 1e-9)
        }
    }

    @Test("A machine that becomes slower all the time makes neither program slower")
    func drift() throws {
        var programs = try ScriptedPrograms()
        defer { programs.remove() }
        programs.drift = 100
        for ratio in try programs.ratios(ScriptedPrograms.benchmark(), .wall, count: 3) { #expect(abs(ratio) < 1e-4) }
    }

    @Test("Of four samples each build has two, and a time of 0 has no ratio")
    func quads() throws {
        var quads = QuadSamples()
        for (time, isNew) in [(100.0, false), (110, true), (121, true), (100, false)] {
            quads.add([time, 2 * time], isNew: isNew)
        }
        let wall = try #require(quads.values[.wall])
        #expect(abs(wall.logRatio - 1.5 * log(1.1)) < 1e-9 && wall.baseline == 100 && wall.current == 115.5)
        #expect(quads.values[.cpu]?.baseline == 200)
        for isNew in [true, false, false, true] { quads.add([isNew ? 100 : 0, 100], isNew: isNew) }
        #expect(quads.values[.wall] == nil && quads.values[.cpu] != nil)
    }

    @Test("A session finds what takes longer, and what takes less time", arguments: [(1_100, 0.1), (900, -0.1)])
    func session(nanoseconds: Int, change: Double) throws {
        var programs = try ScriptedPrograms()
        defer { programs.remove() }
        programs.nanoseconds = (1_000, nanoseconds, nanoseconds)
        let (finding, controls) = try programs.findings([.wall], checksLayout: false)
        #expect(finding.kind == (change > 0 ? .regressed : .improved))
        #expect(abs(try #require(finding.change) - change) < 1e-9)
        #expect(
            controls.map(\.id) == ["axiom-reference/sort"]
                && controls.allSatisfy { $0.problem(minimumEffect: 0.02) == nil }
        )
    }

    @Test(
        "Where a program differs from its copy, nothing is a regression, and nothing is passed",
        arguments: [1_100, 1_000]
    )
    func withdrawn(nanoseconds: Int) throws {
        var programs = try ScriptedPrograms()
        defer { programs.remove() }
        programs.nanoseconds = (1_000, nanoseconds, 2 * nanoseconds)
        let (finding, _) = try programs.findings([.wall], checksLayout: false)
        #expect(finding.kind == .insufficient)
        #expect(finding.detail.hasPrefix("the null control failed: the same program differs from itself"))
    }

    @Test(
        "With equal instructions a small change is that of the place of code, and a large one is a regression with a doubt",
        arguments: [(1_030, .ok), (1_100, .regressed)] as [(Int, Verdict.Kind)]
    )
    func layout(nanoseconds: Int, kind: Verdict.Kind) throws {
        var programs = try ScriptedPrograms()
        defer { programs.remove() }
        programs.nanoseconds = (1_000, nanoseconds, nanoseconds)
        let (finding, _) = try programs.findings([.wall, .instructions], checksLayout: true)
        #expect(finding.kind == kind)
        #expect(finding.detail.hasPrefix("layout suspect: instructions are the same"))
    }
}
