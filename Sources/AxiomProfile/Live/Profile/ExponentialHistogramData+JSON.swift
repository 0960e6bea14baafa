// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Histograms are written with OpenTelemetry's fields. Its buckets are one lower than Prometheus' and ours: its bucket
/// i has the upper bound 2^((i+1)·2^-scale) (OTLP, `ExponentialHistogramDataPoint`).
extension ExponentialHistogramData: JSONConvertible {
    init(json: JSON, at path: String) throws(ProfileError) {
        let fields = try HistogramFields(json: json, at: path)
        let (positive, negative) = (fields.positive.buckets, fields.negative?.buckets ?? .none)
        let infinities = (fields.positiveInfinities ?? 0, fields.negativeInfinities ?? 0)
        let parts = [positive.total, negative.total, fields.zeroCount, infinities.0, infinities.1]
        guard ExponentialScale.schemas.contains(fields.scale), fields.zeroThreshold >= 0 else {
            throw ProfileError(.damagedFile, "\(path) has a scale or zero threshold that no histogram has")
        }
        guard parts.allSatisfy({ $0 < 1 << 53 }), parts.reduce(0, +) == fields.count else {
            throw ProfileError(.damagedFile, "\(path) counts \(fields.count), which its buckets do not add up to")
        }
        guard [positive, negative].allSatisfy({ $0.isEmpty || abs($0.offset) < 1 << 20 && $0.counts.count < 1 << 20 })
        else { throw ProfileError(.damagedFile, "\(path) has buckets beyond the range of numbers") }
        self.init(
            schema: fields.scale,
            zeroThreshold: fields.zeroThreshold,
            zeroCount: fields.zeroCount,
            positive: positive,
            negative: negative,
            positiveInfinities: infinities.0,
            negativeInfinities: infinities.1,
            count: fields.count,
            sum: fields.sum
        )
    }

    func json(at path: String) throws(ProfileError) -> JSON? {
        var fields = HistogramFields()
        fields.scale = schema
        fields.zeroThreshold = zeroThreshold
        fields.zeroCount = zeroCount
        fields.positive = BucketFields(positive)
        fields.negative = negative.isEmpty ? nil : BucketFields(negative)
        fields.positiveInfinities = positiveInfinities == 0 ? nil : positiveInfinities
        fields.negativeInfinities = negativeInfinities == 0 ? nil : negativeInfinities
        fields.count = count
        fields.sum = sum
        return try fields.json(at: path)
    }
}

/// The members of a histogram.
struct HistogramFields: Record {
    var scale = 0
    var zeroThreshold = 0.0
    var zeroCount: UInt64 = 0
    var positive = BucketFields()
    var negative: BucketFields?
    var positiveInfinities: UInt64?
    var negativeInfinities: UInt64?
    var count: UInt64 = 0
    var sum = 0.0
    var unknown = UnknownMembers()

    static let fields: [Field<Self>] = [
        Field("scale", \.scale),
        Field("count", \.count),
        Field("sum", \.sum),
        Field("zero_threshold", \.zeroThreshold),
        Field("zero_count", \.zeroCount),
        Field("positive", \.positive),
        Field("negative", \.negative),
        Field("positive_infinities", \.positiveInfinities),
        Field("negative_infinities", \.negativeInfinities),
    ]
}

/// The members of one sign's buckets.
struct BucketFields: Record {
    var offset = 0
    var counts: [UInt64] = []
    var unknown = UnknownMembers()

    init() {}

    init(_ buckets: ExponentialBuckets) {
        offset = buckets.isEmpty ? 0 : buckets.offset - 1
        counts = buckets.counts
    }

    /// Offsets beyond any number's bucket are refused later; they are held here so that no sum overflows.
    var buckets: ExponentialBuckets {
        ExponentialBuckets(offset: max(-1 << 40, min(offset, 1 << 40)) + 1, counts: counts)
    }

    static let fields: [Field<Self>] = [
        Field("offset", \.offset),
        Field("counts", \.counts),
    ]
}
