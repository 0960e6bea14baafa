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
}

extension ShopContext {
    /// Does what `intent` asks, and enters how it ended.
    func handle(_ intent: Intent) async throws {
        try await ledger.action(of: Self.componentName) { try await perform(intent) }
    }

    /// Hands an intent to a downstream context, whose boundary ends what goes wrong there.
    ///
    /// - Throws: `CancellationError` when the task was cancelled meanwhile: the rest has been called off too.
    func pass<C: Context>(_ intent: C.ActionType, to context: C) async throws {
        await context.send(intent)
        try Task.checkCancellation()
    }
}
