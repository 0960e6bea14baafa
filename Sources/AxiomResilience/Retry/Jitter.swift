// SPDX-License-Identifier: Apache-2.0

/// How the delays of a ``Backoff`` are spread, so that callers who failed together do not come back together.
///
/// The formulas are those of the AWS Architecture Blog, "Exponential Backoff and Jitter" (2015). More may be added.
public struct Jitter: Hashable, Sendable, CustomStringConvertible {
    enum Kind: Hashable {
        case none
        case full
        case equal
        case decorrelated
    }

    let kind: Kind

    /// The delay itself, d.
    public static let none = Jitter(kind: .none)
    /// Uniform in 0...d: the least work for a server that recovers. The default.
    public static let full = Jitter(kind: .full)
    /// d/2 plus uniform in 0...d/2: never shorter than half.
    public static let equal = Jitter(kind: .equal)
    /// Uniform in base...(3 × the delay before), held at the cap; the first delay is uniform in base...(3 × base).
    public static let decorrelated = Jitter(kind: .decorrelated)

    /// The name, in camel case.
    public var description: String { "\(kind)" }
}
