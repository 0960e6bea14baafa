// SPDX-License-Identifier: Apache-2.0

import BenchmarkSupport
import Foundation

/// What a call of a client takes and how often it allocates, and whether instrumentation stays within its goal.
struct ClientReport: Encodable {
    struct Result: Encodable {
        let id: String
        let nanoseconds: [Double]
        /// For each action; nil for what is not a call of a client.
        let allocations: Double?
    }

    let results: [Result]
    private let times: [String: Double]
    private let resolvedID: String

    private enum CodingKeys: String, CodingKey {
        case results
    }

    init(times report: BenchmarkReport, allocations: [String: Double], resolvedID: String) {
        results = report.results.map {
            Result(id: $0.id, nanoseconds: $0.nanoseconds, allocations: allocations[$0.id])
        }
        times = Dictionary(uniqueKeysWithValues: report.results.map { ($0.id, $0.median) })
        self.resolvedID = resolvedID
    }

    var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// A line for each benchmark, and what instrumentation adds to a wrapper that does nothing, with its goal: two
    /// readings of the clock and 25 atomic additions.
    var table: String {
        let clock = time("floor/clock.read")
        let rows = results.map { result in
            let id = result.id.padding(toLength: 44, withPad: " ", startingAt: 0)
            let allocations = result.allocations.map { String(format: "  %.2f allocations", $0) } ?? ""
            return String(format: "%@  %7.1f ns  %6.2f x", id, time(result.id), time(result.id) / clock) + allocations
        }
        let added = time(resolvedID) - time("instrumentation/client.emptywrapper")
        let goal = 2 * clock + 25 * time("floor/atomic.add")
        let verdict = added <= goal ? "met" : "MISSED"
        let last = String(format: "%@ - client.emptywrapper = %.1f ns  goal %.1f %@", resolvedID, added, goal, verdict)
        return (rows + [last]).joined(separator: "\n")
    }

    private func time(_ id: String) -> Double { times[id] ?? .nan }
}
