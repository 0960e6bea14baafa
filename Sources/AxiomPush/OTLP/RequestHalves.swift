// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

extension PushBatch {
    /// The same metrics or spans as two requests of OTLP; nil for a request of one of them, or for other bytes.
    ///
    /// Requests of metrics and of traces have one shape: a resource with one scope, whose field 2 are its metrics or spans.
    var halves: (PushBatch, PushBatch)? {
        guard case (1, .bytes(let content))? = WireReader.fields(bytes[...])?.first,
            let fields = WireReader.fields(content),
            case (1, .bytes(let resource))? = fields.first, case (2, .bytes(let scope))? = fields.last,
            let parts = WireReader.fields(scope), case (1, .bytes(let name))? = parts.first
        else { return nil }
        let elements = parts.dropFirst().compactMap { part -> [UInt8]? in
            if case (2, .bytes(let element)) = part { Array(element) } else { nil }
        }
        guard elements.count > 1 else { return nil }
        func request(_ elements: ArraySlice<[UInt8]>, _ samples: Int) -> PushBatch {
            var buffer = ExpositionBuffer()
            buffer.putField(1) { buffer in
                buffer.putField(1, bytes: Array(resource))
                buffer.putField(2) { buffer in
                    buffer.putField(1, bytes: Array(name))
                    for element in elements { buffer.putField(2, bytes: element) }
                }
            }
            return PushBatch(samples: samples, bytes: buffer.bytes)
        }
        let middle = elements.count / 2
        let first = min(samples, samples(of: elements[..<middle], among: elements.count))
        return (request(elements[..<middle], first), request(elements[middle...], samples - first))
    }

    /// The samples of some of its metrics or spans. A request of spans has one for each of them.
    private func samples(of elements: ArraySlice<[UInt8]>, among count: Int) -> Int {
        guard samples != count else { return elements.count }
        return elements.reduce(0) { $0 + Self.dataPoints(of: $1) }
    }

    /// The data points of a metric: the fields 1 of its gauge, sum or histogram.
    private static func dataPoints(of metric: [UInt8]) -> Int {
        (WireReader.fields(metric[...]) ?? []).reduce(0) { count, field in
            guard [5, 7, 9, 10].contains(field.number), case .bytes(let data) = field.value else { return count }
            return count + (WireReader.fields(data) ?? []).count { $0.number == 1 }
        }
    }
}
