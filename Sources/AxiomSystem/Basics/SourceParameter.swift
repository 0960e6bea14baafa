// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Checks the parameters of sources.
enum SourceParameter {
    /// The periods that sources accept.
    static let periods: ClosedRange<Duration> = .milliseconds(100)...(.seconds(86_400))

    /// The bytes of the longest path, without the final zero byte.
    static let longestPath = 4_095

    /// - Throws: `CapabilityError` if `value` is outside `range`. NaN always is.
    static func check<V: Comparable>(_ name: String, _ value: V, in range: ClosedRange<V>) throws {
        guard range.contains(value) else {
            throw CapabilityError.invalidParameter(
                name,
                "\(value)",
                range: "\(range.lowerBound) to \(range.upperBound)"
            )
        }
    }

    /// - Throws: `CapabilityError` if `path` is not absolute, or the system cannot represent it.
    static func check(path name: String, _ path: String) throws {
        let bytes = path.utf8
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= longestPath, !bytes.contains(0) else {
            throw CapabilityError.invalidParameter(
                name,
                "“\(path.prefix(80).printable)”",
                range: "an absolute path of at most \(longestPath) bytes, without zero bytes"
            )
        }
    }
}
