// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Logging

/// Logs failures of an exporter, a bounded number per minute.
final class FailureLog: Sendable {
    /// The messages of the current minute. A pure value.
    struct Minute: Sendable {
        static let length = Duration.seconds(60)
        static let maximumLines = 10

        private let limit: Int
        private var start: Instant?
        private var lines = 0
        private var withheld = 0

        init(limit: Int = Minute.maximumLines) { self.limit = limit }

        /// The lines to log for a message. The first line of a minute is the number of messages that the last minute
        /// withheld, if it withheld any.
        mutating func lines(for message: String, at now: Instant) -> [String] {
            var result: [String] = []
            if start.map({ now.duration(since: $0) >= Self.length }) ?? true {
                if withheld > 0 { result.append("\(withheld) more messages were not written in the minute before") }
                (start, lines, withheld) = (now, 0, 0)
            }
            guard lines < limit else {
                withheld += 1
                return result
            }
            lines += 1
            return result + [message]
        }
    }

    /// Guards the current minute. Nothing is logged under it.
    private let minute: Lock<Minute>
    private let write: @Sendable (String) -> Void

    /// - Parameter limit: The most messages of a minute.
    init(limit: Int = Minute.maximumLines, write: @escaping @Sendable (String) -> Void) {
        minute = Lock(Minute(limit: limit))
        self.write = write
    }

    /// Logs warnings with the label `axiom.exporter`.
    convenience init() {
        // A logger for each message, so that it uses the logging system that the application has bootstrapped by then.
        self.init { Logger(label: "axiom.exporter").warning("\($0)") }
    }

    func add(_ message: String) {
        for line in minute.withLock({ $0.lines(for: message, at: TimeSource.live.now) }) { write(line) }
    }
}
