// SPDX-License-Identifier: Apache-2.0

import AxiomR3

@MainActor
final class ProductContext: Context {
    @Published private(set) var items: [Product] = []
    @Published private(set) var totalPrice = 0

    let orchestrator: Orchestrator
    let downstreamContexts: [any Context] = []
    private let productClient: ProductClient
    private var observationTask: Task<Void, Never>?

    init(orchestrator: Orchestrator, productClient: ProductClient) {
        self.orchestrator = orchestrator
        self.productClient = productClient
    }

    func send(_ action: ProductAction) async {
        try? await productClient.send(action)
    }

    func startObservation() async {
        observationTask = Task { [weak self] in
            guard let self else { return }

            // Initial state
            let state = await productClient.state
            self.items = state.items
            self.totalPrice = state.totalPrice

            // Observe updates
            for await update in productClient.stateUpdates {
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

    func stopObservation() {
        observationTask?.cancel()
    }

    func onAppear() async { await startObservation() }

    func onDisappear() async { stopObservation() }

    func onBackground() async {}

    func onForeground() async {}

    private func recalculateTotal() {
        totalPrice = items.reduce(0) { $0 + $1.price }
    }
}
