// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomLogging
internal import AxiomMetrics
internal import AxiomPush
public import Logging

/// A log handler whose records an OpenTelemetry collector gets, each with the trace and the span in which it was written.
///
/// ```swift
/// let records = try OTLPLogQueue(of: telemetry)
/// LoggingSystem.bootstrap { OTLPLogHandler(label: $0, records) }
/// let target = try PushTarget.otlpLogs(records, "http://127.0.0.1:4318", service: "shop")
/// ```
/// A record is encoded when it is written, and waits in the queue. Its label is the name of the scope. Metadata become
/// attributes: numbers and Booleans keep their type, arrays and dictionaries their shape. `code.file.path`,
/// `code.function.name` and `code.line.number` say where it was written, and `exception.type` and `exception.message` its error.
/// Nothing is redacted.
///
/// Records of the label `axiom.push` are not sent, because those of a failed push would cause the next one.
public struct OTLPLogHandler: LogHandler {
    /// The label of the records of pushers.
    static let pushLabel = "axiom.push"

    /// The metadata of all records of this logger.
    public var metadata: Logger.Metadata = [:]
    /// Adds metadata to each record.
    public var metadataProvider: Logger.MetadataProvider?
    /// The lowest level that is sent.
    public var logLevel: Logger.Level

    private let queue: OTLPLogQueue
    /// The `InstrumentationScope` message of the label; nil if its records are not sent.
    private let scope: [UInt8]?

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - label: The label of the logger.
    ///   - queue: Where the records wait.
    ///   - level: The lowest level that is sent.
    ///   - metadataProvider: Adds metadata to each record; by default that of the logging system.
    public init(
        label: String,
        _ queue: OTLPLogQueue,
        level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider
    ) {
        self.queue = queue
        self.metadataProvider = metadataProvider
        logLevel = level
        scope = label == Self.pushLabel ? nil : ScopedElement.scope(label)
    }

    /// One value of ``metadata``.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Encodes a record and adds it to the queue.
    public func log(event: LogEvent) {
        guard let scope else { return }
        let span = queue.telemetry?.currentSpan
        var buffer = ExpositionBuffer(capacity: 0)
        buffer.putLogRecord(
            event,
            event.metadata(over: metadata, metadataProvider, without: span),
            span,
            at: DataPoints.nanoseconds(queue.clock.secondsSinceEpoch) ?? 0
        )
        queue.append(ScopedElement(scope: scope, bytes: buffer.bytes))
    }
}

extension ExpositionBuffer {
    /// Appends the fields of a `LogRecord`:
    /// https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/logs/v1/logs.proto
    mutating func putLogRecord(
        _ event: LogEvent,
        _ metadata: Logger.Metadata,
        _ span: RunningSpan?,
        at time: UInt64
    ) {
        var attributes: Logger.Metadata = [
            "code.file.path": .string(event.file), "code.function.name": .string(event.function),
            "code.line.number": .stringConvertible(event.line),
        ]
        if let error = event.error {
            attributes["exception.type"] = .string(String(reflecting: type(of: error)))
            attributes["exception.message"] = .string("\(error)")
        }
        attributes.merge(metadata) { $1 }
        putField(1, fixed64: time)
        putField(2, varint: event.level.severityNumber)
        putField(3, text: event.level.rawValue)
        putField(5) { $0.putField(1, text: event.message.description) }
        putKeyValues(6, attributes)
        if let span {
            putField(9, bytes: span.trace.high.bigEndianBytes + span.trace.low.bigEndianBytes)
            putField(10, bytes: span.id.bigEndianBytes)
        }
        // The time at which the record was observed.
        putField(11, fixed64: time)
    }

    /// Appends a `KeyValue` for each value, sorted by key.
    private mutating func putKeyValues(_ number: Int, _ values: Logger.Metadata) {
        for (key, value) in values.sorted(by: { $0.key < $1.key }) {
            putField(number) { buffer in
                buffer.putField(1, text: key)
                buffer.putField(2) { $0.putAnyValue(value) }
            }
        }
    }

    /// Appends the field of an `AnyValue`.
    private mutating func putAnyValue(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): putField(1, text: text)
        case .stringConvertible(let value): putAnyValue(of: value)
        case .array(let values):
            putField(5) { buffer in
                for value in values { buffer.putField(1) { $0.putAnyValue(value) } }
            }
        case .dictionary(let values): putField(6) { $0.putKeyValues(1, values) }
        }
    }

    private mutating func putAnyValue(of value: any CustomStringConvertible) {
        switch value {
        case let value as Bool: putField(2, varint: value ? 1 : 0)
        case let value as any BinaryInteger:
            guard let integer = Int64(exactly: value) else { return putField(1, text: value.description) }
            putField(3, int64: integer)
        case let value as Double: putField(4, double: value)
        case let value as Float: putField(4, double: Double(value))
        default: putField(1, text: value.description)
        }
    }
}

extension Logger.Level {
    /// The `SeverityNumber`: the first of its range, but `notice` is above `info`.
    var severityNumber: UInt64 {
        switch self {
        case .trace: 1
        case .debug: 5
        case .info: 9
        case .notice: 10
        case .warning: 13
        case .error: 17
        case .critical: 21
        }
    }
}
