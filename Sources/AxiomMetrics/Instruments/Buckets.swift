// SPDX-License-Identifier: Apache-2.0

/// The upper bounds of a histogram's buckets, each inclusive, in the unit of what is observed.
///
/// The bucket without a bound (`+Inf`) is always there and is not listed. Bounds are checked when the histogram is
/// registered: 1 to ``maximumCount`` of them, finite, strictly increasing.
public struct Buckets: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The bounds as given.
    public let upperBounds: [Double]

    /// The most bounds that a histogram may have. Each is a series on every page.
    public static let maximumCount = 1_000

    /// 5 ms to 10 s in eleven steps: the default of the Prometheus client libraries, in seconds.
    public static let standard: Buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// Takes bounds as they are.
    public init(_ upperBounds: [Double]) {
        self.upperBounds = upperBounds
    }

    /// Takes bounds as they are.
    public init(arrayLiteral upperBounds: Double...) {
        self.upperBounds = upperBounds
    }

    /// `count` bounds of which each is `width` above the one before it.
    public static func linear(start: Double, width: Double, count: Int) -> Buckets {
        Buckets(steps(count).map { start + width * Double($0) })
    }

    /// `count` bounds of which each is `factor` times the one before it; `start` positive, `factor` above 1.
    public static func exponential(start: Double, factor: Double, count: Int) -> Buckets {
        var bound = start
        return Buckets(
            steps(count).map { _ in
                defer { bound *= factor }
                return bound
            }
        )
    }

    /// One more step than is allowed is enough for registration to refuse the list.
    private static func steps(_ count: Int) -> Range<Int> {
        0..<min(max(count, 0), maximumCount + 1)
    }

    /// What is wrong with the bounds, and the remedy; nil when nothing is.
    var fault: String? {
        if upperBounds.isEmpty { return "has no bucket bounds: give at least one" }
        if upperBounds.count > Self.maximumCount {
            return "has more than \(Self.maximumCount) bucket bounds: give fewer"
        }
        if upperBounds.last == .infinity { return "lists the bound +Inf: leave it out, it is always there" }
        if let bound = upperBounds.first(where: { !$0.isFinite }) {
            return "has the bucket bound \(bound): give finite bounds"
        }
        for (lower, upper) in zip(upperBounds, upperBounds.dropFirst()) where lower >= upper {
            return "has the bucket bound \(upper) after \(lower): give them in strictly increasing order"
        }
        return nil
    }
}
