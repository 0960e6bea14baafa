// SPDX-License-Identifier: Apache-2.0

@testable import AxiomMetrics

/// A sample as a reader found it or must find it, comparable by its bytes: Swift takes differently encoded characters
/// for equal.
struct ReadSample: Hashable, CustomStringConvertible {
    private let bytes: [UInt8]

    /// - Parameter labels: In any order; those with an empty value do not count.
    init(_ name: String, _ labels: [(name: String, value: String)], _ value: Double, exemplar: String = "") {
        let pairs = labels.filter { !$0.value.isEmpty }.map { Array("\($0.name)\u{1}\($0.value)\u{2}".utf8) }
        let sorted = pairs.sorted { $0.lexicographicallyPrecedes($1) }
        bytes = Array("\(name)\u{3}".utf8) + sorted.joined() + Array(" \(Self.text(value)) \(exemplar)".utf8)
    }

    /// An exemplar as part of a sample.
    static func exemplar(_ labels: [(name: String, value: String)], _ value: Double, _ timestamp: Double) -> String {
        ReadSample("exemplar", labels, value).description + Self.text(timestamp)
    }

    /// All NaN are one, and −0 is 0: the readers take it for an integer.
    private static func text(_ value: Double) -> String {
        value.isNaN ? "NaN" : String(value == 0 ? 0 : value.bitPattern, radix: 16)
    }

    var description: String { String(decoding: bytes, as: UTF8.self) }
}
