// SPDX-License-Identifier: Apache-2.0

/// Writes pages in the Prometheus text format, which every Prometheus reads: version 0.0.4, or 1.0.0 where names are
/// quoted.
///
/// Families stand in the order of their names and series in the order of their labels, each family in one group with
/// its help and type before it; the page ends with a line feed. Encoding copies bytes that were rendered when the
/// series were made, and writes numbers; it allocates only while the buffer grows. The format has no exemplars, units or
/// exponential buckets.
public struct TextEncoder: Sendable {
    /// What the `Content-Type` header of a page must say when names are escaped.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let lines: LineEncoder

    /// Makes an encoder.
    ///
    /// - Parameter escaping: How names are shown that are not classic ones. `allowUTF8` makes a page of version 1.0.0.
    public init(escaping: NameEscaping = .underscores) {
        lines = LineEncoder(style: .text, escaping: escaping, hasCreated: false)
    }

    /// Appends a page to `buffer`.
    public func encode(_ snapshot: Snapshot, into buffer: inout ExpositionBuffer) {
        lines.encode(snapshot.families, into: &buffer)
    }

    /// The page as text, for tests and small tools.
    public func encode(_ snapshot: Snapshot) -> String {
        var buffer = ExpositionBuffer()
        encode(snapshot, into: &buffer)
        return buffer.text
    }
}
