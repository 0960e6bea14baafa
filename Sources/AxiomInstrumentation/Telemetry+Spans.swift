// SPDX-License-Identifier: Apache-2.0

package import Axiom

// MARK: - Reading

// Reading waits for no recording thread and delays none: it copies the spans that are complete.
extension Telemetry {
    /// The known operations that ended last, the latest first. Cost: some milliseconds.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of spans.
    ///   - kinds: By default actions, phases of the life cycle, refusals, and work that the application named.
    package func activity(latest limit: Int, of kinds: Set<SpanKind> = SpanKind.activities) -> [Span] {
        readings.knownSpans?.latest(limit, of: kinds) { _ in true } ?? []
    }

    /// The spans of a trace; nil if they have all been dropped. Cost: some milliseconds.
    package func trace(_ id: TraceID) -> KnownTrace? { readings.knownSpans?.trace(id) }

    /// Where the recorded spans are; nil if nothing is recorded. Exact while nothing is being recorded.
    package var spanCounts: SpanCounts? { recording.spans?.recorder.counts }

    /// The ids of a span of this telemetry, under the names that OpenTelemetry gives them in logs; empty for any other.
    package func ids(of span: SpanContext) -> [String: String] {
        guard let recorder = recording.spans?.recorder, recorder.isOwn(span) else { return [:] }
        let trace = recorder.traceID(of: span.trace)
        return ["trace_id": trace.description, "span_id": TraceID.hex(span.span)]
    }

    /// The span of the calling task; nil outside of a trace of this telemetry.
    package var currentSpan: RunningSpan? {
        let span = OperationContext.currentSpan
        guard let recorder = recording.spans?.recorder, recorder.isOwn(span) else { return nil }
        let (component, name) = recorder.names.describe(subject: span.subject)
        return RunningSpan(
            id: span.span,
            trace: recorder.traceID(of: span.trace),
            component: component,
            name: name
        )
    }

    // MARK: - Export

    /// Passes all spans that begin from now on to an exporter too.
    ///
    /// - Parameter exporter: Makes the exporter, from what gives the id under which other processes know a trace.
    /// - Returns: False if nothing is recorded; then nothing is exported.
    /// - Throws: ``TelemetryError`` if spans are already exported, or spans of a component are already recorded.
    package func exportSpans(
        _ exporter: (_ traceID: @escaping @Sendable (UInt64) -> TraceID) -> any SpanExporter
    ) throws(TelemetryError) -> Bool {
        guard let spans = recording.spans else { return false }
        try spans.export(to: exporter { [recorder = spans.recorder] in recorder.traceID(of: $0) })
        return true
    }

    // MARK: - Work of the application

    /// Runs `body` and records it as a span, below the action or the span that is running in this task.
    ///
    /// ```swift
    /// let order = try telemetry.span("parse") { try Order(json) }
    /// ```
    ///
    /// - Parameter name: One of a few constants. The first 4,096 names are kept; later ones are called `other`.
    /// - Throws: The error of `body`.
    public func span<R, Failure: Error>(_ name: String, _ body: () throws(Failure) -> R) throws(Failure) -> R {
        guard let open = NamedSpan(name, recording.spans, clock) else { return try body() }
        let result = open.bind { () -> Result<R, Failure> in
            do throws(Failure) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        open.end(result)
        return try result.get()
    }

    /// Runs `body` on the caller's actor and records it as a span, below the action or the span that is running in this
    /// task. Actions and spans that begin in `body`, in its child tasks and in its `Task { }` have it as parent.
    ///
    /// A span does not reach into `Task.detached` and into callbacks; see ``CarriedSpan``.
    ///
    /// - Parameters:
    ///   - name: One of a few constants. The first 4,096 names are kept; later ones are called `other`.
    ///   - traceparent: The `traceparent` header of W3C Trace Context that came with the work. The span then belongs to the
    ///     trace of the sender, and not to the span that is running in this task. A text without the form of the header
    ///     counts as none, which is the default.
    /// - Throws: The error of `body`.
    public func span<R, Failure: Error>(
        _ name: String,
        continuing traceparent: String? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) () async throws(Failure) -> R
    ) async throws(Failure) -> R {
        let remote = traceparent.map { RequestOrigin(traceparent: $0).remoteParent } ?? .none
        guard let open = NamedSpan(name, recording.spans, clock, under: remote) else { return try await body() }
        let result = await open.bind { () async -> Result<R, Failure> in
            // The closure runs on the caller's actor only if it uses the parameter.
            _ = isolation
            do throws(Failure) {
                return .success(try await body())
            } catch {
                return .failure(error)
            }
        }
        open.end(result)
        return try result.get()
    }

    /// Keeps the trace that the calling task belongs to when its root ends, whatever its outcome. Does nothing outside
    /// of a trace, and after its end.
    public func keepCurrentTrace() {
        recording.spans?.recorder.keepCurrentTrace()
    }
}
