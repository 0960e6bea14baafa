// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomResilience

/// How the calls of a task ended: what the task itself saw.
struct Tally: Sendable {
    static let outcomes: [ActionOutcome] = [.success, .failure, .cancelled, .rejected]
    static let clients = ["GuardedClient", "WatchedClient"]

    /// By client, then by action, then by outcome.
    private var counts = [Int](repeating: 0, count: 2 * 4 * 4)

    private static func index(_ client: Int, _ action: Int, _ outcome: Int) -> Int {
        (client * 4 + action) * 4 + outcome
    }

    mutating func add(_ client: Int, _ action: CountedAction, _ outcome: Int) {
        counts[Self.index(client, action.caseIndex, outcome)] += 1
    }

    /// Sends an action and counts how it ends.
    mutating func send(_ action: CountedAction, to client: AnyCountingClient, _ index: Int) async {
        do {
            try await client.process(action)
            add(index, action, 0)
        } catch is CancellationError {
            add(index, action, 2)
        } catch is CircuitError {
            add(index, action, 3)
        } catch {
            add(index, action, 1)
        }
    }

    func count(client: Int, action: Int, outcome: Int) -> Int { counts[Self.index(client, action, outcome)] }

    /// The calls of a client with this outcome.
    func count(client: Int, outcome: Int) -> Int {
        (0..<4).reduce(0) { $0 + count(client: client, action: $1, outcome: outcome) }
    }

    /// The calls of a client that reached it: all but the refused ones.
    func performed(client: Int, action: Int) -> Int {
        (0..<3).reduce(0) { $0 + count(client: client, action: action, outcome: $1) }
    }

    func count(of outcome: ActionOutcome) -> Int {
        guard let index = Self.outcomes.firstIndex(of: outcome) else { return 0 }
        return (0..<2).reduce(0) { $0 + count(client: $1, outcome: index) }
    }

    var total: Int { counts.reduce(0, +) }

    static func += (left: inout Tally, right: Tally) {
        for index in left.counts.indices { left.counts[index] += right.counts[index] }
    }
}

/// Compares counts, and prints those that differ.
struct Comparison: CustomStringConvertible {
    private(set) var count = 0
    private(set) var differences: [String] = []

    mutating func equal(_ what: String, _ counted: Double?, _ expected: Int) {
        count += 1
        guard counted != Double(expected) else { return }
        differences.append("\(what): counted \(counted.map { "\($0)" } ?? "nothing"), expected \(expected)")
    }

    var description: String {
        (["\(count) counts compared, \(differences.count) differ"] + differences.map { "  " + $0 }).joined(
            separator: "\n"
        )
    }
}
