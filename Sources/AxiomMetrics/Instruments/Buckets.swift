// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The inclusive upper bounds of a histogram's buckets, in the unit of the observations.
///
/// Every histogram has a bucket `+Inf`, which is not listed. Registration checks that there are 1 to 1,000 bounds,
/// finite and strictly increasing.
public struct Buckets: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The bounds as given.
    package let upperBounds: [Double]

    /// The most bounds that a histogram may have. Each is one sample per series on every page.
    package static let maximumCount = 1_000

    /// 5 ms to 10 s in eleven steps: the default of the Prometheus client libraries, in seconds.
    public static let standard: Buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// Takes the bounds without checking them.
    public init(_ upperBounds: [Double]) { self.upperBounds = upperBounds }

    /// Takes the bounds without checking them.
    public init(arrayLiteral upperBounds: Double...) { self.upperBounds = upperBounds }

    /// `count` bounds, each `width` above the previous one.
    public static func linear(start: Double, width: Double, count: Int) -> Buckets {
        Buckets(steps(count).map { start + width * Double($0) })
    }

    /// `count` bounds, each `factor` times the previous one; `start` must be positive and `factor` above 1.
    public static func exponential(start: Double, factor: Double, count: Int) -> Buckets {
        var bound = start
        return Buckets(
            steps(count).map { _ in
                defer { bound *= factor }
                return bound
            }
        )
    }

    /// Limited to one more than allowed, which is enough for registration to refuse the list.
    private static func steps(_ count: Int) -> Range<Int> {
        0..<min(max(count, 0), maximumCount + 1)
    }

    /// What is wrong with the bounds and how to fix it; nil if they are valid.
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

/// How an exponential histogram chooses its buckets, and how it limits their number.
///
/// If an observation would need more than the maximum number of buckets for its sign, the histogram takes the first step
/// that helps, as Prometheus' Go client does. It resets at the next collection, if the last reset was at least the minimum
/// interval ago; it widens the zero bucket, up to the maximum zero threshold; it halves its resolution.
public struct ExponentialBucketing: Hashable, Sendable {
    // The parameters of the initializer, which describes them.
    package let schema: Int
    package let maximumBuckets: Int
    package let zeroThreshold: Double
    package let maximumZeroThreshold: Double
    package let minimumResetInterval: Duration?

    /// Creates a bucketing. It is checked when the histogram is registered.
    ///
    /// - Parameters:
    ///   - schema: The finest resolution, -4...8: bounds grow by 2^(2^-schema), 0.27 % at 8, 9 % at 3, twofold at 0.
    ///   - maximumBuckets: The most buckets for each sign, from the first to the last, 2...1,024.
    ///   - zeroThreshold: The largest magnitude that counts as zero; by default 2^-128.
    ///   - maximumZeroThreshold: How far the zero bucket may be widened to save buckets; by default not at all.
    ///   - minimumResetInterval: The least time between two resets; nil for no resets.
    public init(
        schema: Int = 8,
        maximumBuckets: Int = 160,
        zeroThreshold: Double = 0x1p-128,
        maximumZeroThreshold: Double = 0,
        minimumResetInterval: Duration? = nil
    ) {
        self.schema = schema
        self.maximumBuckets = maximumBuckets
        self.zeroThreshold = zeroThreshold
        self.maximumZeroThreshold = maximumZeroThreshold
        self.minimumResetInterval = minimumResetInterval
    }

    /// What is wrong with the bucketing and how to fix it; nil if it is valid.
    var fault: String? {
        let schemas = ExponentialScale.schemas
        if !schemas.contains(schema) {
            return "has the schema \(schema): give one of \(schemas.lowerBound) to \(schemas.upperBound)"
        }
        if !(2...1_024).contains(maximumBuckets) {
            return "has \(maximumBuckets) exponential buckets at most: allow 2 to 1,024"
        }
        if !(zeroThreshold >= 0 && zeroThreshold.isFinite) {
            return "has the zero threshold \(zeroThreshold): give a finite number that is not negative"
        }
        if !(maximumZeroThreshold >= 0 && maximumZeroThreshold.isFinite) {
            return "has the maximum zero threshold \(maximumZeroThreshold): give a finite number that is not negative"
        }
        if let minimumResetInterval, minimumResetInterval <= .zero {
            return "has the minimum reset interval \(minimumResetInterval): give a positive duration"
        }
        return nil
    }
}
