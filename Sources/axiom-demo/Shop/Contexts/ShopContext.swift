// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A context of the shop: what it does is entered in the ledger where it happens.
@MainActor
protocol ShopContext: Context where ActionType == Intent {
    /// What a person does here.
    associatedtype Intent: Action

    var ledger: Ledger { get }

    /// Does what `intent` asks: the body of `handle`.
    func perform(_ intent: Intent) async throws

    /// How to make `error` good; nil when it is only shown.
    func remedy(for error: any Error) -> RecoveryStrategy?
}

extension ShopContext {
    func remedy(for error: any Error) -> RecoveryStrategy? { nil }

    /// Does what `intent` asks, and enters how it ended.
    func handle(_ intent: Intent) async throws {
        try await ledger.attempt { try await perform(intent) }
    }

    /// The remedy, if there is one; what it leaves is shown, and entered in the ledger.
    func recovery(for error: any Error) -> RecoveryStrategy {
        let ending = RecoveryStrategy.errorState { [ledger] in ledger.ended($0) }
        return remedy(for: error)?.otherwise(ending) ?? ending
    }

    /// A remedy that is entered in the ledger.
    ///
    /// - Parameter help: Does without what failed; false when it cannot.
    func remedy(_ name: String, _ help: @escaping @MainActor @Sendable () async -> Bool) -> RecoveryStrategy {
        RecoveryStrategy(name) { [ledger] operation in
            guard await help() else { throw operation.error }
            ledger.recovered(operation.error)
        }
    }

    /// Hands an intent to a downstream context, whose boundary ends what goes wrong there.
    ///
    /// - Throws: `CancellationError` when the task was cancelled meanwhile: the rest has been called off too.
    func pass<C: Context>(_ intent: C.ActionType, to context: C) async throws {
        await ledger.action(of: C.componentName) { await context.send(intent) }
        try Task.checkCancellation()
    }
}
