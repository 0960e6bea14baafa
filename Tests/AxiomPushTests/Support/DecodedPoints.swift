// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics

@testable import AxiomPush

/// A data point of a request of OTLP.
struct DecodedPoint {
    /// The name of its metric, and the bytes of its attributes.
    let series: String
    let isDelta: Bool
    let start: UInt64
    let time: UInt64
    /// The value of a sum or gauge; count, sum and the counts of the buckets of a histogram; count and sum of an exponential one.
    let values: [Double]

    /// All data points of a request.
    static func all(in batch: PushBatch) -> [DecodedPoint] {
        messages(2, in: messages(2, in: messages(1, in: batch.bytes[...]))).flatMap(points)
    }

    private static func messages(_ number: UInt64, in bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        (WireReader.fields(bytes) ?? []).compactMap { field in
            if field.number == number, case .bytes(let content) = field.value { content } else { nil }
        }
    }

    private static func messages(_ number: UInt64, in all: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
        all.flatMap { messages(number, in: $0) }
    }

    private static func points(_ metric: ArraySlice<UInt8>) -> [DecodedPoint] {
        let name = messages(1, in: metric).first.map { String(decoding: $0, as: UTF8.self) } ?? ""
        for kind in [5, 7, 9, 10] as [UInt64] {
            guard let data = messages(kind, in: metric).first else { continue }
            let isDelta = (WireReader.fields(data) ?? []).contains { $0.number == 2 && $0.value == .varint(1) }
            return messages(1, in: data).map { DecodedPoint($0, name, kind, isDelta) }
        }
        return []
    }

    private init(_ bytes: ArraySlice<UInt8>, _ name: String, _ kind: UInt64, _ isDelta: Bool) {
        let fields = WireReader.fields(bytes) ?? []
        func fixed(_ number: UInt64) -> UInt64? {
            for case (number, .fixed(let value)) in fields { return value }
            return nil
        }
        let attributes = Self.messages(kind == 10 ? 1 : kind == 9 ? 9 : 7, in: bytes)
        series = name + attributes.map { String(decoding: $0, as: UTF8.self) }.joined()
        self.isDelta = isDelta
        start = fixed(2) ?? 0
        time = fixed(3) ?? 0
        if kind < 9 {
            values = [fixed(6).map { Double(Int64(bitPattern: $0)) } ?? Double(bitPattern: fixed(4) ?? 0)]
        } else {
            let packed = kind == 9 ? Self.messages(6, in: bytes).first ?? [] : []
            let counts = stride(from: packed.startIndex, to: packed.endIndex, by: 8).map { index in
                Double(packed[index..<index + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
            }
            values = [Double(fixed(4) ?? 0), Double(bitPattern: fixed(5) ?? 0)] + counts
        }
    }
}
