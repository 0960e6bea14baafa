// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Dispatch
internal import Foundation
internal import Synchronization

/// The look-ups that a family refused after it reached a limit.
public struct FamilyOverflow: Hashable, Sendable {
    /// The limit that was reached. More may be added.
    package struct Cause: Hashable, Sendable, CustomStringConvertible {
        /// The name of the cause.
        package let description: String

        /// The `seriesLimit` of ``MetricOptions``.
        package static let series = Cause(description: "series")
        /// The `labelByteLimit` of ``MetricOptions``.
        package static let labelBytes = Cause(description: "labelBytes")
    }

    /// The family's name.
    public let family: String
    /// The limit: a number of series or of bytes.
    public let limit: Int
    /// Which limit was reached first.
    package let cause: Cause
    /// The number of look-ups that got the overflow series.
    package internal(set) var refusals: UInt64 = 0
    /// The first refused labels, as on a page, cut off after 512 bytes.
    package let first: String
    /// The time of the first refusal, in seconds since 1970.
    package let time: Double
}

extension FamilyOverflow: CustomStringConvertible {
    /// One line with the family, the time, the first refused labels and the remedy. Control characters of the labels are
    /// written as `\\u{…}`, so that they can neither break the line nor control a terminal.
    public var description: String {
        """
        \(Date(timeIntervalSince1970: time).formatted(.iso8601)) the metric family \(family) has reached its limit of \
        \(limit) \(cause == .series ? "series" : "bytes of labels"); what is new goes to the series \
        \(MetricOptions.overflowValue). The first that was refused: {\(first.printable)}. \
        Give its labels \(cause == .series ? "fewer" : "fewer or shorter") values, or the family a larger \
        \(cause == .series ? "seriesLimit" : "labelByteLimit").
        """
    }

    /// Writes the line to a file descriptor, by default standard error. This is what a registry does by default.
    ///
    /// Returns immediately: another thread writes the line, because the descriptor may block. A line that still waits when
    /// the process ends is lost.
    @usableFromInline package func log(to descriptor: Int32 = 2) {
        WarningLine.write("\(self)", to: descriptor)
    }
}

/// Writes warnings of a registry to a file descriptor.
///
/// The registry's handlers run on threads that record or collect. A log handler that writes to a full pipe would block
/// them, so the default handlers write through this queue. To use swift-log pass other handlers to the registry.
enum WarningLine {
    /// A full pipe blocks this queue's thread instead of a recording thread or a thread of the cooperative pool.
    private static let queue = DispatchQueue(label: "axiom.metrics-warnings", qos: .utility)
    /// The number of waiting lines. Beyond ``capacity`` new lines are dropped; metrics count their causes in any case.
    private static let waiting = Atomic(0)
    private static let capacity = 1_000

    /// Passes the line to the queue with a duplicate of the descriptor, so that the caller may close the original.
    static func write(_ text: String, to descriptor: Int32) {
        let own = dup(descriptor)
        guard own >= 0 else { return }
        guard waiting.add(1, ordering: .relaxed).newValue <= capacity else {
            waiting.subtract(1, ordering: .relaxed)
            close(own)
            return
        }
        queue.async {
            defer { waiting.subtract(1, ordering: .relaxed) }
            let line = "warning: \(text)\n"
            _ = Foundation.write(own, line, line.utf8.count)
            close(own)
        }
    }
}
