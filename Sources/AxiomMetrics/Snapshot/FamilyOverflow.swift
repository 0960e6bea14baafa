// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import Synchronization

/// What a family refused after it had reached a limit.
public struct FamilyOverflow: Hashable, Sendable {
    /// Which limit was reached. More may be added.
    public struct Cause: Hashable, Sendable, CustomStringConvertible {
        /// The cause as it is printed.
        public let description: String

        /// ``MetricOptions/seriesLimit``.
        public static let series = Cause(description: "series")
        /// ``MetricOptions/labelByteLimit``.
        public static let labelBytes = Cause(description: "labelBytes")
    }

    /// The family's name.
    public let family: String
    /// The limit: a number of series, or of bytes.
    public let limit: Int
    /// Which limit was reached first.
    public let cause: Cause
    /// How many look-ups were sent to the overflow series.
    public internal(set) var refusals: UInt64 = 0
    /// The labels that were refused first, as a page would show them, cut off after 512 bytes.
    public let first: String
    /// When that was, in seconds since 1970.
    public let time: Double
}

extension FamilyOverflow: CustomStringConvertible {
    /// One line that says which family, since when, what was refused first, and what can be done. Control characters of
    /// the refused labels are written as `\\u{…}`, so that they can neither break the line nor reach a terminal.
    public var description: String {
        """
        \(Date(timeIntervalSince1970: time).formatted(.iso8601)) the metric family \(family) has reached its limit of \
        \(limit) \(cause == .series ? "series" : "bytes of labels"); what is new goes to the series \
        \(MetricOptions.overflowValue). The first that was refused: {\(WarningLine.printable(first))}. \
        Give its labels \(cause == .series ? "fewer" : "fewer or shorter") values, or the family a larger \
        \(cause == .series ? "seriesLimit" : "labelByteLimit").
        """
    }

    /// Has the line written to a file descriptor, by default standard error, as a registry does by default. Returns at
    /// once: another thread writes, which the descriptor may block. A line that waits when the process ends is lost.
    public func log(to descriptor: Int32 = 2) {
        WarningLine.write("\(self)", to: descriptor)
    }
}

/// A line of a registry for a person.
enum WarningLine {
    /// Where lines are written: a pipe behind standard error that is full blocks this queue's thread, and neither the
    /// thread that records nor one of those that tasks share.
    private static let queue = DispatchQueue(label: "axiom.metrics-warnings", qos: .utility)
    /// How many lines wait for the queue. Beyond ``capacity`` new ones are dropped: what they warn of is counted anyway.
    private static let waiting = Atomic(0)
    private static let capacity = 1_000

    /// Hands the line to the queue, with a descriptor of its own, so that the caller may close theirs.
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

    /// The text with control characters written as `\\u{…}`.
    static func printable(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? "\\u{\(String(scalar.value, radix: 16))}" : String(scalar)
        }.joined()
    }
}
