// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics
internal import CSnappy

/// Sends requests of remote write: 1.0 (https://prometheus.io/docs/specs/prw/remote_write_spec/), or
/// 2.0 (https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/) and 1.0 to a receiver that does not take 2.0.
///
/// The batches of 2.0 are always encoded as 2.0. They are converted when they are sent, so that those that wait in the queue
/// reach a receiver of 1.0.
final class RemoteWriteDestination: PushDestination {
    let name: String
    let capacity: QueueCapacity
    private let endpoint: PushEndpoint
    private let url: EndpointURL
    private let clock: TimeSource
    private let version: PushTarget.RemoteWriteVersion
    private let sendsNative: Bool
    /// Guarded by its lock. Only the task that takes snapshots encodes.
    private let encoder: Lock<WriteRequestEncoder>
    /// Guarded by its lock. Only the task that sends changes it.
    private let fallback = Lock(VersionFallback())

    init(
        _ name: String,
        _ endpoint: PushEndpoint,
        _ url: EndpointURL,
        _ clock: TimeSource,
        bytes: Int,
        _ encoder: WriteRequestEncoder
    ) {
        (self.name, self.endpoint, self.url, self.clock, capacity) = (name, endpoint, url, clock, .bytes(bytes))
        (version, sendsNative) = (encoder.version, encoder.form != .classic)
        self.encoder = Lock(encoder)
    }

    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        encoder.withLock { $0.encode(snapshot.families, milliseconds: Self.milliseconds(time)) }
    }

    func lastBatches(at time: Double) -> [PushBatch] {
        encoder.withLock { $0.encode([], milliseconds: Self.milliseconds(time)) }
    }

    func send(_ batch: PushBatch) async throws -> PushReceipt {
        guard version == .v2 else { return try await sendVersion1(batch.bytes) }
        if fallback.withLock({ $0.isActive(at: clock.now) }) {
            return try await sendConverted(batch, isRefused: false)
        }
        let response = try await response(to: batch.bytes, .v2)
        let written = WrittenSamples(response, of: batch.samples)
        let isOldReceiver = !written.isKnown && (response.isSuccess || response.status == 400)
        if response.status == 415 || isOldReceiver {
            let reason = "\(url) answered \(response.status)\(isOldReceiver ? " without the fields of 2.0" : "")"
            fallback.withLock { $0.refused(at: clock.now, reason) }
            return try await sendConverted(batch, isRefused: response.status == 415)
        }
        return try receipt(for: batch, response, written)
    }

    /// Sends a batch of 2.0 as 1.0. If the receiver does not take 1.0 either, the fall back was caused by an answer that was
    /// not its own: it ends, and the batch is sent as 2.0 later.
    ///
    /// - Parameter isRefused: Whether the receiver just answered 415 to 2.0.
    private func sendConverted(_ batch: PushBatch, isRefused: Bool) async throws -> PushReceipt {
        guard let converted = RequestConversion.version1(batch.bytes) else {
            throw PushError(.rejected, "\(url) does not take remote write 2.0; use version: .v1")
        }
        do {
            _ = try await sendVersion1(converted)
        } catch let error as PushError where error.status == 415 {
            fallback.withLock { $0.accepted() }
            throw isRefused
                ? PushError(.rejected, "\(url) takes neither remote write 2.0 nor 1.0; check the URL", status: 415)
                : PushError(.unavailable, "\(url) does not take remote write 1.0; 2.0 is tried again", status: 415)
        }
        return PushReceipt(notice: fallback.withLock { $0.notice() })
    }

    private func sendVersion1(_ body: [UInt8]) async throws -> PushReceipt {
        let response = try await response(to: body, .v1)
        guard response.isSuccess else { throw error(response) }
        return PushReceipt()
    }

    /// What a receiver of 2.0 did with a batch. After 400 it may have written a part of it.
    private func receipt(
        for batch: PushBatch,
        _ response: TransferResponse,
        _ written: WrittenSamples
    ) throws -> PushReceipt {
        if written.isKnown { fallback.withLock { $0.accepted() } }
        let error = response.isSuccess ? nil : error(response)
        if let error, written.count == 0 || error.code.isTransient { throw error }
        let refused = batch.samples - written.count
        guard refused > 0 else { return PushReceipt() }
        let silence = "\(url) answered \(response.status) and did not write them; check its log"
        return PushReceipt(refused: refused, reason: error?.message ?? silence)
    }

    private func response(
        to body: [UInt8],
        _ version: PushTarget.RemoteWriteVersion
    ) async throws -> TransferResponse {
        let isV2 = version == .v2
        let message = isV2 ? ";proto=io.prometheus.write.v2.Request" : ""
        let headers = [
            (name: "Content-Type", value: "application/x-protobuf\(message)"),
            (name: "Content-Encoding", value: "snappy"),
            (name: "X-Prometheus-Remote-Write-Version", value: isV2 ? "2.0.0" : "0.1.0"),
        ]
        let fields = isV2 ? WrittenSamples.fields : []
        let request = TransferRequest(.post, url, endpoint, headers: headers, body: body, answerFields: fields)
        return try await TransferEngine.shared.response(to: request)
    }

    /// An answer that is no success. Some statuses have causes of their own in remote write.
    private func error(_ response: TransferResponse) -> PushError {
        let remedy: String? =
            switch response.status {
            case 400: "if samples are out of order or too old, check the clock, or set out_of_order_time_window"
            case 500 where sendsNative:
                "if its log says that native histograms are disabled, start it with --enable-feature=native-histograms "
                    + "(Prometheus 2.40 to 3.7), or send .classic"
            default: nil
            }
        return response.error(url, remedy: remedy)
    }

    private static func milliseconds(_ time: Double) -> Int64 {
        Int64((time * 1_000).rounded())
    }
}

/// Snappy's block format, without the framing of streams: what remote write requires.
enum SnappyBlock {
    /// The compressed bytes. Compression cannot fail, because the target has the size that Snappy asks for.
    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        filled(snappy_max_compressed_length(bytes.count), from: bytes, snappy_compress) ?? []
    }

    /// The bytes that were compressed; nil for other bytes.
    static func uncompress(_ bytes: [UInt8]) -> [UInt8]? {
        var length = 0
        let status = bytes.withUnsafeBytes {
            snappy_uncompressed_length($0.assumingMemoryBound(to: CChar.self).baseAddress, $0.count, &length)
        }
        return status == SNAPPY_OK ? filled(length, from: bytes, snappy_uncompress) : nil
    }

    private typealias Conversion = (
        UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?
    ) -> snappy_status

    /// What a function of Snappy writes for `bytes`; nil if it fails.
    private static func filled(_ room: Int, from bytes: [UInt8], _ convert: Conversion) -> [UInt8]? {
        var isValid = false
        let result = [UInt8](unsafeUninitializedCapacity: room) { target, count in
            bytes.withUnsafeBytes { source in
                target.withMemoryRebound(to: CChar.self) { target in
                    var length = room
                    let source = source.assumingMemoryBound(to: CChar.self)
                    isValid = convert(source.baseAddress, source.count, target.baseAddress, &length) == SNAPPY_OK
                    count = isValid ? length : 0
                }
            }
        }
        return isValid ? result : nil
    }
}
