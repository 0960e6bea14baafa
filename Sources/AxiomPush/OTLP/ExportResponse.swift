// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// The response of an OTLP receiver that accepted a request: it may have refused a part of it.
///
/// `ExportMetricsServiceResponse` and `ExportTraceServiceResponse` have the same shape: field 1 is the partial success, with
/// the number of the refused data points or spans as field 1, and a text as field 2.
struct ExportResponse: Hashable, Sendable {
    private(set) var refused: Int64 = 0
    private(set) var message = ""

    /// Reads a response. Nil if it is no such message.
    init?(_ bytes: [UInt8]) {
        guard let fields = WireReader.fields(bytes[...]) else { return nil }
        for case (1, .bytes(let partial)) in fields {
            guard let fields = WireReader.fields(partial) else { return nil }
            for field in fields {
                switch field {
                case (1, .varint(let count)): refused = max(0, Int64(bitPattern: count))
                case (2, .bytes(let text)): message = TransferResponse.excerpt(of: Array(text))
                default: break
                }
            }
        }
    }
}
