// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import ShopLoad

/// Follows one script in one window at a time.
@MainActor
final class Shopper: SimulatedUser {
    private let visit: Visit
    private let clock: TimeSource
    private var script: Script
    private var window: (any Window)?

    init(_ visit: Visit, script: Script, clock: TimeSource) {
        self.visit = visit
        self.script = script
        self.clock = clock
    }

    func nextStep() -> Step? {
        script.next()
    }

    /// - Throws: The error of mounting a presentation.
    func take(_ step: Step) async throws {
        switch step {
        case .open(let screen):
            await leave()
            window = try await screen.open(for: visit)
        case .act(let intent, let patience):
            guard let window else { return }
            try await act(intent, patience, in: window)
        case .lookAway:
            await visit.orchestrator.enterBackground()
            await visit.orchestrator.enterForeground()
        }
    }

    private func act(_ intent: Intent, _ patience: Duration?, in window: any Window) async throws {
        guard let patience else { return try await window.act(intent) }
        let action = Task { try await window.act(intent) }
        let timer = Task { [clock] in
            try await clock.sleep(for: patience)
            action.cancel()
        }
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await action.value
        } onCancel: {
            action.cancel()
        }
    }

    /// Closes the window.
    func leave() async {
        await window?.close()
        window = nil
    }
}
