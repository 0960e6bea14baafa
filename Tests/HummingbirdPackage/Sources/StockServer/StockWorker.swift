// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomStorage
import ServiceLifecycle

/// Takes the items of the orders in an outbox, one after the other, in one session. An order stays in the outbox until it
/// was answered: after a crash it is taken again.
struct StockWorker: Service {
    let stock: Endpoint<StockHandler>
    let orders: Outbox
    let clock: TimeSource

    func run() async throws {
        while !Task.isShuttingDownGracefully {
            do {
                return try await work(orders.updates.cancelOnGracefulShutdown())
            } catch is RequestError {
                // The application has not started yet, or has no free place.
                try await clock.sleep(for: .seconds(1))
            }
        }
    }

    /// Works until the updates of the outbox end.
    func work(_ updates: some AsyncSequence<OutboxStatus, some Error> & Sendable) async throws {
        try await stock.session { session in
            for try await status in updates where status.pending > 0 {
                try await work(in: session)
            }
        }
    }

    /// Works until the outbox is empty.
    private func work(in session: borrowing RequestSession<StockHandler>) async throws {
        while !Task.isShuttingDownGracefully, let order = try await orders.pendingChanges.first {
            do {
                try await session.request(.take(String(decoding: order.payload, as: UTF8.self)))
            } catch is OutOfStock, is ValidationError {
                // Another attempt would not help. The error has ended at the boundary of the handler.
            } catch {
                try await clock.sleep(for: .seconds(1))
                continue
            }
            try await orders.discard(order.id)
        }
    }
}
