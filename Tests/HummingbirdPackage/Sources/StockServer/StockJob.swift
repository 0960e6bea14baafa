// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import ServiceLifecycle

/// Fills the stock every minute.
struct StockJob: Service {
    let stock: Endpoint<StockHandler>
    let clock: TimeSource

    func run() async {
        await cancelWhenGracefulShutdown { await work() }
    }

    /// Works until the task is cancelled.
    func work() async {
        while (try? await clock.sleep(for: .seconds(60))) != nil {
            // An error has ended at the boundary of the handler. The next attempt comes in a minute.
            _ = try? await stock.request(.restock, from: RequestOrigin(timeLimit: .seconds(30)))
        }
    }
}
