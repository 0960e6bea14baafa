// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The members of a histogram, with the names of OpenTelemetry. Its bucket i has the upper bound 2^((i+1)·2^-scale)
/// (OTLP, `ExponentialHistogramDataPoint`): an index that is one lower than in Prometheus and in
/// `ExponentialHistogramData`.
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

    init() {}

    init(_ histogram: ExponentialHistogramData) {
        scale = histogram.schema
        zeroThreshold = histogram.zeroThreshold
        zeroCount = histogram.zeroCount
        positive = BucketFields(histogram.positive)
        negative = histogram.negative.isEmpty ? nil : BucketFields(histogram.negative)
        positiveInfinities = histogram.positiveInfinities == 0 ? nil : histogram.positiveInfinities
        negativeInfinities = histogram.negativeInfinities == 0 ? nil : histogram.negativeInfinities
        count = histogram.count
        sum = histogram.sum
    }
}

extension ExponentialHistogramData: JSONValue {
    var json: JSON { HistogramFields(self).json }

    /// - Throws: For members that no histogram has.
    init(_ json: JSON) throws(JSONFault) {
        let fields = try HistogramFields(json)
        let (positive, negative) = (fields.positive.buckets, fields.negative?.buckets ?? .none)
        let infinities = (fields.positiveInfinities ?? 0, fields.negativeInfinities ?? 0)
        let parts = [positive.total, negative.total, fields.zeroCount, infinities.0, infinities.1]
        guard ExponentialScale.schemas.contains(fields.scale), fields.zeroThreshold >= 0 else {
            throw JSONFault("has an invalid scale or zero threshold")
        }
        guard parts.allSatisfy({ $0 < 1 << 53 }), parts.reduce(0, +) == fields.count else {
            throw JSONFault("counts \(fields.count), which is not the sum of its buckets")
        }
        guard [positive, negative].allSatisfy({ $0.isEmpty || abs($0.offset) < 1 << 20 && $0.counts.count < 1 << 20 })
        else { throw JSONFault("has buckets beyond the range of numbers") }
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
}

/// The members of one sign's buckets.
struct BucketFields: Record {
    var offset = 0
    var counts: [UInt64] = []
    var unknown = UnknownMembers()

    static let fields: [Field<Self>] = [
        Field("offset", \.offset),
        Field("counts", \.counts),
    ]

    init() {}

    init(_ buckets: ExponentialBuckets) {
        offset = buckets.isEmpty ? 0 : buckets.offset - 1
        counts = buckets.counts
    }

    /// Offsets out of range are refused later; they are clamped here so that no addition overflows.
    var buckets: ExponentialBuckets {
        ExponentialBuckets(offset: max(-1 << 40, min(offset, 1 << 40)) + 1, counts: counts)
    }
}
