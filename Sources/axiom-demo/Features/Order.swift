// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience
internal import AxiomStorage
internal import Foundation

/// What a customer buys. The server prices and charges it when it applies the order.
struct Order: Codable, Hashable, Sendable, Identifiable {
    let id: UUID
    let customer: String
    let lines: [CartLine]
}

/// Sends orders to the server: at once if it answers, and otherwise when it does again, also after a restart.
///
/// The id of an order is its idempotency key. The server ignores a key that it has seen, so each order is applied once,
/// however often it is sent.
struct OrderQueue: Sendable {
    private let outbox: Outbox
    private let engine: SyncEngine

    /// - Throws: `OfflineError` and `ResilienceError` for invalid settings, which these are not.
    init(
        _ scope: borrowing ClientScope,
        _ network: CapabilityRef<any Network>,
        _ storage: CapabilityRef<any KeyValueStorage>,
        clock: TimeSource
    ) throws {
        outbox = try Outbox("orders", in: storage, clock: clock)
        engine = try SyncEngine(
            scope,
            outbox,
            connection: .capability(network),
            options: Self.options,
            breaker: try CircuitBreaker(name: "orders", Self.breaker, clock: clock)
        ) { change in
            try await Self.send(change, network)
        }
    }

    /// Begins to send, first what an earlier run has left.
    ///
    /// - Throws: The error of the storage.
    func start() async throws { try await engine.start() }

    func stop() async { await engine.stop() }

    /// Adds an order. It is durable when this returns. An order that is in the queue already stays as it is.
    ///
    /// - Throws: `OfflineError` if the queue is full; the error of the storage.
    func append(_ order: Order) async throws {
        let payload = Data(try JSON.encode(order))
        do {
            try await outbox.append("order.place", payload, key: order.customer, id: order.id)
        } catch let error as OfflineError where error.code == .changeInOutbox {
            // It was added by a run that ended before it noted that.
        }
    }

    private static func send(
        _ change: PendingChange,
        _ network: CapabilityRef<any Network>
    ) async throws -> SyncAnswer {
        var request = NetworkRequest(method: "POST", path: "/orders", body: Array(change.payload))
        request.idempotencyKey = change.id
        request.toleratesFailure = true
        do {
            _ = try await network.call { [request] in try await $0.send(request) }
            return .accepted
        } catch let error as UpstreamError {
            guard case .status(let status) = error.reason, (400..<500).contains(status) else { throw error }
            return .rejected(reason: "the server answered with the status \(status)")
        }
    }

    /// A failure of the server does not count against an order, and the waits are short because a person watches the demo for
    /// a minute.
    private static var options: SyncOptions {
        var options = SyncOptions()
        options.isOutage = { $0 is UpstreamError || $0 is PoolError || SyncOptions.standardOutage($0) }
        options.backoff = .exponential(base: .milliseconds(200), cap: .seconds(2))
        return options
    }

    private static let breaker = CircuitBreakerConfiguration(
        consecutiveFailures: 3,
        openDuration: .milliseconds(500),
        openDurationCap: .seconds(1)
    )
}
