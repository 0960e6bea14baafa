// SPDX-License-Identifier: Apache-2.0

import AxiomR3
import Foundation

// State owned by Client
struct UserState {
    let username: String
    let isLoggedIn: Bool
}

// State updates for reactive changes
enum UserStateUpdate {
    case loggedIn(username: String)
    case loggedOut
    case error(Error)
}

enum UserAction {
    case login(username: String)
    case logout
}

enum NetworkError: Error {
    case unavailable
    case refused
}

// Capability with no dependencies
final class NetworkCapability: Capability {
    private(set) var isAvailable = true

    func checkAvailability() async -> Bool {
        // Check network reachability
        isAvailable = true  // Simplified
        return isAvailable
    }

    func request(_ endpoint: String) async throws -> Data {
        guard isAvailable else {
            throw NetworkError.unavailable
        }
        guard !endpoint.hasSuffix("/") else { throw NetworkError.refused }
        // Direct system API usage
        return Data(endpoint.utf8)
    }
}

// Stateful Client with state stream
actor UserClient: StatefulClient {
    typealias Action = UserAction
    typealias State = UserState
    typealias StateUpdate = UserStateUpdate

    private let network: NetworkCapability  // ✅ Valid
    private(set) var state = UserState(username: "", isLoggedIn: false)

    // State update stream
    private let (stream, continuation) = AsyncStream.makeStream(of: UserStateUpdate.self)
    nonisolated var stateUpdates: AsyncStream<UserStateUpdate> { stream }

    init(network: NetworkCapability) {
        self.network = network
    }

    func send(_ action: UserAction) async throws {
        switch action {
        case .login(let username):
            let data = try await network.request("/login/\(username)")
            guard !data.isEmpty else { return }
            state = UserState(username: username, isLoggedIn: true)
            continuation.yield(.loggedIn(username: username))
        case .logout:
            state = UserState(username: "", isLoggedIn: false)
            continuation.yield(.loggedOut)
        }
    }

    func activate() async throws {
        guard await network.checkAvailability() else {
            throw NetworkError.unavailable
        }
    }

    func deactivate() async {
        continuation.finish()
    }
}
