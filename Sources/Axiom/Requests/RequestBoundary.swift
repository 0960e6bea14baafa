// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The boundary at which the errors of one handler's requests end, or are recovered from. It counts and reports each error
/// once. Unlike the boundary of a context it shows nothing and is on no actor.
final class RequestBoundary: Sendable {
    /// How many errors ended here, and from how many the handler recovered. Relaxed: they order nothing else.
    private let ended = Atomic(0)
    private let recovered = Atomic(0)
    private let component: ComponentDescriptor
    private let port: InstrumentationPort

    init(_ component: ComponentDescriptor, _ port: InstrumentationPort) {
        (self.component, self.port) = (component, port)
    }

    var counts: (errors: Int, recovered: Int) {
        (ended.load(ordering: .relaxed), recovered.load(ordering: .relaxed))
    }

    /// Runs the recovery of a handler. Throws the error of the recovery, after `error` has ended here.
    func recover<R>(
        from error: any Error,
        _ trail: ErrorTrail,
        _ span: SpanContext,
        _ recovery: () async throws -> R
    ) async throws -> R {
        let start = port.clock.now
        do {
            let answer = try await recovery()
            recovered.add(1, ordering: .relaxed)
            report(.recovered, error, trail, span, since: start)
            return answer
        } catch let other {
            guard ActionOutcome(ofError: other) != .cancelled else {
                report(.cancelled, error, trail, span, since: start)
                throw other
            }
            _ = ended(error, trail, span)
            throw other
        }
    }

    /// Counts and reports an error that ends here, and returns it.
    func ended(_ error: any Error, _ trail: ErrorTrail, _ span: SpanContext) -> any Error {
        ended.add(1, ordering: .relaxed)
        let path = path(of: error, trail)
        let chain = trail.chain(of: error)
        port.ended(
            EndedError(error, origin: path[0], boundary: component, path: path, chain: chain, span: span)
        )
        return error
    }

    private func report(
        _ outcome: RecoveryReport.Outcome,
        _ error: any Error,
        _ trail: ErrorTrail,
        _ span: SpanContext,
        since start: Instant
    ) {
        port.observer?.recoveryEnded(
            RecoveryReport(
                strategy: "answer",
                outcome: outcome,
                nanoseconds: port.clock.now.nanoseconds(since: start),
                attempts: 0,
                error: error,
                origin: path(of: error, trail)[0],
                boundary: component,
                chain: trail.chain(of: error),
                span: span
            )
        )
    }

    /// The components that the error passed, from its origin to the handler.
    private func path(of error: any Error, _ trail: ErrorTrail) -> [ComponentDescriptor] {
        let path = trail.path(of: error) + [component]
        guard let origin = (error as? any AxiomError)?.origin, !path.contains(origin) else { return path }
        return [origin] + path
    }
}
