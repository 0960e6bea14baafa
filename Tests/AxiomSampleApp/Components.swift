// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import Observation

/// A capability that stores objects.
package actor Vault: Capability {
    package nonisolated let identity: ComponentIdentity
    private var content = 0

    package init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
    }

    package func put(_ amount: Int) {
        content += amount
    }
}

/// The articles that were sold.
package struct TillState: OwnedState {
    package var sales: Int

    package init(sales: Int = 0) {
        self.sales = sales
    }
}

/// A client with state, which uses the capability.
package actor TillClient: Client, Component {
    package nonisolated let identity: ComponentIdentity
    package nonisolated let store: StateStore<TillState>
    private let vault: CapabilityRef<Vault>

    package init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        vault = try scope.capability(Vault.self)
        store = scope.store(TillState())
    }

    package var state: TillState { store.state }
    package nonisolated var stateStream: StateStream<TillState> { store.stream }

    package func process(_ action: TillAction) async throws {
        switch action {
        case .sell(let work):
            try await work()
            try await vault.call { await $0.put(1) }
            store.update { $0.sales += 1 }
        case .refund: throw Refused()
        case .stamp: store.update(.critical) { $0.sales += 1 }
        case .close: store.update { $0.sales += 0 }
        }
    }
}

/// A client without state.
package actor MailClient: StatelessClient, Component {
    package nonisolated let identity: ComponentIdentity

    package init(_ scope: borrowing ClientScope) {
        identity = scope.identity
    }

    package func process(_ action: MailAction) async throws {
        if case .send(let work) = action { try await work() }
    }
}

/// A context with one downstream context.
@MainActor
@Observable
package final class CounterContext: Context {
    package nonisolated let identity: ComponentIdentity
    @ObservationIgnored package let till: any Client<TillState, TillAction>
    @ObservationIgnored package let mail: any StatelessClient<MailAction>
    @ObservationIgnored package let receipt: ReceiptContext
    package var sales = 0
    /// The error that ``CounterAction/sellAnyway(_:)`` caught.
    @ObservationIgnored package var caught: (any Error)?

    package init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        till = try scope.client(TillClient.self)
        mail = try scope.client(MailClient.self)
        receipt = try scope.context(ReceiptContext.self)
    }

    package func onAppear() async throws {
        observe(till) { $0.sales = $1.sales }
    }

    package func handle(_ action: CounterAction) async throws {
        switch action {
        case .sell(let work): try await till.process(.sell(work))
        case .refund(let card): try await till.process(.refund(card))
        case .mail(let work): try await mail.process(.send(work))
        case .think(let work): try await work()
        case .sellAnyway(let work):
            do { try await till.process(.sell(work)) } catch { caught = error }
        }
    }
}

/// A context without actions.
@MainActor
@Observable
package final class ReceiptContext: Context {
    package nonisolated let identity: ComponentIdentity

    package init(_ scope: borrowing ContextScope) {
        identity = scope.identity
    }
}

/// The view of the seller.
package struct CounterView: Presentation {
    package let context: CounterContext

    package init(context: CounterContext) {
        self.context = context
    }

    package var body: String { "\(context.sales) sold" }
}
