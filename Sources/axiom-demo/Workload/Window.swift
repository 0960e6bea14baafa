// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// An open window on the shop, whatever it shows.
@MainActor
protocol Window: AnyObject {
    /// Does what `intent` says with the window's context.
    ///
    /// - Throws: ``MisplacedIntent`` when the intent belongs to another screen.
    func act(_ intent: Intent) async throws

    /// Unmounts the presentation.
    func close() async
}

/// An intent was handed to the window of another screen.
struct MisplacedIntent: Error, Hashable, CustomStringConvertible {
    let intent: Intent
    let window: String

    var description: String { "\(intent) was meant for another screen than \(window)" }
}

/// An open window that shows one presentation.
@MainActor
final class ShopWindow<P: Presentation>: Window where P.Output == String, P.ContextType.Input == Void {
    private let host: PresentationHost<P>
    private let counter: Counter

    /// Mounts the presentation.
    ///
    /// - Throws: As `PresentationHost.mount()`.
    init(at counter: Counter) async throws {
        self.counter = counter
        host = PresentationHost(P.self, counter.orchestrator) { counter.screens.show($0, to: counter.shopper) }
        try await host.mount()
        counter.ledger.mounts.mounted(P.componentName)
    }

    func act(_ intent: Intent) async throws {
        guard let action = intent.action as? P.ContextType.ActionType else {
            throw MisplacedIntent(intent: intent, window: P.componentName)
        }
        guard let context = host.context else { return }
        await counter.ledger.action(of: P.ContextType.componentName) { await context.send(action) }
    }

    func close() async {
        await host.unmount()
        counter.ledger.mounts.unmounted(P.componentName)
        counter.screens.clear(counter.shopper)
    }
}
