// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a measurement should be.
enum Goal {
    /// At most this many times `floor/atomic.add`.
    case times(Double)
    /// At most this many times the same operation on one thread.
    case timesOwn(Double)
}

/// Measurements beside their floors and goals.
struct MetricsReport: Codable {
    struct Entry: Codable {
        let id: String
        /// `ns`, `MB/s` or `bytes/series`.
        let unit: String
        let value: Double
        /// The ratio to `floor/atomic.add`, or to the same operation on one thread; nil for what is no time.
        var ratio: Double?
        /// What ratio, or value where there is none, must not be exceeded.
        var goal: Double?
        var isMet: Bool?
        /// Allocations for each operation.
        var allocations: Double?
    }

    let entries: [Entry]

    /// The first decile of the rounds: what an operation takes while nobody else has the processors. The median of a
    /// machine that others use says more about them.
    private static func decile(_ nanoseconds: [Double]) -> Double {
        nanoseconds.isEmpty ? .nan : nanoseconds[nanoseconds.count / 10]
    }

    init(
        _ times: [(id: String, nanoseconds: [Double])],
        goals: [String: Goal],
        allocations: [String: Double],
        memory: [Entry]
    ) {
        let figures = Dictionary(uniqueKeysWithValues: times.map { ($0.id, Self.decile($0.nanoseconds)) })
        let floor = figures["floor/atomic.add"] ?? .nan
        entries =
            times.map { result in
                if result.id == "floor/memcpy.MB" {
                    return Entry(
                        id: "floor/memcpy",
                        unit: "MB/s",
                        value: Double(1 << 20) / 1_000 / Self.decile(result.nanoseconds) * 1_000
                    )
                }
                var entry = Entry(id: result.id, unit: "ns", value: Self.decile(result.nanoseconds))
                entry.allocations = allocations[result.id]
                switch goals[result.id] {
                case .timesOwn(let goal):
                    let own = figures[String(result.id.prefix { $0 != " " }.dropLast(2))] ?? .nan
                    entry.ratio = Self.decile(result.nanoseconds) / own
                    entry.goal = goal
                case .times(let goal):
                    entry.ratio = Self.decile(result.nanoseconds) / floor
                    entry.goal = goal
                case nil:
                    entry.ratio = Self.decile(result.nanoseconds) / floor
                }
                if let goal = entry.goal, let ratio = entry.ratio { entry.isMet = ratio <= goal }
                return entry
            } + memory
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    var table: String {
        entries.map { entry in
            let id = entry.id.padding(toLength: 42, withPad: " ", startingAt: 0)
            var line = id + String(format: "%10.1f ", entry.value)
            line += entry.unit.padding(toLength: 13, withPad: " ", startingAt: 0)
            line += entry.ratio.map { String(format: "%7.2f x", $0) } ?? "         "
            if let goal = entry.goal {
                line += String(format: "  goal %6.1f", goal) + (entry.isMet == true ? " met" : " MISSED")
            }
            if let allocations = entry.allocations { line += String(format: "  %.2f allocations", allocations) }
            return line
        }.joined(separator: "\n")
    }
}
