// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Axiom
internal import AxiomBase
internal import Foundation

/// `action-counts`: sends client actions from several tasks, and compares each count with the exact number.
@main
struct ActionCounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "action-counts",
        abstract:
            "Sends actions to instrumented clients, and compares each count with the exact number.",
        discussion: """
            The tasks count the outcomes of their calls in variables of their own. After each round, while no call runs, \
            these counts are compared with the counters, the histograms, the circuit breakers, the flight recorder and the \
            clients themselves. Each round ends with a line: with --rounds 100, a run says where it is a hundred times.

            Exit codes: 0 if all are equal; 1 if one differs; 64 for a wrong command line. Build it in release.
            """
    )

    @Option(help: "How many actions are sent, by all tasks together: 1000 to 1000000000000.")
    var actions = 1_000_000

    @Option(help: "How many tasks send them: 1 to 64. Every other one uses a client whose circuit breaker opens.")
    var tasks = 4

    @Option(help: "After how many rounds of equal length the counts are compared: 1 to 1000.")
    var rounds = 10

    @Flag(help: "Send one action more than is counted: the comparison must find it.")
    var plant = false

    func validate() throws {
        guard (1_000...1_000_000_000_000).contains(actions) else {
            throw ValidationError("--actions is \(actions); 1000 to 1000000000000 are allowed.")
        }
        guard (1...64).contains(tasks) else { throw ValidationError("--tasks is \(tasks); 1 to 64 are allowed.") }
        guard (1...1_000).contains(rounds) else {
            throw ValidationError("--rounds is \(rounds); 1 to 1000 are allowed.")
        }
        #if !Instrumented
        throw ValidationError("This build counts nothing, because the trait Instrumented is off.")
        #endif
    }

    @MainActor
    func run() async throws {
        let application = try await CountedApplication.start()
        var total = Tally()
        var (comparisons, differences) = (0, [String]())
        let start = TimeSource.live.now
        for round in 1...rounds {
            let count = actions / rounds + (round <= actions % rounds ? 1 : 0)
            total += await application.send(count, from: tasks, round: round)
            if plant, round == rounds { await application.sendUncounted() }
            let comparison = await application.compare(with: total)
            comparisons += comparison.count
            differences += comparison.differences
            let seconds = TimeSource.live.now.seconds(since: start)
            Self.print("\(grouped(total.total)) actions in \(rounded(seconds)) s: \(comparison)")
        }
        Self.print(summary(total, comparisons, differences, TimeSource.live.now.seconds(since: start)))
        throw ExitCode(differences.isEmpty ? 0 : 1)
    }

    /// Writes each line at once, so that a file shows the progress of the run.
    private static func print(_ text: String) {
        Swift.print(text)
        fflush(nil)
    }

    private func summary(_ total: Tally, _ comparisons: Int, _ differences: [String], _ seconds: Double) -> String {
        let outcomes = Tally.outcomes.map { "\(grouped(total.count(of: $0))) \($0.rawValue)" }
        let nanoseconds = seconds * 1e9 / Double(total.total)
        return """
            \(grouped(total.total)) client actions by \(tasks) tasks at 2 clients in \(rounded(seconds)) s, one each \
            \(Int(nanoseconds)) ns: \(outcomes.joined(separator: ", "))
            \(comparisons) counts compared, \(differences.count) differ
            """
    }

    private func rounded(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }

    /// The number with a comma before every third digit.
    private func grouped(_ number: Int) -> String {
        let digits = String(number)
        let parts = digits.indices.map { index in
            let rest = digits.distance(from: index, to: digits.endIndex)
            return (rest % 3 == 0 && index != digits.startIndex ? "," : "") + String(digits[index])
        }
        return parts.joined()
    }
}
