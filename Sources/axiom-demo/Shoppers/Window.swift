// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import ShopLoad

/// What one shopper opens windows with.
@MainActor
struct Visit {
    let orchestrator: Orchestrator
    let ledger: Ledger
    let displays: Displays
    /// The index of the shopper.
    let shopper: Int
}

/// An open window of the shop.
@MainActor
protocol Window: AnyObject {
    /// Sends the action of `intent` to the window's context.
    ///
    /// - Throws: ``MisplacedIntent`` if the intent is for another screen.
    func act(_ intent: Intent) async throws

    /// Unmounts the presentation.
    func close() async
}

/// An intent was sent to the window of another screen.
struct MisplacedIntent: Error, Hashable, CustomStringConvertible {
    let intent: Intent
    let window: String

    var description: String { "\(intent) is for another screen than \(window)" }
}

/// An open window that shows one presentation, and counts its mounts and actions in the ledger.
@MainActor
final class ShopWindow<P: Presentation>: Window where P.Output == String, P.ContextType.Input == Void {
    private let host: PresentationHost<P>
    private let visit: Visit
    private let recorder: ActionRecorder

    /// Mounts the presentation.
    ///
    /// - Throws: As `PresentationHost.mount()`.
    init(_ visit: Visit) async throws {
        self.visit = visit
        recorder = ActionRecorder(visit.ledger)
        host = PresentationHost(P.self, visit.orchestrator) { visit.displays.show($0, to: visit.shopper) }
        try await host.mount()
        visit.ledger.mounts.mounted(P.componentName)
        if let context = host.context { recorder.settle(context) }
    }

    func act(_ intent: Intent) async throws {
        guard let action = intent.action as? P.ContextType.ActionType else {
            throw MisplacedIntent(intent: intent, window: P.componentName)
        }
        guard let context = host.context else { return }
        await recorder.send(action, to: context)
    }

    func close() async {
        // The errors of the context's last phases are settled after the presentation is unmounted.
        let context = host.context
        await host.unmount()
        if let context { recorder.settle(context) }
        visit.ledger.mounts.unmounted(P.componentName)
        visit.displays.clear(visit.shopper)
    }
}
