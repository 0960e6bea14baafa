// SPDX-License-Identifier: Apache-2.0

// The example of Documentation/user-interface.md. A test compares the two, and runs it.
import Axiom
import AxiomUI
import Observation

enum PriceAction: Action { case load }

@Observable
final class PriceContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    private(set) var price = "unknown"
    private var attempts = 0

    init(_ scope: borrowing ContextScope) { identity = scope.identity }

    func handle(_ action: PriceAction) async throws {
        attempts += 1
        if attempts == 1 { throw NetworkError.noConnection(to: "shop.example") }
        price = "CHF 12.50"
    }
}

/// The output is a text: the error while there is one, otherwise the price.
struct PricePage: Presentation {
    let context: PriceContext

    var body: String {
        let errors = BoundaryPresentation(context.errorBoundary, labels: context.values[ErrorLabels.self])
        return errors.isEmpty ? "The price is \(context.price)." : errors.text(width: 48)
    }
}

@MainActor
func runShop(
    draw: @escaping @MainActor (String) -> Void,
    readKey: @MainActor () async -> Int
) async throws {
    let orchestrator = Orchestrator()
    orchestrator.register(PriceContext.self) { PriceContext($0) }
    try await orchestrator.start()

    let host = PresentationHost(PricePage.self, orchestrator, render: draw)
    try await host.mount()
    if let context = host.context {
        await context.send(.load)
        while let error = ErrorPresentation(context.errorBoundary) {
            let key = await readKey()
            await context.errorBoundary.choose(key, of: error)
        }
        _ = await readKey()
    }
    await host.unmount()
    await orchestrator.shutdown()
}
