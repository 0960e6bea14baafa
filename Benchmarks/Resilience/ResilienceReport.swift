// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Measurements beside their floors and goals.
struct ResilienceReport: Codable {
    struct Entry: Codable {
        let id: String
        /// Nanoseconds for an operation; what a breaker adds to it where ``added`` says so.
        let nanoseconds: Double
        /// The benchmark whose time was subtracted.
        var added: String?
        /// The ratio to `floor/clock.read`, or to the same body on one thread.
        let ratio: Double
        /// What the ratio must not exceed.
        var goal: Double?
        /// Allocations for each operation.
        var allocations: Double?
        /// Whether the ratio keeps within the goal, and nothing is allocated; nil where there is no goal.
        var isMet: Bool? { goal.map { ratio <= $0 && (allocations ?? 0) == 0 } }
    }

    let entries: [Entry]

    init(
        times: [String: [Double]],
        entries: [Measured],
        allocations: [String: Double],
        pairs: [(id: String, single: String, goal: Double?, nanoseconds: [Double])]
    ) {
        let figures = times.mapValues(Self.decile)
        func figure(_ id: String) -> Double { figures[id] ?? .nan }
        let clock = figure("floor/clock.read")
        let floors = ["floor/clock.read", "floor/atomic.add"].map {
            Entry(id: $0, nanoseconds: figure($0), ratio: figure($0) / clock)
        }
        let measured = entries.map { entry in
            var (time, added, goal) = (figure(entry.id), String?.none, Double?.none)
            switch entry.goal {
            case .absolute(let most): goal = most
            case .added(let base, let most):
                time -= figure(base)
                (added, goal) = (base, most)
            }
            return Entry(
                id: entry.id,
                nanoseconds: time,
                added: added,
                ratio: time / clock,
                goal: goal,
                allocations: allocations[entry.id]
            )
        }
        let paired = pairs.map { pair in
            let time = Self.decile(pair.nanoseconds)
            return Entry(id: pair.id, nanoseconds: time, ratio: time / figure(pair.single), goal: pair.goal)
        }
        self.entries = floors + measured + paired
    }

    /// The first decile of the rounds: what an operation takes while nobody else has the processors.
    private static func decile(_ nanoseconds: [Double]) -> Double {
        nanoseconds.isEmpty ? .nan : nanoseconds[nanoseconds.count / 10]
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf",
            negativeInfinity: "-inf",
            nan: "nan"
        )
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    var table: String {
        entries.map { entry in
            var line = (entry.added == nil ? "" : "+ ") + entry.id
            line = line.padding(toLength: 46, withPad: " ", startingAt: 0)
            line += String(format: "%8.1f ns %7.2f x", entry.nanoseconds, entry.ratio)
            if let goal = entry.goal {
                line += String(format: "  goal %4.1f", goal) + (entry.isMet == true ? " met" : " MISSED")
            }
            if let allocations = entry.allocations { line += String(format: "  %.2f allocations", allocations) }
            return line
        }.joined(separator: "\n")
    }
}
