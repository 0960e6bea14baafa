// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomConfiguration
internal import AxiomResilience
internal import AxiomStorage
internal import Foundation
internal import Logging
internal import ShopLoad
internal import Synchronization

/// A request to the shop's server.
struct NetworkRequest: Hashable, Sendable {
    private static let lastNumber = Atomic<UInt64>(0)

    /// Identifies the request on both sides. The server gets it as the header `X-Request-Number`.
    let number = Self.lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    let method: String
    let path: String
    var body: [UInt8] = []
    /// The server treats two requests with the same key as one.
    var idempotencyKey: UUID?
    /// Whether the sender goes on after a failure: it sends the request again, or has an older answer. Such requests share
    /// connections that are kept open.
    var toleratesFailure = false

    var headers: [(name: String, value: String)] {
        [("X-Request-Number", "\(number)")] + (idempotencyKey.map { [("Idempotency-Key", $0.uuidString)] } ?? [])
    }
}

/// Access to the shop's server.
protocol Network: Sendable {
    /// Sends a request and returns the body of the response.
    ///
    /// - Throws: ``UpstreamError``; `CancellationError` if the task is cancelled; `PoolError` if no connection is free in
    ///   time, for a request that tolerates failure.
    func send(_ request: NetworkRequest) async throws -> [UInt8]
}

extension Network {
    /// Reads the resource at `path`.
    func get(_ path: String) async throws -> [UInt8] {
        try await send(NetworkRequest(method: "GET", path: path))
    }

    /// Sends `value` to `path` and returns the answer.
    func post<Answer: Decodable>(_ path: String, _ value: some Encodable, answer: Answer.Type) async throws -> Answer {
        let request = NetworkRequest(method: "POST", path: path, body: try JSON.encode(value))
        return try JSON.decode(answer, from: try await send(request))
    }
}

/// The network: HTTP to a port of this machine.
actor HTTPNetwork: Configurable, Network {
    /// What a configuration file can set.
    struct Settings: ReadableSettings {
        /// How many seconds a request may take, from the connection to the last byte of the response.
        var timeout = 1.5

        init(from reader: SettingsReader) {
            timeout = reader[SettingKey("network.timeout", fallback: 1.5, allowed: 0.05...60)]
        }
    }

    /// How long a request may take without other settings.
    static let deadline = Duration.milliseconds(1_500)

    nonisolated let identity: ComponentIdentity
    private let port: Int
    private let clock: TimeSource
    /// Replaced when the settings change. Requests under way keep theirs.
    private nonisolated let timeout = Lock(HTTPNetwork.deadline)
    /// For requests that tolerate failure.
    private let connections: ConnectionPool<LoopbackConnection>
    private let logger: Logger

    init(_ scope: borrowing CapabilityScope, port: Int, clock: TimeSource, logger: Logger) throws {
        identity = scope.identity
        self.logger = logger
        (self.port, self.clock) = (port, clock)
        connections = try ConnectionPool("upstream", limit: 3, owner: scope.identity, clock: clock) {
            $0.acquireTimeout = Self.deadline
            // Less than the time after which the server closes a connection that is idle.
            $0.idleLimit = .seconds(10)
        } make: {
            try await LoopbackConnection(port: port)
        }
    }

    func configure(_ settings: Settings) {
        timeout.withLock { $0 = .seconds(settings.timeout) }
    }

    func terminate() async {
        do {
            try await connections.close(within: .seconds(2))
        } catch {
            logger.warning("\(error)")
        }
    }

    /// Runs where the caller runs and not on the actor: requests do not wait for each other.
    nonisolated func send(_ request: NetworkRequest) async throws -> [UInt8] {
        do {
            let response = try await exchange(request, within: timeout.withLock { $0 })
            guard (200..<300).contains(response.status) else {
                let reason = UpstreamError.Reason.status(response.status)
                throw logged(UpstreamError(request: request.number, path: request.path, reason: reason))
            }
            return response.body
        } catch let failure as LoopbackClient.Failure {
            throw logged(UpstreamError(request: request.number, path: request.path, reason: .failure(failure)))
        }
    }

    private nonisolated func exchange(
        _ request: NetworkRequest,
        within deadline: Duration
    ) async throws -> (status: Int, body: [UInt8]) {
        let (method, path, body) = (request.method, request.path, request.body)
        guard request.toleratesFailure else {
            let client = LoopbackClient(port: port, deadline: deadline, clock: clock)
            return try await client.send(method, path, number: request.number, body: body)
        }
        return try await connections.withConnection {
            try await $0.send(method, path, headers: request.headers, body: body, within: deadline, clock: clock)
        }
    }

    /// Writes a record of the error, which the dashboard shows in the trace of the action.
    private nonisolated func logged(_ error: UpstreamError) -> UpstreamError {
        logger.warning("\(error.message)", metadata: ["code": "\(error.code.rawValue)", "path": "\(error.path)"])
        return error
    }
}

