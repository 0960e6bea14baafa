// SPDX-License-Identifier: Apache-2.0

package import AxiomMetrics

/// Encodes snapshots for one receiver and sends what was encoded.
///
/// A ``Pusher`` encodes on one task, and sends on another.
package protocol PushDestination: Sendable {
    /// The value of the label `destination` of the metrics.
    var name: String { get }
    /// What is kept while the receiver is away.
    var capacity: QueueCapacity { get }

    /// Whether the receiver gets the snapshot that is taken at the end, before ``lastBatches(at:)``.
    var takesLastSnapshot: Bool { get }
    /// Whether it sends what is in snapshots. A pusher whose destinations do not collects nothing.
    var usesSnapshot: Bool { get }
    /// Whether its samples have the time of their snapshot.
    var hasSampleTimes: Bool { get }
    /// What each push replaces as a whole, and another pusher of this process must not; nil if nothing.
    var replaced: String? { get }

    /// What to send for a snapshot.
    ///
    /// - Parameter time: When the snapshot was taken, in seconds since 1970.
    func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch]

    /// How many samples were dropped since the last call, because too many waited for a snapshot.
    func takeOverflow() -> Int

    /// What to send after the last snapshot, such as the marks of the end of all series.
    ///
    /// - Parameter time: Later than the time of the last snapshot.
    func lastBatches(at time: Double) -> [PushBatch]

    /// Sends one batch, once.
    ///
    /// - Returns: How many samples the receiver did not take although it accepted the batch, or smaller batches to send
    ///   instead.
    /// - Throws: ``PushError``; `CancellationError`.
    func send(_ batch: PushBatch) async throws -> PushReceipt
}

extension PushDestination {
    package var takesLastSnapshot: Bool { true }
    package var usesSnapshot: Bool { true }
    package var hasSampleTimes: Bool { true }
    package var replaced: String? { nil }
    package func takeOverflow() -> Int { 0 }
    package func lastBatches(at time: Double) -> [PushBatch] { [] }
}

/// Encoded samples: what one request sends.
package struct PushBatch: Sendable, Hashable {
    /// The samples, the spans of traces, or the log records.
    package let samples: Int
    /// The body of the request.
    package let bytes: [UInt8]
    /// Whether the request removes what was pushed before.
    package let isRemoval: Bool
    /// Why the samples cannot be sent; nil if they can. Sending the batch throws it.
    package let refusal: PushError?

    package init(samples: Int, bytes: [UInt8], isRemoval: Bool = false, refusal: PushError? = nil) {
        self.samples = samples
        self.bytes = bytes
        self.isRemoval = isRemoval
        self.refusal = refusal
    }
}

/// The answer of a receiver that accepted a batch, or found it too large.
package struct PushReceipt: Sendable, Hashable {
    /// The samples of the batch that it refused.
    package let refused: Int
    /// Why.
    package let reason: String
    /// The batches to send instead, because the receiver found the batch too large and took nothing of it. Together they have
    /// its samples.
    package let parts: [PushBatch]
    /// A further message to report; empty for none.
    package let notice: String

    package init(refused: Int = 0, reason: String = "", parts: [PushBatch] = [], notice: String = "") {
        self.refused = refused
        self.reason = reason
        self.parts = parts
        self.notice = notice
    }
}
