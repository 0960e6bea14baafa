// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Glibc

/// Writes what went wrong while serving to standard error, a bounded number of lines a minute.
public final class FailureLog: Sendable {
    /// What is written, by the minute. A pure value.
    struct Minute: Sendable {
        static let length = Duration.seconds(60)
        static let maximumLines = 10

        private var start: Instant?
        private var lines = 0
        private var withheld = 0

        /// The lines to write for a message; the first of a minute says how many messages the last one withheld.
        mutating func lines(for message: String, at now: Instant) -> [String] {
            var result: [String] = []
            if start.map({ now.duration(since: $0) >= Self.length }) ?? true {
                if withheld > 0 { result.append("\(withheld) more messages were not written in the minute before") }
                (start, lines, withheld) = (now, 0, 0)
            }
            guard lines < Self.maximumLines else {
                withheld += 1
                return result
            }
            lines += 1
            return result + [message]
        }
    }

    /// Guards what has been written. Nothing is written under it.
    private let minute = Lock(Minute())
    private let write: @Sendable (String) -> Void

    init(write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// Makes a closure for `onFailure`, with a bound of its own: at most ten lines a minute.
    public static func standardError() -> @Sendable (String) -> Void {
        let log = FailureLog { line in
            let line = "axiom: warning: \(line)\n"
            _ = Glibc.write(STDERR_FILENO, line, line.utf8.count)
        }
        return { log.add($0) }
    }

    func add(_ message: String) {
        for line in minute.withLock({ $0.lines(for: message, at: TimeSource.live.now) }) { write(line) }
    }
}
