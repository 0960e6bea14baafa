// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The network: HTTP over loopback sockets.
///
/// `URLSession` was tried first. On Linux it hides what this application must see: a reset on a reused connection
/// makes it repeat a GET silently, and a POST wait until its timeout instead of failing.
actor HTTPNetwork: Capability, Network {
    /// How long a request may take, from the connection to the last byte of the answer.
    static let deadline = Duration.milliseconds(1_500)

    nonisolated let identity: ComponentIdentity
    private let port: Int
    private let ledger: Ledger
    private let clock: TimeSource

    init(_ scope: borrowing CapabilityScope, port: Int, ledger: Ledger, clock: TimeSource) {
        identity = scope.identity
        self.port = port
        self.ledger = ledger
        self.clock = clock
        ledger.singletons.created(Self.componentName, self)
    }

    /// Runs on the caller's behalf and not on the actor: requests do not wait for each other.
    nonisolated func send(_ request: NetworkRequest) async throws -> [UInt8] {
        let number = ledger.faults.newRequest()
        do {
            let response = try await withDeadline(clock.now.advanced(by: Self.deadline), clock: clock) { [port] in
                try await Self.exchange(request.encoded(number: number, host: "127.0.0.1:\(port)"), port: port)
            }
            guard (200..<300).contains(response.status) else {
                throw UpstreamError(request: number, path: request.path, reason: .status(response.status))
            }
            ledger.faults.settle(number, .answered)
            return response.body
        } catch is CancellationError {
            ledger.faults.settle(number, .cancelled)
            throw CancellationError()
        } catch {
            throw Self.networkError(error, number, request)
        }
    }

    private static func exchange(_ request: [UInt8], port: Int) async throws -> ResponseParser.Response {
        let socket = try await LoopbackSocket(port: port)
        try await socket.send(request)
        var parser = ResponseParser()
        while true {
            if let response = try parser.take(try await socket.receive()) { return response }
        }
    }

    private static func networkError(_ error: any Error, _ number: UInt64, _ request: NetworkRequest) -> UpstreamError {
        let reason: UpstreamError.Reason
        switch error {
        case let error as UpstreamError: return error
        case is DeadlineExceeded: reason = .timeout
        case let error as SocketError: reason = error.isReset ? .reset : .unreachable(error.description)
        case let error as ResponseParser.Malformed: reason = .malformed(error.problem)
        default: reason = .malformed("\(error)")
        }
        return UpstreamError(request: number, path: request.path, reason: reason)
    }
}