/// A request to the shop's server failed.
struct UpstreamError: AxiomError, Hashable {
    enum Reason: Hashable, Sendable {
        /// The status of the response is not one of the 200s.
        case status(Int)
        /// There is no response.
        case failure(LoopbackClient.Failure)
    }

    /// The number of the request.
    let request: UInt64
    let path: String
    let reason: Reason

    var code: ErrorCode {
        switch reason {
        case .status: "SHOP_NETWORK_STATUS"
        case .failure(.timeout): "SHOP_NETWORK_TIMEOUT"
        case .failure(.reset): "SHOP_NETWORK_RESET"
        case .failure(.unreachable): "SHOP_NETWORK_UNREACHABLE"
        case .failure(.malformed): "SHOP_NETWORK_MALFORMED"
        }
    }

    var message: String {
        let problem =
            switch reason {
            case .status(let status): "got the status \(status)"
            case .failure(.timeout): "got no response in time"
            case .failure(.reset): "lost its connection"
            case .failure(.unreachable(let problem)): "could not be sent (\(problem))"
            case .failure(.malformed(let problem)): "got a malformed response: \(problem)"
            }
        return "Request \(request) for \(path) \(problem)."
    }

    var recoverySuggestion: String { "Try again in a moment." }
}

extension Error {
    /// Whether the server did not do what the shop asked: it failed, or a circuit breaker refused the request.
    var isServerFailure: Bool { self is UpstreamError || self is CircuitError }
}

/// The last good responses of the shop's server, kept in storage: shown when the server fails.
///
/// Its keys begin with ``prefix``, so that the storage can delete them when the disk is full.
///
/// It depends on the network and on storage, which depend on nothing.
actor ResponseCache: Capability {
    /// A response, fresh or stale.
    struct Answer: Sendable {
        let body: [UInt8]
        /// Why the response is stale; nil if it is fresh.
        let failure: UpstreamError?

        var isStale: Bool { failure != nil }
    }

    static let prefix = "cache"

    nonisolated let identity: ComponentIdentity
    private let network: CapabilityRef<any Network>
    private let storage: CapabilityRef<any KeyValueStorage>
    private let policy: Policy

    /// - Parameter policy: Protects each access to the storage: an old response is not worth a long wait.
    init(_ scope: borrowing CapabilityScope, policy: Policy) throws {
        identity = scope.identity
        self.policy = policy
        network = try scope.capability((any Network).self)
        storage = try scope.capability((any KeyValueStorage).self)
    }

    /// The response to a `GET`: a fresh one, which is kept, or else the last one that was kept.
    ///
    /// - Throws: ``UpstreamError`` if there is neither; `StorageError`; `CancellationError`.
    nonisolated func fetch(_ path: String) async throws -> Answer {
        let key = StorageKey(Self.prefix + path)
        let storage = storage
        do {
            let body = try await network.call { try await $0.get(path) }
            try await policy.run { try await storage.call { try await $0.transaction([.put(key, Data(body))]) } }
            return Answer(body: body, failure: nil)
        } catch let error as UpstreamError {
            // If storage fails too, the error of the network is the one to report.
            let kept = try? await policy.run { try await storage.call { try await $0.data(key) } }
            guard let kept else { throw error }
            return Answer(body: Array(kept), failure: error)
        }
    }
}
