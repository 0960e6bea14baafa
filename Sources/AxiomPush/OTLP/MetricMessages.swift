// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// Writes a snapshot as an `ExportMetricsServiceRequest`.
///
/// The messages are those of
/// https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/metrics/v1/metrics.proto, and the
/// metrics are mapped as "Prometheus and OpenMetrics Compatibility" of OpenTelemetry maps them: names stay as they are,
/// counters are monotonic sums, info metrics and state sets are sums that are not monotonic.
struct MetricMessages {
    let resource: Resource
    /// The start of series whose creation time is not known, in nanoseconds since 1970.
    let start: UInt64

    /// The request.
    ///
    /// - Parameter time: When the snapshot was taken, in nanoseconds since 1970.
    func request(_ snapshot: Snapshot, at time: UInt64) -> [UInt8] {
        var buffer = ExpositionBuffer()
        buffer.putField(1) { buffer in
            resource.write(&buffer) { buffer in
                for family in snapshot.families {
                    buffer.putField(2) { write(family, time, &$0) }
                }
            }
        }
        return buffer.bytes
    }

    /// The aggregation temporality of all sums and histograms: values since the start time.
    private static let cumulative: UInt64 = 2

    private func write(_ family: FamilySnapshot, _ time: UInt64, _ buffer: inout ExpositionBuffer) {
        let definition = family.definition
        buffer.putField(1, text: definition.name)
        buffer.putField(2, text: definition.help)
        if let unit = definition.unit { buffer.putField(3, text: Self.unit(unit)) }
        let points = DataPoints(family: family, start: start, time: time)
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
