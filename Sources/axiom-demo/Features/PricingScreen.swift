// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomResilience
internal import Observation

/// What a person does with prices. Frequent, so its names are written by hand.
enum PricingIntent: Action, Hashable {
    case quote([CartLine])
    case reset

    static let caseNames = ["quote", "reset"]

    var caseIndex: Int {
        switch self {
        case .quote: 0
        case .reset: 1
        }
    }
}

/// Shows the price of the cart.
@MainActor
@Observable
final class PricingContext: Context {
    nonisolated let identity: ComponentIdentity
    private(set) var quote: Quote?
    private(set) var products: [Product] = []
    /// Whether the quote is an old one, because the server did not give a new one.
    private(set) var isStale = false
    /// Whether the current action asks for a quote.
    private var isQuoting = false
    private let client: any Client<PricingState, PricingAction>

    init(_ scope: borrowing ContextScope, client: any Client<PricingState, PricingAction>) throws {
        identity = scope.identity
        self.client = client
        observe(client) { ($0.quote, $0.products) = ($1.quote, $1.products) }
    }

    func handle(_ intent: PricingIntent) async throws {
        isQuoting = if case .quote = intent { true } else { false }
        switch intent {
        case .quote(let lines): try await client.process(.quote(lines))
        case .reset: try await client.process(.reset)
        }
        isStale = false
    }

    /// A quote changes nothing on the server, so a failed request is repeated once. A refused one is not: the circuit
    /// breaker gives the server time to recover. After that, an old quote is better than none.
    func recovery(for error: any Error) -> RecoveryStrategy {
        guard error.isServerFailure, isQuoting else { return .surface }
        let fallback = RecoveryStrategy("fallback") { [self] operation in
            isStale = quote != nil
            if !isStale { throw operation.error }
        }
        if error is CircuitError { return fallback }
        return .retry(attempts: 2, backoff: .constant(.milliseconds(50))).otherwise(fallback)
    }
}

/// The price of the cart.
struct PricingView: Presentation {
    let context: PricingContext

    var body: String {
        TextBlock.render(
            "Price\(TextBlock.mark(stale: context.isStale))",
            context,
            context.quote.map { "\(TextBlock.money($0.total)), tax \(TextBlock.money($0.tax))" } ?? "not asked yet",
            context.products.map { "\($0.article): \(TextBlock.money($0.price)) each" }.joined(separator: "\n")
        )
    }
}
