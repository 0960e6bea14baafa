// SPDX-License-Identifier: Apache-2.0

import AxiomR4
import Foundation

@MainActor
final class ProductContext: Context {
    @Published private(set) var items: [Product] = []
    @Published private(set) var totalPrice = 0

    let orchestrator: Orchestrator
    let contextId = UUID().uuidString
    private var observationTask: Task<Void, Never>?
    private let productClient: ProductClient  // Singleton - shared by all ProductContext instances

    init(orchestrator: Orchestrator, parent: (any Context)?, productClient: ProductClient) {
        self.orchestrator = orchestrator
        self.productClient = productClient
    }

    func send(_ action: ProductAction) async {
        try? await productClient.send(action)
    }

    /// A context below this one.
    func makeUser() -> UserContext {
        orchestrator.createContext(UserContext.self, parent: self)
    }

    func startObservation() async {
        // Cancel any existing observation
        observationTask?.cancel()

        // Create new observation task
        observationTask = Task { [weak self, productClient] in
            guard let self else { return }

            // Initial state
            let state = await productClient.state
            await MainActor.run {
                self.items = state.items
                self.totalPrice = state.totalPrice
            }

            // Observe updates with cancellation check
            for await update in productClient.stateUpdates {
                if Task.isCancelled { break }

                await MainActor.run { [weak self] in
                    guard let self else { return }
                    switch update {
                    case .itemAdded(let item):
                        self.items.append(item)
                        self.recalculateTotal()
                    case .itemRemoved(let id):
                        self.items.removeAll { $0.id == id }
                        self.recalculateTotal()
                    }
                }
            }
        }
    }

    func stopObservation() {
        observationTask?.cancel()
        observationTask = nil
    }

    func onAppear() async { await startObservation() }
    func onDisappear() async { stopObservation() }
    func onBackground() async {}
    func onForeground() async {}

    private func recalculateTotal() {
        totalPrice = items.reduce(0) { $0 + $1.price }
    }
}
