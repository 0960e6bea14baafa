// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// A metric, a span or a log record as it was written: what a request of OTLP has in a scope.
package struct ScopedElement: Sendable {
    /// The `InstrumentationScope` message.
    let scope: [UInt8]
    /// The message of the element.
    package let bytes: [UInt8]
    /// The data points of a metric; 1 for others.
    let samples: Int

    private static let own = scope("axiom")

    /// - Parameter scope: An `InstrumentationScope` message; nil for that of Axiom.
    package init(scope: [UInt8]? = nil, bytes: [UInt8], samples: Int = 1) {
        (self.scope, self.bytes, self.samples) = (scope ?? Self.own, bytes, samples)
    }

    /// The `InstrumentationScope` message of a name.
    package static func scope(_ name: String) -> [UInt8] {
        var buffer = ExpositionBuffer(capacity: 0)
        buffer.putField(1, text: name)
        return buffer.bytes
    }
}

extension Resource {
    /// The elements in requests, in their order.
    ///
    /// - Parameter limit: The most bytes of the elements of a request. A single element may have more.
    package func requests(_ elements: [ScopedElement], bytes limit: Int) -> [PushBatch] {
        var batches: [PushBatch] = []
        var (start, size) = (0, 0)
        for (index, element) in elements.enumerated() {
            if index > start, size + element.bytes.count > limit {
                batches.append(request(elements[start..<index]))
                (start, size) = (index, 0)
            }
            size += element.bytes.count
        }
        return start < elements.count ? batches + [request(elements[start...])] : batches
    }

    /// One request with these elements. `ExportMetricsServiceRequest`, `ExportTraceServiceRequest` and
    /// `ExportLogsServiceRequest` have one shape: a resource with scopes, whose field 2 are the elements.
    package func request(_ elements: ArraySlice<ScopedElement>) -> PushBatch {
        var scopes: [(name: [UInt8], elements: [ScopedElement])] = []
        var positions: [[UInt8]: Int] = [:]
        for element in elements {
            let position = positions[element.scope, default: scopes.count]
            if position == scopes.count { scopes.append((element.scope, [])) }
            positions[element.scope] = position
            scopes[position].elements.append(element)
        }
        var buffer = ExpositionBuffer()
        buffer.putField(1) { buffer in
            buffer.putField(1, bytes: attributes)
            for scope in scopes {
                buffer.putField(2) { buffer in
                    buffer.putField(1, bytes: scope.name)
                    for element in scope.elements { buffer.putField(2, bytes: element.bytes) }
                }
            }
        }
        return PushBatch(samples: elements.reduce(0) { $0 + $1.samples }, bytes: buffer.bytes)
    }
}

extension PushBatch {
    private typealias Fields = [(number: UInt64, value: WireReader.Value)]

    /// The same elements as two requests of OTLP, or the data points of a single metric; nil for a request of one data point,
    /// span or log record, or for other bytes.
    var halves: (PushBatch, PushBatch)? {
        guard case (1, .bytes(let content))? = WireReader.fields(bytes[...])?.first,
            let fields = WireReader.fields(content), case (1, .bytes(let attributes))? = fields.first
        else { return nil }
        let resource = Resource(attributes: Array(attributes))
        var elements: [[UInt8]] = []
        var scopes: [[UInt8]] = []
        for case (2, .bytes(let scope)) in fields {
            guard let parts = WireReader.fields(scope), case (1, .bytes(let name))? = parts.first else { return nil }
            for case (2, .bytes(let element)) in parts {
                elements.append(Array(element))
                scopes.append(Array(name))
            }
        }
        if elements.count == 1, samples > 1, let halves = Self.halves(of: elements[0]) {
            (elements, scopes) = (halves, scopes + scopes)
        }
        guard elements.count > 1 else { return nil }
        // A request of spans or log records has one sample for each of them.
        let areSingle = samples == elements.count
        let parts = zip(scopes, elements).map {
            ScopedElement(scope: $0, bytes: $1, samples: areSingle ? 1 : Self.dataPoints(of: $1))
        }
        let middle = parts.count / 2
        let first = resource.request(parts[..<middle])
        let rest = samples - min(samples, first.samples)
        return (
            PushBatch(samples: samples - rest, bytes: first.bytes),
            PushBatch(samples: rest, bytes: resource.request(parts[middle...]).bytes)
        )
    }

    /// The number and the fields of the gauge, sum or histogram of a metric. Its fields 1 are the data points.
    private static func data(of metric: [UInt8]) -> (number: UInt64, fields: Fields)? {
        for case (let number, .bytes(let data)) in WireReader.fields(metric[...]) ?? [] {
            if [5, 7, 9, 10].contains(number), let fields = WireReader.fields(data) { return (number, fields) }
        }
        return nil
    }

    private static func dataPoints(of metric: [UInt8]) -> Int {
        data(of: metric)?.fields.count { $0.number == 1 } ?? 0
    }

    /// A metric as two, each with a half of its data points; nil if it has one.
    private static func halves(of metric: [UInt8]) -> [[UInt8]]? {
        let count = dataPoints(of: metric)
        guard count > 1, let data = data(of: metric) else { return nil }
        // The data points were written before the other fields.
        return [0..<count / 2, count / 2..<count].map { half in
            var buffer = ExpositionBuffer(capacity: 0)
            for (number, value) in WireReader.fields(metric[...]) ?? [] where number != data.number {
                buffer.putField(number, value)
            }
            buffer.putField(Int(data.number)) { buffer in
                for (number, value) in data.fields[half] + data.fields[count...] { buffer.putField(number, value) }
            }
            return buffer.bytes
        }
    }
}

extension ExpositionBuffer {
    /// Appends a field as it was read. All its fixed numbers have eight bytes.
    mutating func putField(_ number: UInt64, _ value: WireReader.Value) {
        switch value {
        case .varint(let value): putField(Int(number), varint: value)
        case .fixed(let bits): putField(Int(number), fixed64: bits)
        case .bytes(let bytes): putField(Int(number), bytes: Array(bytes))
        }
    }
}
