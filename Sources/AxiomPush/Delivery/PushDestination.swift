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
    package private(set) var isRemoval = false
    /// Why the samples cannot be sent; nil if they can. Sending the batch throws it.
    package private(set) var refusal: PushError?
}

/// The answer of a receiver that accepted a batch, or found it too large.
package struct PushReceipt: Sendable, Hashable {
    /// The samples of the batch that it refused.
    package private(set) var refused = 0
    package private(set) var reason = ""
    /// The batches to send instead, because the receiver found the batch too large and took nothing of it. Together they have
    /// its samples.
    package private(set) var parts: [PushBatch] = []
    /// A further message to report; empty for none.
    package private(set) var notice = ""
}

/// Where a ``Pusher`` pushes, and in which format.
public struct PushTarget: Sendable, CustomStringConvertible {
    package let destination: any PushDestination

    package init(_ destination: any PushDestination) { self.destination = destination }

    /// The name of the target, which is the label `destination` of its metrics.
    public var description: String { destination.name }
}

/// The names of labels that a target adds.
enum LabelName {
    /// Why labels cannot be added to every series; nil if they can.
    static func problem(_ names: [String]) -> String? {
        for (index, name) in names.enumerated() {
            guard isValid(name) else {
                return "\"\(name)\" is no name of a label; use letters, digits and underscores"
            }
            if name == "le" || name == "quantile" {
                return "the label \(name) belongs to the series of histograms and summaries, and Prometheus would "
                    + "refuse all metrics; choose another name"
            }
            if names[..<index].contains(name) { return "the label \(name) is given twice; remove one" }
        }
        return nil
    }

    /// Whether a name has only letters, digits and underscores, no digit first, and not two underscores first, which
    /// Prometheus reserves.
    private static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, !name.hasPrefix("__") else { return false }
        let isDigit = (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first)
        return !isDigit && name.utf8.allSatisfy(isNameByte)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
