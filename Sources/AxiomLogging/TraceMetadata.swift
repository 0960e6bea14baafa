// SPDX-License-Identifier: Apache-2.0

public import AxiomInstrumentation
public import Logging

extension Logger.MetadataProvider {
    /// Adds `trace_id` and `span_id` to the records that are written in a trace, so that a line of the log leads to the
    /// trace on the dashboard.
    ///
    /// ```swift
    /// LoggingSystem.bootstrap(StreamLogHandler.standardError, metadataProvider: .trace(of: telemetry))
    /// ```
    public static func trace(of telemetry: Telemetry) -> Logger.MetadataProvider {
        Logger.MetadataProvider { [telemetry] in
            guard let span = telemetry.currentSpan else { return [:] }
            return span.metadata.mapValues { .string($0) }
        }
    }
}

extension RunningSpan {
    /// The ids, under the names that OpenTelemetry gives them in logs.
    package var metadata: [String: String] {
        ["trace_id": trace.description, "span_id": TraceID.hex(id)]
    }
}
