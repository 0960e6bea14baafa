// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomConfiguration
internal import AxiomResilience
internal import AxiomStorage
internal import Foundation
internal import Logging

/// A request to the shop's server.
struct NetworkRequest: Sendable {
    let method: String
    let path: String
    var headers: [String: String] = [:]
    var body = Data()
    /// Whether no customer waits for the answer: the sender tries again later, or has an older answer.
    var isBackground = false
}

/// Access to the shop's server.
protocol Network: Sendable {
    /// Sends a request and returns the body of the response.
    ///
    /// - Throws: `NetworkError`; `CancellationError` if the task is cancelled.
    func send(_ request: NetworkRequest) async throws -> Data
}

extension Network {
    /// Reads the resource at `path`.
    func get<Answer: Decodable>(_ path: String, as answer: Answer.Type) async throws -> Answer {
        try ShopJSON.decode(answer, from: try await send(NetworkRequest(method: "GET", path: path)))
    }

    /// Sends `value` to `path` and returns the answer.
    func post<Answer: Decodable>(_ path: String, _ value: some Encodable, answer: Answer.Type) async throws -> Answer {
        let request = NetworkRequest(method: "POST", path: path, body: try ShopJSON.encode(value))
        return try ShopJSON.decode(answer, from: try await send(request))
    }
}

/// The network: HTTP to a port of this machine, over connections that are kept open.
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
    private let clock: TimeSource
    private let logger: Logger
    /// Replaced when the settings change. Requests under way keep theirs.
    private nonisolated let limit = Lock(HTTPNetwork.deadline)
    private let connections: ConnectionPool<HTTPConnection>

    init(_ scope: borrowing CapabilityScope, port: Int, clock: TimeSource, logger: Logger) throws {
        identity = scope.identity
        (self.clock, self.logger) = (clock, logger)
        connections = try ConnectionPool("upstream", limit: 200, owner: scope.identity, clock: clock) {
            $0.acquireTimeout = Self.deadline
            // Less than the time after which the server closes a connection that is idle.
            $0.idleLimit = .seconds(10)
        } make: {
            try await HTTPConnection(port: port)
        }
    }

    func configure(_ settings: Settings) {
        limit.withLock { $0 = .seconds(settings.timeout) }
    }

    func terminate() async {
        do {
            try await connections.close(within: .seconds(2))
        } catch {
            logger.warning("\(error)")
        }
    }

    /// Runs where the caller runs and not on the actor: requests do not wait for each other.
    nonisolated func send(_ request: NetworkRequest) async throws -> Data {
        let (name, limit) = ("\(request.method) \(request.path)", limit.withLock { $0 })
        do {
            let response = try await Timeout("network", limit, clock: clock).run {
                try await connections.withConnection { try await $0.exchange(request) }
            }
            guard (200..<300).contains(response.status) else {
                throw NetworkError.server(name, status: response.status)
            }
            return response.body
        } catch let error as NetworkError {
            throw logged(error, request)
        } catch let error as TimeoutError {
            throw logged(.timeout(name, after: limit, cause: error), request)
        } catch let error as POSIXError {
            throw logged(.noConnection(to: "the shop's server", cause: error), request)
        }
    }

    /// Writes a record of the error, which the dashboard shows in the trace of the action.
    private nonisolated func logged(_ error: NetworkError, _ request: NetworkRequest) -> NetworkError {
        if !request.isBackground {
            logger.warning("\(error.message)", metadata: ["code": "\(error.code.rawValue)", "path": "\(request.path)"])
        }
        return error
    }
}

extension Error {
    /// Whether the server did not do what the shop asked: it failed, or a circuit breaker refused the request.
    var isServerFailure: Bool { self is NetworkError || self is CircuitError }
}
