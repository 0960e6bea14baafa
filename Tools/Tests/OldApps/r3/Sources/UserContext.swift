// SPDX-License-Identifier: Apache-2.0

import AxiomR3

// Context with state observation
@MainActor
final class UserContext: Context {
    typealias Action = UserAction

    let orchestrator: Orchestrator
    let downstreamContexts: [any Context]
    private let userClient: UserClient
    private var observationTask: Task<Void, Never>?

    @Published private(set) var username = ""
    @Published private(set) var isLoggedIn = false
    @Published private(set) var error: Error?

    init(orchestrator: Orchestrator, productContext: ProductContext, userClient: UserClient) {
        self.orchestrator = orchestrator
        self.downstreamContexts = [productContext]
        self.userClient = userClient
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
        // Activate client
        try? await userClient.activate()

        // Observe state updates
        observationTask = Task { [weak self] in
            guard let self else { return }
            for await update in userClient.stateUpdates {
                switch update {
                case .loggedIn(let username):
                    self.username = username
                    self.isLoggedIn = true
                    self.error = nil
                case .loggedOut:
                    self.username = ""
                    self.isLoggedIn = false
                    self.error = nil
                case .error(let error):
                    self.error = error
                }
            }
        }
    }

    func stopObservation() {
        observationTask?.cancel()
        Task { await userClient.deactivate() }
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
