// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
public import Testing

extension TelemetryAssertions {
    /// Runs `body` and compares what it caused with a tree of operations:
    ///
    /// ```swift
    /// await assertions.expectTrace(
    ///     """
    ///     context CartContext.add
    ///       client CartClient.add
    ///         capability Stock
    ///         state CartClient
    ///     """
    /// ) {
    ///     await cart.send(.add(tea))
    /// }
    /// ```
    /// Each line is one operation, below the one that caused it. One that did not succeed has its outcome and the code or
    /// type of its error: `client CartClient.add: failure SHOP_STOCK_001`. Parallel operations are in the order of their
    /// start. A difference is shown as a unified diff.
    ///
    /// What is under way before, and what `body` began and did not await, is waited for: see ``settle(upTo:sourceLocation:)``. Operations of a detached
    /// task do not belong to the tree.
    ///
    /// - Parameters:
    ///   - expected: The tree. Empty lines at its ends do not count.
    ///   - parts: What is shown besides actions. Default: everything that does not depend on the scheduler.
    ///   - sourceLocation: Where a failure is reported.
    ///   - body: Runs on the caller's actor, in a span of its own, which is not part of the tree.
    /// - Throws: The error of `body`, after the comparison.
    @discardableResult
    public func expectTrace<R, Failure: Error>(
        _ expected: String,
        showing parts: TraceParts = .standard,
        sourceLocation: SourceLocation = #_sourceLocation,
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) () async throws(Failure) -> R
    ) async throws(Failure) -> R {
        var running: RunningSpan?
        // So that what observes states has subscribed, and nothing else runs.
        await settle(sourceLocation: sourceLocation)
        let result = await telemetry.span("expectTrace") { () async -> Result<R, Failure> in
            // The closure runs on the caller's actor only if it uses the parameter.
            _ = isolation
            running = telemetry.currentSpan
            let result: Result<R, Failure>
            do throws(Failure) {
                result = .success(try await body())
            } catch {
                result = .failure(error)
            }
            await settle(sourceLocation: sourceLocation)
            return result
        }
        compare(expected, sourceLocation) {
            running.flatMap { span in
                telemetry.trace(span.trace).map { TraceText($0.spans, parts).tree(below: span.id) }
            } ?? ""
        }
        return try result.get()
    }

    /// Compares all traces that ended since the beginning with trees of operations, in the order of their start. See
    /// ``expectTrace(_:showing:sourceLocation:isolation:_:)`` for the form of a tree.
    ///
    /// - Parameters:
    ///   - expected: The trees, one below the other.
    ///   - parts: What is shown besides actions. A trace that consists of other parts only is left out.
    ///   - sourceLocation: Where a failure is reported.
    public func expectTraces(
        _ expected: String,
        showing parts: TraceParts = .standard,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        compare(expected, sourceLocation) {
            guard let recorded = telemetry.readings.knownSpans else { return "" }
            let known = baseline.spans
            let spans = recorded.latest(.max, of: Set(SpanKind.allCases)) { !known.contains($0.id) }
            let roots = spans.filter { $0.parent == nil }.sorted { ($0.start, $0.id) < ($1.start, $1.id) }
            // A remote trace has a root for each of its requests.
            return roots.compactMap { root in
                recorded.trace(root.trace).map { TraceText($0.spans, parts).tree(of: root) }
            }
            .filter { !$0.isEmpty }.joined(separator: "\n")
        }
    }

    /// That spans of the trace may be missing; empty if the flight recorder dropped none since the beginning.
    private var lossNote: String {
        let (lost, before) = (telemetry.lostSpans, baseline.lostSpans)
        guard lost > before else { return "" }
        return """

            The flight recorder has dropped \(lost - before) spans since the beginning, perhaps of this trace. Give it more memory: \
            FlightRecorderOptions(memory:).
            """
    }

    private func compare(_ expected: String, _ location: SourceLocation, actual: () -> String) {
        if let obstacle = obstacle("a trace") { return fail(obstacle, location) }
        guard telemetry.spanCounts != nil else {
            let message = """
                Expected a trace, but this telemetry records no spans, because its flight recorder is off.
                Make it with the default options: Telemetry(flightRecorder: FlightRecorderOptions()).
                """
            return fail(message, location)
        }
        let (expected, actual) = (expected.trimmedLines, actual().trimmedLines)
        guard expected != actual else { return }
        let text = actual.isEmpty ? "Nothing was recorded." : "Recorded:\n\(actual)"
        let diff = TextDiff(expected: expected, actual: actual).text
        fail("The trace differs (- expected, + recorded):\n\(diff)\n\(text)\(lossNote)", location)
    }
}

extension Telemetry {
    /// The number of spans that are not in memory any more.
    var lostSpans: UInt64 { spanCounts.map { $0.overwritten + $0.displaced + $0.contended } ?? 0 }
}

extension String {
    /// The text without empty lines at its ends and without spaces at the ends of lines.
    fileprivate var trimmedLines: String {
        let lines = split(separator: "\n", omittingEmptySubsequences: false).map { line in
            String(line.reversed().drop(while: \.isWhitespace).reversed())
        }
        let start = lines.firstIndex { !$0.isEmpty } ?? lines.endIndex
        let end = lines.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? start
        return lines[start..<end].joined(separator: "\n")
    }
}
