// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// One record of an application's log, and the operation that wrote it.
package struct LogRecord: Sendable, Hashable {
    package let time: Instant
    /// In lower case, such as `info`.
    package let level: String
    package let label: String
    package let message: String
    package let metadata: [String: String]
    /// The trace of the task that wrote the record; nil outside of a trace.
    package let trace: TraceID?
    /// The id of the running span; nil outside of a span.
    package let span: UInt64?
    /// The name of the component that wrote it; nil if unknown.
    package let component: String?
    /// The case of the action that wrote it; nil if unknown.
    package let action: String?

    /// The most bytes of a message. The rest is replaced by an ellipsis.
    package static let messageLimit = 4_096
    /// The most bytes of one value of the metadata.
    package static let valueLimit = 1_024
    /// The most values of the metadata: those whose keys come first in the order of the alphabet.
    package static let metadataLimit = 32

    /// Makes a record. Text beyond the limits is cut off.
    package init(
        at time: Instant,
        level: String,
        label: String,
        message: String,
        metadata: [String: String] = [:],
        trace: TraceID? = nil,
        span: UInt64? = nil,
        component: String? = nil,
        action: String? = nil
    ) {
        self.time = time
        self.level = level
        self.label = Self.cut(label, Self.valueLimit)
        self.message = Self.cut(message, Self.messageLimit)
        self.metadata = Self.cut(metadata)
        (self.trace, self.span, self.component, self.action) = (trace, span, component, action)
    }

    /// The memory of the record, estimated.
    var bytes: Int {
        let texts = level.utf8.count + label.utf8.count + message.utf8.count
        return metadata.reduce(256 + texts) { $0 + 64 + $1.key.utf8.count + $1.value.utf8.count }
    }

    private static func cut(_ metadata: [String: String]) -> [String: String] {
        let isSmall = metadata.count <= metadataLimit
        let kept = isSmall ? Array(metadata) : Array(metadata.sorted { $0.key < $1.key }.prefix(metadataLimit))
        let pairs = kept.map { (cut($0.key, valueLimit), cut($0.value, valueLimit)) }
        // Two keys may be equal after they were cut off.
        return Dictionary(pairs) { first, _ in first }
    }

    private static func cut(_ text: String, _ limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var end = text.utf8.index(text.startIndex, offsetBy: limit)
        while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil {
            text.utf8.formIndex(before: &end)
        }
        return String(text[..<end]) + "…"
    }
}

/// The latest log records, in bounded memory. The oldest are dropped first.
///
/// Adding a record takes a lock. Records are copied while it is held; nothing else runs.
package final class LogRecordBuffer: Sendable {
    private struct State {
        var records = FIFO<LogRecord>()
        var bytes = 0
        var dropped: UInt64 = 0
    }

    package static let capacity = 2_000
    /// The most bytes of all records, by their estimated size.
    package static let byteLimit = 1 << 21

    /// Guarded by its lock.
    private let state = Lock(State())

    package init() {}

    /// Adds a record, and drops the oldest ones if there are too many.
    package func append(_ record: LogRecord) {
        let bytes = record.bytes
        let dropped = state.withLock { state in
            var dropped: [LogRecord] = []
            while state.records.count == Self.capacity || state.bytes + bytes > Self.byteLimit,
                let oldest = state.records.popFirst()?.element
            {
                state.bytes -= oldest.bytes
                dropped.append(oldest)
            }
            state.dropped += UInt64(dropped.count)
            state.bytes += bytes
            _ = state.records.append(record)
            return dropped
        }
        // The texts are freed outside of the lock.
        _ = consume dropped
    }

    /// All records, the oldest first.
    package var all: [LogRecord] { state.withLock { $0.records.elements } }

    /// The records of one trace, the oldest first.
    package func records(of trace: TraceID) -> [LogRecord] {
        all.filter { $0.trace == trace }
    }

    /// How many records were dropped.
    package var dropped: UInt64 { state.withLock { $0.dropped } }
}
