// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// Which version a target of 2.0 sends: after the receiver refused 2.0, it sends 1.0 for an hour.
///
/// The specification sets no time. After an hour a receiver that was updated gets 2.0; another one costs one more request.
struct VersionFallback: Sendable {
    /// How long 1.0 is sent after a refusal.
    static let duration = Duration.seconds(3_600)

    /// When 2.0 is tried again; nil if it was not refused since it was last taken.
    private var end: Instant?
    /// Why 2.0 was refused, until it is reported.
    private var reason: String?

    /// Whether 1.0 is sent now.
    func isActive(at now: Instant) -> Bool {
        end.map { now < $0 } ?? false
    }

    mutating func refused(at now: Instant, _ reason: String) {
        if end == nil { self.reason = reason }
        end = now.advanced(by: Self.duration)
    }

    mutating func accepted() {
        (end, reason) = (nil, nil)
    }

    /// What to report about the fallback: once for each receiver that does not take 2.0; empty otherwise.
    mutating func notice() -> String {
        defer { reason = nil }
        return reason.map { "\($0), so it gets remote write 1.0; 2.0 is tried again every hour" } ?? ""
    }
}

/// What a receiver of 2.0 wrote, by the fields of its answer.
struct WrittenSamples {
    /// The fields, in lower case.
    static let fields = ["samples", "histograms", "exemplars"].map { "x-prometheus-remote-write-\($0)-written" }

    /// Whether the answer has one of the fields. A receiver of 1.0 that does not check the content type has none: it reads a
    /// request of 2.0 as an empty one, and accepts it.
    let isKnown: Bool
    /// The samples and histograms that were written.
    let count: Int

    /// - Parameter limit: The samples of the request.
    init(_ response: TransferResponse, of limit: Int) {
        isKnown = Self.fields.contains { response.fields[$0] != nil }
        let counts = Self.fields.prefix(2).compactMap { Int(response.fields[$0] ?? "") }
        count = counts.reduce(0) { min(limit, $0 + min(limit, max(0, $1))) }
    }
}

/// Turns requests of 2.0 into requests of 1.0, for receivers that take no 2.0.
enum RequestConversion {
    /// The same samples in 1.0, without metadata and start times.
    ///
    /// - Parameter request: A request as ``WriteRequestEncoder`` compressed it.
    /// - Returns: Nil for other bytes.
    static func version1(_ request: [UInt8]) -> [UInt8]? {
        guard let bytes = SnappyBlock.uncompress(request),
            let fields = WireReader.fields(bytes[...])
        else { return nil }
        var symbols: [[UInt8]] = []
        var buffer = ExpositionBuffer()
        for field in fields {
            switch field {
            case (4, .bytes(let text)): symbols.append(Array(text))
            case (5, .bytes(let series)): buffer.putField(1) { write(series, symbols, &$0) }
            default: return nil
            }
        }
        return SnappyBlock.compress(buffer.bytes)
    }

    /// Writes the fields of a `TimeSeries`. Its histograms and exemplars have each other's number in 1.0.
    private static func write(_ series: ArraySlice<UInt8>, _ symbols: [[UInt8]], _ buffer: inout ExpositionBuffer) {
        for case (let number, .bytes(let content)) in WireReader.fields(series) ?? [] {
            switch number {
            case 1: writeLabels(content, symbols, &buffer)
            case 2: buffer.putField(2) { copy(content, without: 3, &$0) }
            case 3: buffer.putField(4) { copy(content, without: 17, &$0) }
            case 4:
                buffer.putField(3) { buffer in
                    if case (1, .bytes(let references))? = WireReader.fields(content)?.first {
                        writeLabels(references, symbols, &buffer)
                    }
                    copy(content, without: 1, &buffer)
                }
            default: break
            }
        }
    }

    private static func writeLabels(
        _ references: ArraySlice<UInt8>,
        _ symbols: [[UInt8]],
        _ buffer: inout ExpositionBuffer
    ) {
        var reader = WireReader(references)
        while let name = reader.varint(), let value = reader.varint() {
            guard name < symbols.count, value < symbols.count else { return }
            buffer.putLabel(symbols[Int(name)], symbols[Int(value)])
        }
    }

    private static func copy(
        _ message: ArraySlice<UInt8>,
        without omitted: UInt64,
        _ buffer: inout ExpositionBuffer
    ) {
        for (number, value) in WireReader.fields(message) ?? [] where number != omitted {
            buffer.putField(number, value)
        }
    }
}
