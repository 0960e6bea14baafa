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
    /// Since when counters and histograms count.
    var temporality = PushTarget.Temporality.cumulative

    /// The requests for a snapshot, and one without metrics for an empty one.
    ///
    /// - Parameters:
    ///   - time: When the snapshot was taken, in nanoseconds since 1970.
    ///   - limit: The most bytes of the metrics of a request. A single series may have more.
    ///   - base: The last points, from which deltas count.
    func requests(
        _ snapshot: Snapshot,
        at time: UInt64,
        bytes limit: Int = .max,
        since base: DeltaBase = DeltaBase()
    ) -> [PushBatch] {
        // A receiver makes `target_info` from the resource.
        let families = snapshot.families.filter { $0.definition.name != Registry.targetInfoName }
        let metrics = families.flatMap { family in
            let isDelta = temporality.isDelta(family)
            let points = DataPoints(family: family, start: start, time: time, base: isDelta ? base : nil)
            return write(points, 0..<family.count, limit)
        }
        return metrics.isEmpty ? [resource.request([])] : resource.requests(metrics, bytes: limit)
    }

    /// Some series of a family as one metric, or as several, each with a part of them.
    private func write(_ points: DataPoints, _ range: Range<Int>, _ limit: Int) -> [ScopedElement] {
        var buffer = ExpositionBuffer()
        write(points, range, &buffer)
        guard buffer.count > limit, range.count > 1 else {
            return [ScopedElement(bytes: buffer.bytes, samples: range.count)]
        }
        let middle = (range.lowerBound + range.upperBound) / 2
        return write(points, range.lowerBound..<middle, limit) + write(points, middle..<range.upperBound, limit)
    }

    private func write(_ points: DataPoints, _ range: Range<Int>, _ buffer: inout ExpositionBuffer) {
        let family = points.family
        let definition = family.definition
        // AGGREGATION_TEMPORALITY_DELTA or AGGREGATION_TEMPORALITY_CUMULATIVE
        let temporality: UInt64 = points.base == nil ? 2 : 1
        buffer.putField(1, text: definition.name)
        buffer.putField(2, text: definition.help)
        if let unit = definition.unit { buffer.putField(3, text: Self.unit(unit)) }
        switch definition.kind {
        case .gauge: buffer.putField(5) { points.writeNumbers(range, hasStart: false, &$0) }
        case .histogram:
            let isExponential = definition.exponential != nil || family.first?.exponential != nil
            buffer.putField(isExponential ? 10 : 9) { buffer in
                points.writeHistograms(range, isExponential: isExponential, &buffer)
                buffer.putField(2, varint: temporality)
            }
        default:
            buffer.putField(7) { buffer in
                points.writeNumbers(range, hasStart: true, &buffer)
                buffer.putField(2, varint: temporality)
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
