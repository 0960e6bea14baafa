// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation
internal import Logging

/// The cause of an error of the network: the request, by its number.
struct NumberedRequest: Error, CustomStringConvertible {
    /// The value of the header `X-Request-Number`.
    let number: UInt64
    /// The cause that the network gave, such as a `POSIXError`.
    var cause: (any Error)?

    var description: String {
        "request \(number)" + (cause.map { ", caused by \(type(of: $0)) (\($0))" } ?? "")
    }
}

/// The network, with a number on each request, and the fate of each request that is answered or cancelled, or whose failure
/// no context gets. The fate of another one that fails depends on the context that gets the error, which has the number.
actor CountedNetwork: Configurable, Network {
    static let componentName = HTTPNetwork.componentName

    /// Keeps the network that has the same identity. On purpose: the shop has one network in its metrics and its errors. A
    /// stored property that is a component with that identity would be refused.
    private struct Wrapped: Sendable {
        let network: HTTPNetwork
    }

    nonisolated let identity: ComponentIdentity
    private let wrapped: Wrapped
    private let faults: FaultTable
    private nonisolated var network: HTTPNetwork { wrapped.network }

    init(
        _ scope: borrowing CapabilityScope,
        port: Int,
        clock: TimeSource,
        logger: Logger,
        faults: FaultTable
    ) throws {
        identity = scope.identity
        wrapped = Wrapped(network: try HTTPNetwork(scope, port: port, clock: clock, logger: logger))
        self.faults = faults
    }

    func configure(_ settings: HTTPNetwork.Settings) async { await network.configure(settings) }

    func terminate() async { await network.terminate() }

    nonisolated func send(_ request: NetworkRequest) async throws -> Data {
        let number = faults.nextNumber()
        var numbered = request
        numbered.headers["X-Request-Number"] = "\(number)"
        do {
            let body = try await network.send(numbered)
            faults.settle(number, .answered)
            return body
        } catch let error as NetworkError {
            // If the sender tolerates the failure, no context gets the error.
            if request.isBackground { faults.settle(number, .recovered) }
            throw error.caused(by: NumberedRequest(number: number, cause: error.cause))
        } catch {
            if error is CancellationError { faults.settle(number, .cancelled) }
            throw error
        }
    }
}

extension NetworkError {
    /// The request that failed; nil if it has no number.
    var request: UInt64? { (facts.cause as? NumberedRequest)?.number }

    /// The same error with another cause.
    func caused(by cause: any Error) -> NetworkError {
        var new = ErrorFacts(
            facts.code,
            facts.message,
            recoverySuggestion: facts.recoverySuggestion,
            suggestedAction: facts.suggestedAction,
            isRecoverable: facts.isRecoverable,
            origin: facts.origin,
            cause: cause
        )
        new.status = facts.status
        return NetworkError(new)
    }
}
