// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// A span of the application that has begun.
struct NamedSpan {
    private let probe: any SpanProbe
    private let span: OpenSpan
    private let clock: TimeSource

    /// Begins a span; nil if nothing is recorded.
    ///
    /// - Parameter remote: The parent in another process; none for the span of the calling task.
    init?(_ name: String, _ probes: SpanProbes?, _ clock: TimeSource, under remote: SpanContext = .none) {
        guard let probes else { return nil }
        probe = probes.probe(named: name)
        let parent = remote.isNone ? OperationContext.currentSpan : remote
        span = probe.begin(.custom, .action(0), at: clock.now, under: parent)
        self.clock = clock
    }

    /// Runs `body` with this span as the parent of the spans that begin in it.
    func bind<R>(_ body: () throws -> R) rethrows -> R {
        try OperationContext.current(under: span.context).bind(with: probe, body)
    }

    /// Runs `body` on the caller's actor with this span as the parent of the spans that begin in it.
    func bind<R>(isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> R) async rethrows -> R {
        try await OperationContext.current(under: span.context).bind(with: probe, isolation: isolation, body)
    }

    func end<R, Failure: Error>(_ result: Result<R, Failure>) {
        var error: (any Error)?
        // A cast, because otherwise an untyped error would be in a second box, which hides the case of an enum.
        if case .failure(let failure) = result { error = (failure as Any) as? any Error }
        let record = SpanRecord(
            .custom,
            .action(0),
            start: span.start,
            nanoseconds: clock.now.nanoseconds(since: span.start),
            outcome: error.map(ActionOutcome.init(ofError:)) ?? .success,
            error: error
        )
        probe.end(span, record)
    }
}

/// The span of a task, to be carried to where it is not inherited: into `Task.detached`, or into a callback.
///
/// ```swift
/// let span = CarriedSpan.current
/// Task.detached { await span.run { try? await client.process(.refresh) } }
/// ```
/// The carried span may have ended. What runs under it then still belongs to its trace, but is not kept with it.
public struct CarriedSpan: Sendable {
    private let context: SpanContext

    /// The span of the calling task.
    public static var current: CarriedSpan { CarriedSpan(context: OperationContext.currentSpan) }

    /// Runs `body` on the caller's actor below this span.
    ///
    /// - Throws: The error of `body`.
    public func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async rethrows -> R {
        try await OperationContext.$current.withValue(.current(under: context)) {
            _ = isolation
            return try await body()
        }
    }

    /// Runs `body` below this span.
    ///
    /// - Throws: The error of `body`.
    public func run<R>(_ body: () throws -> R) rethrows -> R {
        try OperationContext.$current.withValue(.current(under: context), operation: body)
    }
}
