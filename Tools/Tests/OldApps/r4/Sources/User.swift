// SPDX-License-Identifier: Apache-2.0

import AxiomR4
import Foundation

struct UserState {
    let username: String
    let isLoggedIn: Bool
}

enum UserStateUpdate {
    case loggedIn(username: String)
    case loggedOut
}

enum UserAction {
    case login(username: String)
    case logout
}

// Capability with error recovery
final class NetworkCapability: ManagedCapability {
    private(set) var isAvailable = true
    private let (availabilityStream, availabilityContinuation) = AsyncStream.makeStream(of: Bool.self)
    nonisolated var availabilityPublisher: AsyncStream<Bool> { availabilityStream }

    func request(_ endpoint: String) async throws -> Data {
        guard isAvailable else {
            throw AxiomError.capabilityUnavailable("Network")
        }

        do {
            return try await performRequest(endpoint)
        } catch {
            throw AxiomError.clientActionFailed(action: "network request", underlying: error)
        }
    }

    func checkAvailability() async -> Bool {
        await updateAvailability(true)
        return isAvailable
    }

    private func performRequest(_ endpoint: String) async throws -> Data {
        guard !endpoint.hasSuffix("/") else { throw AxiomError.contextNotFound(endpoint) }
        return Data(endpoint.utf8)
    }

    private func updateAvailability(_ available: Bool) async {
        let changed = isAvailable != available
        isAvailable = available

        if changed {
            availabilityContinuation.yield(available)
            if available {
                await onBecomeAvailable()
            } else {
                await onBecomeUnavailable()
            }
        }
    }

    func onBecomeAvailable() async {
        // Retry pending requests
    }

    func onBecomeUnavailable() async {
        // Cancel active requests
    }
}

actor UserClient: StatefulClient {
    typealias Action = UserAction
    typealias State = UserState
    typealias StateUpdate = UserStateUpdate

    private let network: NetworkCapability  // ✅ Valid
    private let domain: String
    private(set) var state = UserState(username: "nobody", isLoggedIn: false)

    private let (stream, continuation) = AsyncStream.makeStream(of: UserStateUpdate.self)
    nonisolated var stateUpdates: AsyncStream<UserStateUpdate> { stream }

    init(network: NetworkCapability, domain: String) {
        self.network = network
        self.domain = domain
    }

    func send(_ action: UserAction) async throws {
        switch action {
        case .login(let username):
            let data = try await network.request("/login/\(username)")
            guard !data.isEmpty else { return }
            // Atomic state update and notification
            await updateState { currentState in
                UserState(username: username + domain, isLoggedIn: true)
            }
            continuation.yield(.loggedIn(username: username + domain))
        case .logout:
            await updateState { _ in
                UserState(username: "", isLoggedIn: false)
            }
            continuation.yield(.loggedOut)
        }
    }

    private func updateState(_ transform: (UserState) -> UserState) async {
        state = transform(state)
    }

    func activate() async throws {
        guard await network.checkAvailability() else {
            throw AxiomError.capabilityUnavailable("Network")
        }
    }

    func deactivate() async {
        continuation.finish()
    }
}
