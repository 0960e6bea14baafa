// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomBase

extension Telemetry: SpanObserver {
    package func spanProbe(for component: ComponentDescriptor, actions: [String]) -> (any SpanProbe)? {
        spans?.probe(for: component, actions: actions)
    }
}

// MARK: - Reading

// Reading waits for no recording thread and delays none: it copies the spans that are complete.
extension Telemetry {
    /// The operations that ended last, the latest first. Cost: about 1 ms.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of spans.
    ///   - kinds: By default actions, phases of the life cycle, refusals, and work that the application named.
    package func activity(latest limit: Int, of kinds: Set<SpanKind> = SpanKind.activities) -> [Span] {
        spans?.recorder.latest(limit, kinds) ?? []
    }

    /// The spans of a trace; nil if they have all been dropped. Cost: about 1 ms.
    package func trace(_ id: TraceID) -> TraceReading? {
        spans?.recorder.trace(id)
    }

    /// The roots of the kept traces, the latest first.
    package var keptTraces: [(root: Span, reason: KeepReason)] {
        spans?.recorder.keptRoots ?? []
    }

    /// Where the recorded spans are; nil if nothing is recorded. Exact while nothing is being recorded.
    package var spanCounts: SpanCounts? { spans?.recorder.counts }

    /// The trace of the calling task; nil outside of a trace.
    package var currentTrace: TraceID? {
        let span = OperationContext.current.span
        guard let recorder = spans?.recorder, !span.isNone else { return nil }
        return TraceID(high: recorder.prefix, low: span.trace)
    }
}

// MARK: - Work of the application

extension Telemetry {
    /// Runs `body` and records it as a span, below the action or the span that is running in this task.
    ///
    /// ```swift
    /// let order = try telemetry.span("parse") { try Order(json) }
    /// ```
    ///
    /// - Parameter name: One of a few constants. The first 4,096 names are kept; later ones are called `other`.
    /// - Throws: The error of `body`.
    public func span<R, Failure: Error>(_ name: String, _ body: () throws(Failure) -> R) throws(Failure) -> R {
        guard let open = NamedSpan(name, spans, clock) else { return try body() }
        let result = OperationContext.$current.withValue(.current(under: open.context)) { () -> Result<R, Failure> in
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
    /// - Parameter name: One of a few constants. The first 4,096 names are kept; later ones are called `other`.
    /// - Throws: The error of `body`.
    public func span<R, Failure: Error>(
        _ name: String,
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) () async throws(Failure) -> R
    ) async throws(Failure) -> R {
        guard let open = NamedSpan(name, spans, clock) else { return try await body() }
        let context = OperationContext.current(under: open.context)
        let result = await OperationContext.$current.withValue(context) { () -> Result<R, Failure> in
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

    /// Keeps the trace that the calling task belongs to when its root ends, whatever its outcome. Does nothing outside of
    /// a trace, and after its end.
    public func keepCurrentTrace() {
        spans?.recorder.keepCurrentTrace()
    }
}
