// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import AxiomInstrumentation
public import Testing

/// Assertions on what a telemetry records about an orchestrator.
///
/// ```swift
/// let telemetry = try Telemetry()
/// let orchestrator = Orchestrator(instrumentation: telemetry)
/// // Register and start.
/// let assertions = TelemetryAssertions(telemetry, of: orchestrator, exhaustive: .standard)
/// await cart.send(.add(tea))
/// assertions.expect(
///     .action("add", of: CartContext.self),
///     .action("add", of: CartClient.self, count: 1, within: .clientAction),
///     .state(of: CartClient.self)
/// )
/// assertions.finish()
/// ```
/// An expectation counts what was recorded since the beginning: since these assertions were made, or since the latest
/// ``checkpoint(sourceLocation:)``. A failed expectation is an issue of the running test, at the line of the call. Its text
/// contains what was expected, what was found, and the most similar record, as Swift source that can be copied.
///
/// What a context observes is recorded later than the action that caused it. Call ``settle(upTo:sourceLocation:)`` before
/// expecting ``TelemetryExpectation/observation(of:count:)`` or a rendering. No assertion waits for a time to pass.
///
/// There is no state outside of the instance: tests with a telemetry each may run in parallel.
///
/// With the package trait `Instrumented` off nothing is recorded, and each assertion fails and says so.
public final class TelemetryAssertions: Sendable {
    private struct State {
        var baseline: TelemetryBaseline
        /// How often each record had occurred when an expectation listed it.
        var listed: [TelemetryRecord: UInt64] = [:]
        /// Whether ``TelemetryAssertions/finish(sourceLocation:)`` was called after the last expectation.
        var isFinished = false
    }

    /// The telemetry.
    public let telemetry: Telemetry
    /// The orchestrator that the telemetry observes.
    public let orchestrator: Orchestrator
    /// The kinds of records that must be listed.
    public let exhaustive: RecordKinds
    /// Guarded by its lock. Nothing is recorded or reported while it is held.
    private let state: Lock<State>
    private let origin: SourceLocation

    /// Begins to count.
    ///
    /// - Parameters:
    ///   - telemetry: Observes the orchestrator.
    ///   - orchestrator: Assertions wait until nothing is under way in it.
    ///   - exhaustive: The kinds of records of which each must be listed by an expectation: the others are reported by
    ///     ``finish(sourceLocation:)``, by ``checkpoint(sourceLocation:)``, and when the assertions are released. Default:
    ///     none.
    public init(
        _ telemetry: Telemetry,
        of orchestrator: Orchestrator,
        exhaustive: RecordKinds = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        self.telemetry = telemetry
        self.orchestrator = orchestrator
        self.exhaustive = exhaustive
        state = Lock(State(baseline: TelemetryBaseline(telemetry)))
        origin = sourceLocation
    }

    deinit {
        if !exhaustive.isEmpty, !state.withLock({ $0.isFinished }) { reportUnlisted(at: origin) }
    }

    /// Expects each of these to have been recorded since the beginning, as often as it says.
    ///
    /// - Parameters:
    ///   - expectations: Each failure is an issue of its own.
    ///   - sourceLocation: Where failures are reported.
    public func expect(_ expectations: TelemetryExpectation..., sourceLocation: SourceLocation = #_sourceLocation) {
        for expectation in expectations { check(expectation, sourceLocation) }
    }

    /// Returns when nothing is under way in the orchestrator's contexts: no action, phase or retry runs, every observation
    /// has received what was published, and no rendering is due. Nothing is polled. Tasks that the test began are not
    /// waited for.
    ///
    /// - Parameters:
    ///   - limit: How long to wait, in real time. It matters only for what never ends: then this fails. Default: 20 s.
    ///   - sourceLocation: Where a failure is reported.
    public func settle(upTo limit: Duration = .seconds(20), sourceLocation: SourceLocation = #_sourceLocation) async {
        guard await !orchestrator.quiet(upTo: limit) else { return }
        let lines = await orchestrator.underWay.map { "    \($0)\n" }.joined()
        fail(
            """
            The application was not quiet within \(limit) of real time:
            \(lines)Does it wait for a clock, or for something outside of the test?
            """,
            sourceLocation
        )
    }

    /// In exhaustive mode reports all records that no expectation has listed. Then counting starts again at zero.
    public func checkpoint(sourceLocation: SourceLocation = #_sourceLocation) {
        reportUnlisted(at: sourceLocation)
        let baseline = TelemetryBaseline(telemetry)
        state.withLock { $0 = State(baseline: baseline) }
    }

    /// In exhaustive mode reports all records that no expectation has listed. Otherwise does nothing.
    public func finish(sourceLocation: SourceLocation = #_sourceLocation) {
        state.withLock { $0.isFinished = true }
        reportUnlisted(at: sourceLocation)
    }

    /// What had been recorded at the beginning.
    var baseline: TelemetryBaseline { state.withLock { $0.baseline } }

    /// Why no assertion on `what` can hold; nil if the telemetry records an orchestrator.
    func obstacle(_ what: String) -> String? {
        guard telemetry.readings.isInstrumented else {
            return """
                Expected \(what), but the package trait Instrumented of Axiom is off, so nothing is recorded.
                Build the tests with the trait, which is on by default.
                """
        }
        guard !telemetry.readings.components.isEmpty else {
            return """
                Expected \(what), but no orchestrator reports to this telemetry.
                Make it with Orchestrator(instrumentation: telemetry), and start it before the assertion.
                """
        }
        return nil
    }

    /// Reports an issue of the running test.
    func fail(_ message: String, _ location: SourceLocation) {
        Issue.record(Comment(rawValue: message), sourceLocation: location)
    }

    private func check(_ expectation: TelemetryExpectation, _ location: SourceLocation) {
        if let obstacle = obstacle(expectation.source) { return fail(obstacle, location) }
        let baseline = baseline
        let recorded = RecordCounts(telemetry).since(baseline.counts)
        let check = ExpectationCheck(
            expectation: expectation,
            telemetry: telemetry,
            recorded: recorded,
            baseline: baseline
        )
        let result = check.run()
        state.withLock { state in
            state.isFinished = false
            // Also those of a failed expectation: one mistake is reported once.
            for record in result.matches { state.listed[record] = recorded[record] }
        }
        if let failure = result.failure { fail(failure, location) }
    }

    private func reportUnlisted(at location: SourceLocation) {
        guard !exhaustive.isEmpty else { return }
        guard telemetry.readings.isInstrumented else { return fail(obstacle("no other records") ?? "", location) }
        let (baseline, listed) = state.withLock { ($0.baseline, $0.listed) }
        let recorded = RecordCounts(telemetry).since(baseline.counts)
        let unlisted = recorded.counts.compactMap { record, count -> String? in
            guard let kind = record.kind, exhaustive.contains(kind), count > listed[record, default: 0] else {
                return nil
            }
            return record.source(count: count)
        }
        guard !unlisted.isEmpty else { return }
        let lines = unlisted.sorted().map { "    \($0)" }.joined(separator: ",\n")
        let message = """
            Recorded, but not expected with these counts:
            \(lines)
            Expect them, or leave their kinds out of exhaustive.
            """
        fail(message, location)
    }
}
