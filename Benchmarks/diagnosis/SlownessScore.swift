// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import AxiomBase
internal import AxiomDashboard
internal import AxiomInstrumentation
internal import Foundation

/// `diagnosis-score slowness`: how often the planted cause of slow calls is named first, and how often something is named where
/// nothing was planted.
struct SlownessScore: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "slowness",
        abstract: "Plants causes of slow calls in recorded spans, and scores what the explanation names.",
        discussion: """
            Each run records some hundred to some thousand calls with a flight recorder. Runs with a cause have one of each \
            kind in turn, or two. Runs without one have heavy-tailed durations, callers, instances and errors that depend on \
            each other and on nothing else, and in a third of the runs moments when everything is slower.
            """
    )

    /// Its options are how many runs have a cause, the seed of the first run, and whether each wrong run is printed.
    @ParentCommand var all: DiagnosisScore

    @Option(help: "How many runs without a cause: 0 to 10000.")
    var healthy = 300

    func validate() throws {
        guard (0...10_000).contains(healthy) else {
            throw ValidationError("--healthy is \(healthy); 0 to 10000 are allowed.")
        }
    }

    func run() throws {
        var (first, both, pairs, scores) = (0, 0, 0, [String: (right: Int, all: Int)]())
        for number in 0..<UInt64(all.runs) {
            let kind = PlantedCause.Kind.allCases[Int(number) % PlantedCause.Kind.allCases.count]
            let calls = try SimulatedCalls(seed: all.seed + number, kind)
            let found = calls.explanation
            let isRight = found.causes.first.map { cause in calls.planted.contains { $0.matches(cause) } } ?? false
            first += isRight ? 1 : 0
            scores["\(kind)", default: (0, 0)].right += isRight ? 1 : 0
            scores["\(kind)", default: (0, 0)].all += 1
            if calls.planted.count > 1 {
                pairs += 1
                both += calls.planted.allSatisfy { planted in found.causes.contains { planted.matches($0) } } ? 1 : 0
            }
            if all.verbose, !isRight {
                print("seed \(all.seed + number), \(calls.planted): \(found.says) \(found.causes.map(\.text))")
            }
        }
        for (kind, score) in scores.sorted(by: { $0.key < $1.key }) {
            print("\(kind): \(score.right) of \(score.all) named first")
        }
        print("named first: \(first) of \(all.runs); both of two: \(both) of \(pairs)")
        try scoreHealthy()
        try measure()
    }

    private func scoreHealthy() throws {
        var named = 0
        for number in 0..<UInt64(healthy) {
            let found = try SimulatedCalls(seed: all.seed + number, nil).explanation
            named += found.causes.isEmpty ? 0 : 1
            guard all.verbose, !found.causes.isEmpty else { continue }
            print("seed \(all.seed + number), healthy: \(found.causes.map(\.text))")
        }
        print("healthy with something named: \(named) of \(healthy)")
    }

    /// The processor time for 5,000 calls, the median of nine.
    private func measure() throws {
        let calls = try SimulatedCalls(seed: all.seed, .two, count: 5_000)
        var operations: [SpanTree] = []
        func median(_ body: () -> Void) -> Double {
            let times = (0..<9).map { _ in
                let begin = clock()
                body()
                return Double(clock() - begin) / Double(CLOCKS_PER_SEC) * 1_000
            }
            return times.sorted()[4].rounded()
        }
        let reading = median { operations = calls.operations }
        let comparing = median { _ = calls.explain(operations) }
        print("\(operations.count) calls: read in \(reading) ms of processor time, compared in \(comparing) ms")
    }
}
