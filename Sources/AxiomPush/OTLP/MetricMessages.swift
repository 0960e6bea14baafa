// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// Writes a snapshot as an `ExportMetricsServiceRequest`.
///
/// The messages are those of
/// https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto, and the
/// metrics are mapped as "Prometheus and OpenMetrics Compatibility" of OpenTelemetry maps them: names stay as they are,
/// counters are monotonic sums, info metrics are sums that are not monotonic.
struct MetricMessages {
    let resource: Resource
    /// The start of series whose creation time is not known, in nanoseconds since 1970.
    let start: UInt64

    /// A metric, or a part of its series, as it was written.
    private struct Metric {
        let series: Int
        let bytes: [UInt8]
    }

    /// The requests for a snapshot, and one without metrics for an empty one.
    ///
    /// - Parameters:
    ///   - time: When the snapshot was taken, in nanoseconds since 1970.
    ///   - limit: The most bytes of the metrics of a request. A single series may have more.
    func requests(_ snapshot: Snapshot, at time: UInt64, bytes limit: Int = .max) -> [PushBatch] {
        var batches: [PushBatch] = []
        var (open, size): ([Metric], Int) = ([], 0)
        for metric in snapshot.families.flatMap({ metrics($0, 0..<$0.count, time, limit) }) {
            if !open.isEmpty, size + metric.bytes.count > limit {
                batches.append(request(open))
                (open, size) = ([], 0)
            }
            open.append(metric)
            size += metric.bytes.count
        }
        return open.isEmpty && !batches.isEmpty ? batches : batches + [request(open)]
    }

    private func request(_ metrics: [Metric]) -> PushBatch {
        var buffer = ExpositionBuffer()
        buffer.putField(1) { buffer in
            resource.write(&buffer) { buffer in
                for metric in metrics { buffer.putField(2, bytes: metric.bytes) }
            }
        }
        return PushBatch(samples: metrics.reduce(0) { $0 + $1.series }, bytes: buffer.bytes)
    }

    /// Some series of a family as one metric, or as several, each with a part of them.
    private func metrics(_ family: FamilySnapshot, _ range: Range<Int>, _ time: UInt64, _ limit: Int) -> [Metric] {
        var buffer = ExpositionBuffer()
        write(family, range, time, &buffer)
        guard buffer.count > limit, range.count > 1 else { return [Metric(series: range.count, bytes: buffer.bytes)] }
        let middle = (range.lowerBound + range.upperBound) / 2
        return metrics(family, range.lowerBound..<middle, time, limit)
            + metrics(family, middle..<range.upperBound, time, limit)
    }

    /// The aggregation temporality of all sums and histograms: values since the start time.
    private static let cumulative: UInt64 = 2

    private func write(
        _ family: FamilySnapshot,
        _ range: Range<Int>,
        _ time: UInt64,
        _ buffer: inout ExpositionBuffer
    ) {
        let definition = family.definition
        buffer.putField(1, text: definition.name)
        buffer.putField(2, text: definition.help)
        if let unit = definition.unit { buffer.putField(3, text: Self.unit(unit)) }
        let points = DataPoints(family: family, range: range, start: start, time: time)
        switch definition.kind {
        case .gauge: buffer.putField(5) { points.writeNumbers(hasStart: false, &$0) }
        case .histogram:
            let isExponential = definition.exponential != nil || family.first?.exponential != nil
            buffer.putField(isExponential ? 10 : 9) { buffer in
                points.writeHistograms(isExponential: isExponential, &buffer)
                buffer.putField(2, varint: Self.cumulative)
            }
        default:
            buffer.putField(7) { buffer in
                points.writeNumbers(hasStart: true, &buffer)
                buffer.putField(2, varint: Self.cumulative)
                buffer.putField(3, varint: definition.kind == .counter ? 1 : 0)
            }
        }
    }

    /// The unit in the code of UCUM, which OpenTelemetry uses.
    private static func unit(_ unit: String) -> String {
        switch unit {
        case "seconds": "s"
        case "milliseconds": "ms"
        case "bytes": "By"
        case "ratio": "1"
        case "celsius": "Cel"
        case "meters": "m"
        case "volts": "V"
        case "amperes": "A"
        case "joules": "J"
        case "grams": "g"
        default: unit
        }
    }
}
