// SPDX-License-Identifier: Apache-2.0

/// What is wrong, and what was wrong: each problem in words, with the place to look at and the time when it ended.
struct ProblemBook: Sendable {
    /// Something that is wrong at this moment.
    struct Problem: Sendable, Hashable {
        /// What makes two sightings the same problem.
        let key: String
        /// Whether it harms now, or may.
        let isBad: Bool
        let panel: String
        let component: Int?
        let text: String
        /// The same once it has ended; nil for a text that holds then too.
        var past: String?
        /// When it last held; nil for now.
        var at: Double?
    }

    private struct Entry: Sendable {
        let id: Int
        var problem: Problem
        var at: Double
        /// When it was first found to have ended; nil while it holds.
        var ended: Double?
    }

    /// How many problems are kept, the longest gone first to go.
    static let capacity = 100
    /// How long a problem is kept that is gone: what the page's longest range shows.
    private static let memory = 86_400.0
    /// How often one that holds is told again.
    private static let interval = 10.0

    private var entries: [String: Entry] = [:]
    private var nextID = 0

    /// Takes in all that is wrong at `at`.
    mutating func note(_ problems: [Problem], at: Double) {
        for problem in problems {
            let seen = problem.at ?? at
            if var known = entries[problem.key] {
                let isNews = known.problem.isBad != problem.isBad || known.ended != nil
                guard isNews || seen >= known.at + Self.interval || seen < known.at else { continue }
                (known.problem, known.at, known.ended) = (problem, seen, nil)
                entries[problem.key] = known
            } else {
                entries[problem.key] = Entry(id: nextID, problem: problem, at: seen)
                nextID += 1
            }
        }
        let holding = Set(problems.map(\.key))
        for (key, entry) in entries where entry.ended == nil && !holding.contains(key) { entries[key]?.ended = at }
        entries = entries.filter { $0.value.at > at - Self.memory }
        let excess = entries.count - Self.capacity
        guard excess > 0 else { return }
        for entry in entries.sorted(by: { $0.value.at < $1.value.at }).prefix(excess) { entries[entry.key] = nil }
    }

    var rows: [Row] {
        entries.values.sorted { $0.id < $1.id }.map { entry in
            let problem = entry.problem
            return Row(
                id: entry.id,
                values: [
                    .text(problem.isBad ? "bad" : "warn"), .text(problem.panel), .component(problem.component),
                    .words(entry.ended == nil ? problem.text : problem.past ?? problem.text, limit: 400),
                    .moment(entry.at), .moment(entry.ended),
                ]
            )
        }
    }
}
