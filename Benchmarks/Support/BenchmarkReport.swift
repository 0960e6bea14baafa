// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// What a run measured.
public struct BenchmarkReport: Codable, Sendable {
    /// One benchmark's measurements.
    public struct Result: Codable, Sendable {
        /// The stable name, such as `floor/clock.read`.
        public let id: String
        /// Nanoseconds for each operation in each round, ascending.
        public let nanoseconds: [Double]

        /// The median of the rounds.
        public var median: Double {
            nanoseconds.isEmpty ? .nan : nanoseconds[nanoseconds.count / 2]
        }
    }

    /// In the order in which the benchmarks were added.
    public let results: [Result]

    /// The report as JSON, with sorted keys.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// A table of medians and of their ratios to the benchmark named `floor`.
    public func table(floor: String) -> String {
        let base = results.first { $0.id == floor }?.median ?? .nan
        let width = results.map(\.id.count).max() ?? 0
        let rows = results.map { result in
            let id = result.id.padding(toLength: width, withPad: " ", startingAt: 0)
            return String(format: "%@  %9.1f ns  %7.2f x %@", id, result.median, result.median / base, floor)
        }
        return rows.joined(separator: "\n")
    }
}
