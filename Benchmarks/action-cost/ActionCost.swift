// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Axiom
internal import AxiomBase
internal import Foundation

/// `action-cost`: what an observed action costs, beside the floors that its goals are stated in.
@main
struct ActionCost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "action-cost",
        abstract: "Measures what it costs to observe actions and calls, as multiples of floors of the same run.",
        discussion: """
            All rows run in turns in one process, and each states the first decile of its rounds. "beyond" is the difference \
            to the row that does the same unobserved. With --only a profiler sees one row:
              perf record .build-release/release/action-cost --only action --rounds 400

            Exit codes: 0; 64 for a wrong command line. Build it in release.
            """
    )

    @Option(help: "How often each row runs: 10 to 100000.")
    var rounds = 101

    @Option(help: "How many operations a row repeats in a round: 100 to 1000000.")
    var calls = 5_000

    @Option(parsing: .upToNextOption, help: "The only rows that run, separated by spaces. Default: all.")
    var only: [String] = []

    func validate() throws {
        guard (10...100_000).contains(rounds) else {
            throw ValidationError("--rounds is \(rounds); 10 to 100000 are allowed.")
        }
        guard (100...1_000_000).contains(calls) else {
            throw ValidationError("--calls is \(calls); 100 to 1000000 are allowed.")
        }
        if let unknown = only.first(where: { !CostRow.ids.contains($0) }) {
            throw ValidationError("There is no row \(unknown). The rows: \(CostRow.ids.joined(separator: ", ")).")
        }
    }

    func run() async throws {
        let rows = try await CostRow.all().filter { only.isEmpty || only.contains($0.id) }
        let times = try await measure(rows)
        print(line("row", "ns", "beyond", "in a", "goal in a"))
        let (atomic, clock) = (times["atomic"], times["clock"])
        for row in rows {
            let time = times[row.id] ?? .nan
            let beyond = row.base.flatMap { times[$0] }.map { (time - $0) / Double(row.parts) }
            print(
                line(
                    row.id,
                    Self.text(time),
                    beyond.map(Self.text) ?? "",
                    beyond.flatMap { beyond in atomic.map { Self.text(beyond / $0) } } ?? "",
                    row.goal.flatMap { goal in
                        atomic.flatMap { atomic in clock.map { Self.text(goal.clocks * $0 / atomic + goal.additions) } }
                    } ?? ""
                )
            )
        }
    }

    /// Nanoseconds of one operation of each row: the first decile of the rounds.
    private func measure(_ rows: [CostRow]) async throws -> [String: Double] {
        var times: [String: [Double]] = [:]
        for round in -1..<rounds {
            for row in rows {
                let start = TimeSource.live.now
                await row.body(calls)
                let time = Double(TimeSource.live.now.nanoseconds(since: start)) / Double(calls)
                // The first round only warms up.
                if round >= 0 { times[row.id, default: []].append(time) }
            }
        }
        return times.mapValues { $0.sorted()[$0.count / 10] }
    }

    private func line(_ columns: String...) -> String {
        let first = columns[0].padding(toLength: 26, withPad: " ", startingAt: 0)
        return first + columns.dropFirst().map { String(repeating: " ", count: max(1, 11 - $0.count)) + $0 }.joined()
    }

    private static func text(_ value: Double) -> String { String(format: "%.1f", value) }
}
