// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
public import AxiomInstrumentation
public import Logging

/// A log handler that keeps the latest records in memory, each with the trace, the span, the component and the action in
/// which it was written. The dashboard shows the records of an action in its trace.
///
/// ```swift
/// LoggingSystem.bootstrap { label in
///     MultiplexLogHandler([StreamLogHandler.standardError(label: label), TraceLogHandler(label: label, telemetry)])
/// }
/// ```
/// The last 2,000 records are kept, and fewer if they are large: at most 2 MiB together, by their estimated size. A
/// message is cut off after 4,096 bytes, and a value of the metadata after 1,024.
///
/// Records are shown to everybody who may open the dashboard. Do not log what they must not read: nothing is redacted
/// here.
///
/// A record has the span that is bound in its task. An action of a client without capabilities binds none, so its records
/// have the span of the caller. A record below the log level costs nothing.
public struct TraceLogHandler: LogHandler {
    /// The metadata of all records of this logger.
    public var metadata: Logger.Metadata = [:]
    /// Adds metadata to each record.
    public var metadataProvider: Logger.MetadataProvider?
    /// The lowest level that is kept.
    public var logLevel: Logger.Level

    private let label: String
    private let telemetry: Telemetry

    /// Makes a handler.
    ///
    /// - Parameters:
    ///   - label: The label of the logger.
    ///   - telemetry: Keeps the records, and knows the traces.
    ///   - level: The lowest level that is kept.
    ///   - metadataProvider: Adds metadata to each record; by default that of the logging system.
    public init(
        label: String,
        _ telemetry: Telemetry,
        level: Logger.Level = .info,
        metadataProvider: Logger.MetadataProvider? = LoggingSystem.metadataProvider
    ) {
        self.label = label
        self.telemetry = telemetry
        logLevel = level
        self.metadataProvider = metadataProvider
    }

    /// One value of ``metadata``.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Keeps a record.
    public func log(event: LogEvent) {
        let span = telemetry.currentSpan
        let record = LogRecord(
            at: telemetry.timeSource.now,
            level: event.level.rawValue,
            label: label,
            message: event.message.description,
            metadata: texts(event, span),
            trace: span?.trace,
            span: span?.id,
            component: span?.component?.name,
            action: span?.name
        )
        telemetry.readings.logRecords.append(record)
    }

    /// The metadata of a record and its error, without the ids that the record has anyway.
    private func texts(_ event: LogEvent, _ span: RunningSpan?) -> [String: String] {
        var texts = event.metadata(over: metadata, metadataProvider, without: span).mapValues(\.description)
        if let error = event.error {
            texts["error.message"] = "\(error)"
            texts["error.type"] = "\(String(reflecting: type(of: error)))"
        }
        return texts
    }
}

extension LogEvent {
    /// The metadata of a record: its own, over that of the provider, over that of the logger; without the ids of a span.
    package func metadata(
        over logger: Logger.Metadata,
        _ provider: Logger.MetadataProvider?,
        without span: RunningSpan?
    ) -> Logger.Metadata {
        var values = logger
        if let provided = provider?.get() { values.merge(provided) { $1 } }
        if let explicit = metadata { values.merge(explicit) { $1 } }
        for (key, id) in span?.metadata ?? [:] where values[key]?.description == id { values[key] = nil }
        return values
    }
}
