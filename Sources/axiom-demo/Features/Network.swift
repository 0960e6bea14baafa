// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomConfiguration
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
}

/// Access to the shop's server.
protocol Network: Sendable {
    /// Sends a request and returns the body of the response.
    ///
    /// - Throws: ``UpstreamError``; `CancellationError` if the task is cancelled.
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
    private nonisolated let client: Lock<LoopbackClient>
    private let logger: Logger

    init(_ scope: borrowing CapabilityScope, port: Int, clock: TimeSource, logger: Logger) {
        identity = scope.identity
        self.logger = logger
        (self.port, self.clock) = (port, clock)
        client = Lock(LoopbackClient(port: port, deadline: Self.deadline, clock: clock))
    }

    func configure(_ settings: Settings) {
        let new = LoopbackClient(port: port, deadline: .seconds(settings.timeout), clock: clock)
        client.withLock { $0 = new }
    }

    /// Runs where the caller runs and not on the actor: requests do not wait for each other.
    nonisolated func send(_ request: NetworkRequest) async throws -> [UInt8] {
        do {
            let (method, path, body) = (request.method, request.path, request.body)
            let client = client.withLock { $0 }
            let response = try await client.send(method, path, number: request.number, body: body)
            guard (200..<300).contains(response.status) else {
                throw logged(UpstreamError(request: request.number, path: path, reason: .status(response.status)))
            }
            return response.body
        } catch let failure as LoopbackClient.Failure {
            throw logged(UpstreamError(request: request.number, path: request.path, reason: .failure(failure)))
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
/// It depends on the network and on storage, which depend on nothing.
actor ResponseCache: Capability {
    /// A response, fresh or stale.
    struct Answer: Sendable {
        let body: [UInt8]
        /// Why the response is stale; nil if it is fresh.
        let failure: UpstreamError?

        var isStale: Bool { failure != nil }
    }

    nonisolated let identity: ComponentIdentity
    private let network: CapabilityRef<any Network>
    private let storage: CapabilityRef<any Storage>

    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        network = try scope.capability((any Network).self)
        storage = try scope.capability((any Storage).self)
    }

    /// The response to a `GET`: a fresh one, which is kept, or else the last one that was kept.
    ///
    /// - Throws: ``UpstreamError`` if there is neither; ``StorageError``; `CancellationError`.
    nonisolated func fetch(_ path: String) async throws -> Answer {
        let name = "cache" + path.replacing("/", with: "-") + ".json"
        do {
            let body = try await network.call { try await $0.get(path) }
            try await storage.call { try await $0.update(name) { _ in body } }
            return Answer(body: body, failure: nil)
        } catch let error as UpstreamError {
            // If storage fails too, the error of the network is the one to report.
            guard let kept = try? await storage.call({ try await $0.read(name) }) else { throw error }
            return Answer(body: kept, failure: error)
        }
    }
}
