// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Logging
internal import ShopLoad

// Where the ledger counts in this process. The network and the clients have decorators, which the factories create. A context
// has a decorator for each action that is sent to it: by a shopper's window, or by the context that owns it. No component
// has a line for the ledger.

extension UpstreamError: RequestBound {}

/// The network, with the fate of each request that is answered or cancelled, or whose failure is tolerated. The fate of another
/// one that fails depends on the context that gets the error.
actor CountedNetwork: Configurable, Network {
    static let componentName = HTTPNetwork.componentName

    nonisolated let identity: ComponentIdentity
    private let network: HTTPNetwork
    private let faults: FaultTable

    init(
        _ scope: borrowing CapabilityScope,
        port: Int,
        clock: TimeSource,
        logger: Logger,
        faults: FaultTable
    ) throws {
        identity = scope.identity
        network = try HTTPNetwork(scope, port: port, clock: clock, logger: logger)
        self.faults = faults
    }

    func configure(_ settings: HTTPNetwork.Settings) async { await network.configure(settings) }

    func terminate() async { await network.terminate() }

    nonisolated func send(_ request: NetworkRequest) async throws -> [UInt8] {
        do {
            let body = try await network.send(request)
            faults.settle(request.number, .answered)
            return body
        } catch let error where error is CancellationError {
            faults.settle(request.number, .cancelled)
            throw error
        } catch {
            // If the sender tolerates the failure, no context gets the error.
            if request.toleratesFailure { faults.settle(request.number, .recovered) }
            throw error
        }
    }
}

extension Context {
    /// Sends an action to a downstream context. The errors of the action end at that context's boundary.
    ///
    /// The ledger counts the action. An application without a ledger sends it with `await context.send(action)`.
    ///
    /// - Throws: `CancellationError` if the task is cancelled: then the rest of this context's action is cancelled too.
    func forward<C: Context>(_ action: C.ActionType, to context: C) async throws {
        await CountedContext(context).send(action)
        try Task.checkCancellation()
    }
}
