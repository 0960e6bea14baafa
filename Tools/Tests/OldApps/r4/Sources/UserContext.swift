// SPDX-License-Identifier: Apache-2.0

import AxiomR4
import Foundation

// Context with state observation - multiple instances observe singleton client
@MainActor
final class UserContext: Context {
    typealias Action = UserAction

    let orchestrator: Orchestrator
    let contextId = UUID().uuidString  // Unique per context instance
    private let userClient: UserClient  // Singleton - shared by all UserContext instances
    private var observationTask: Task<Void, Never>?

    @Published private(set) var username = ""
    @Published private(set) var isLoggedIn = false
    @Published private(set) var error: Error?

    init(orchestrator: Orchestrator, parent: (any Context)?, userClient: UserClient) {
        self.orchestrator = orchestrator
        self.userClient = userClient  // Receives singleton client

        // Downstream contexts are managed by the registry
        // Access via the downstreamContexts computed property
    }

    func send(_ action: UserAction) async {
        do {
            try await userClient.send(action)
            error = nil
        } catch {
            self.error = error
        }
    }

    func startObservation() async {
        // Stop any existing observation
        stopObservation()

        // Activate client
        try? await userClient.activate()

        // Create cancellable observation task
        observationTask = Task { [weak self] in
            guard let self else { return }

            // Load initial state
            let initialState = await userClient.state
            await MainActor.run {
                self.username = initialState.username
                self.isLoggedIn = initialState.isLoggedIn
            }

            // Observe state updates
            for await update in userClient.stateUpdates {
                // Check if task is cancelled
                if Task.isCancelled { break }

                await MainActor.run { [weak self] in
                    guard let self else { return }
                    switch update {
                    case .loggedIn(let username):
                        self.username = username
                        self.isLoggedIn = true
                        self.error = nil
                    case .loggedOut:
                        self.username = ""
                        self.isLoggedIn = false
                        self.error = nil
                    }
                }
            }
        }
    }

    func stopObservation() {
        observationTask?.cancel()
        observationTask = nil
    }

    // Lifecycle methods
    func onAppear() async {
        await startObservation()
    }

    func onDisappear() async {
        stopObservation()
    }

    func onBackground() async {
        // Save state if needed
    }

    func onForeground() async {
        // Refresh state if needed
    }
}
