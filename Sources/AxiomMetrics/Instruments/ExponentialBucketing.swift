// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// How an exponential histogram chooses its buckets, and what it gives up when values are spread too far for them.
///
/// When an observation would need more than ``maximumBuckets`` for its sign, the histogram takes the first of these
/// steps that helps, as Prometheus' Go client does: it starts again from zero at the next collection, where the last
/// start is ``minimumResetInterval`` ago; it widens the zero bucket, up to ``maximumZeroThreshold``; it halves its
/// resolution.
public struct ExponentialBucketing: Hashable, Sendable {
    /// The finest resolution, -4...8: bounds grow by 2^(2^-schema), 0.27 % at 8, 9 % at 3, twofold at 0.
    public var schema: Int
    /// The most buckets for each sign, from the first to the last, 2...1,024; 160 unless told.
    public var maximumBuckets: Int
    /// The largest magnitude that counts as zero; 2^-128 unless told.
    public var zeroThreshold: Double
    /// How far the zero bucket may be widened to save buckets; not at all unless told.
    public var maximumZeroThreshold: Double
    /// The least time between two starts from zero; nil, the default, for no such starts.
    public var minimumResetInterval: Duration?

    /// Schema 8, 160 buckets, no widening, no resets.
    public static let standard = ExponentialBucketing()

    /// Takes a choice; it is checked when the histogram is registered.
    public init(
        schema: Int = 8,
        maximumBuckets: Int = 160,
        zeroThreshold: Double = ExponentialHistogramData.defaultZeroThreshold,
        maximumZeroThreshold: Double = 0,
        minimumResetInterval: Duration? = nil
    ) {
        self.schema = schema
        self.maximumBuckets = maximumBuckets
        self.zeroThreshold = zeroThreshold
        self.maximumZeroThreshold = maximumZeroThreshold
        self.minimumResetInterval = minimumResetInterval
    }

    /// What is wrong with the choice, and the remedy; nil when nothing is.
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
