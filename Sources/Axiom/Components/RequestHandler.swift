// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import AxiomResilience

/// Answers requests without a screen: those of a server's route, a queue, a schedule or a command line.
///
/// ```swift
/// enum StockRequest: Action {
///     typealias Answer = Int
///     case take(String)
/// }
///
/// final class StockHandler: RequestHandler {
///     let identity: ComponentIdentity
///     private let stock: ClientOf<StockClient>
///
///     init(_ scope: borrowing HandlerScope) throws {
///         identity = scope.identity
///         stock = try scope.client(StockClient.self)
///     }
///
///     func handle(_ request: StockRequest, in work: borrowing WorkScope) async throws -> Int {
///         switch request {
///         case .take(let item): try await stock.process(.take(item))
///         }
///     }
/// }
/// ```
/// The orchestrator makes one instance at each start, before it takes requests. All requests share the instance, and run
/// beside each other and beside the main actor, so it has no state of its own: what a request needs is in its
/// ``WorkScope``. It depends on clients only. The cases of the action are the routes: metrics show their names.
public protocol RequestHandler<ActionType>: Component {
    /// The requests.
    associatedtype ActionType: Action

    /// Answers a request. Called through an ``Endpoint``, on no actor in particular, for many requests at once.
    ///
    /// - Parameter work: What belongs to this request. It cannot be kept: it ends with the request.
    /// - Returns: The answer of this request; see ``Action/Answer``.
    /// - Throws: The error that stopped the request, for ``recover(_:from:in:)``.
    func handle(_ request: ActionType, in work: borrowing WorkScope) async throws -> ActionType.Answer

    /// The boundary at which the errors of requests end. Answers the request in another way, or throws.
    ///
    /// If it throws, `error` ends here and is counted, once, under the component in which it arose, and the caller gets what
    /// it threw. Never called for a cancellation, or after the deadline of the request. The default throws `error`.
    ///
    /// - Returns: An answer; the error is then counted as recovered, by the remedy `answer`.
    /// - Throws: The error for the caller.
    func recover(
        _ request: ActionType,
        from error: any Error,
        in work: borrowing WorkScope
    ) async throws -> ActionType.Answer

    /// Which requests get a free place first while others wait. Default: normal. The requests of a session need no place.
    static func priority(of request: ActionType) -> BulkheadPriority

    /// How long a request may take, with its wait for a place; nil, the default, for no limit. The shorter one of this and
    /// ``RequestOrigin/timeLimit`` applies. A request with a limit runs in a child task. With the
    /// trace of its caller it costs 6 to 8 µs of processor time more; `request-rates` measures both together.
    static func timeLimit(of request: ActionType) -> Duration?
}

extension RequestHandler {
    /// Throws `error`.
    public func recover(
        _ request: ActionType,
        from error: any Error,
        in work: borrowing WorkScope
    ) async throws -> ActionType.Answer { throw error }

    /// Normal.
    public static func priority(of request: ActionType) -> BulkheadPriority { .normal }

    /// No limit.
    public static func timeLimit(of request: ActionType) -> Duration? { nil }
}

/// What belongs to one request. It cannot be copied or stored, so nothing of it outlives the request.
public struct WorkScope: ~Copyable, Sendable {
    /// A number that no other request or session of this process has. The requests of a ``RequestSession`` have that of the
    /// session.
    public var id: UInt64 { facts.id }
    /// The values of the request: those of its origin, and for what it does not set those of the orchestrator. What the
    /// request calls sees the same by ``AppValues/current``.
    public var values: AppValues { facts.values }
    /// The time source of the orchestrator.
    public var clock: TimeSource { port.clock }
    private let facts: RequestFacts
    private let span: SpanContext
    private let port: InstrumentationPort

    init(_ facts: RequestFacts, _ span: SpanContext, _ port: InstrumentationPort) {
        (self.facts, self.span, self.port) = (facts, span, port)
    }

    /// When the request is too late; nil without a limit.
    public var deadline: Instant? { values.deadline }

    /// The `traceparent` of W3C Trace Context for an outgoing call; nil if the request is not recorded.
    public var traceparent: String? { port.framework.first { $0.traceparent(of: span) } }
}
