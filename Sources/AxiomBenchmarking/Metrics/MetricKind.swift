// SPDX-License-Identifier: Apache-2.0

/// How far the numbers of a metric can be trusted, which decides how two of them are compared. More kinds may be added.
public struct MetricKind: Hashable, Sendable, CustomStringConvertible {
    /// The name, as in baseline files.
    public let description: String

    private init(_ description: String) {
        self.description = description
    }

    /// The same in every run, such as allocations: one more is worse.
    public static let exact = MetricKind("exact")
    /// The same up to 0.1 %, such as instructions: 0.2 % more is worse.
    public static let nearExact = MetricKind("near_exact")
    /// Times: compared in pairs of processes, by the signed-rank test.
    public static let noisy = MetricKind("noisy")
    /// Sizes of the process: compared as times are, with a larger least effect.
    public static let sampled = MetricKind("sampled")
    /// Explains, and is never judged.
    public static let information = MetricKind("info")

    /// The kind of a name from a file; nil when there is none of that name.
    init?(named name: String) {
        let known: [MetricKind] = [.exact, .nearExact, .noisy, .sampled, .information]
        guard let kind = known.first(where: { $0.description == name }) else { return nil }
        self = kind
    }
}
