// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Follows one script at one counter.
@MainActor
final class Shopper {
    private let counter: Counter
    private let watchdog: Watchdog
    private let clock: TimeSource
    private var script: Script
    private var window: (any Window)?

    init(at counter: Counter, script: Script, watchdog: Watchdog, clock: TimeSource) {
        self.counter = counter
        self.script = script
        self.watchdog = watchdog
        self.clock = clock
    }

    /// Takes steps as `pacer` lets it, until `end`, for `steps` at most, or until the task is cancelled; then goes.
    ///
    /// - Throws: What keeps a presentation from being mounted.
    func shop(_ pacer: Pacer, steps: Int, until end: Instant?) async throws {
        do {
            for _ in 0..<steps {
                guard (try? await pacer.turn()) != nil, let step = script.next() else { break }
                if let end, clock.now >= end { break }
                try await watchdog.watch(step) { try await take(step) }
            }
        } catch {
            await leave()
            throw error
        }
        await leave()
    }

    private func take(_ step: Step) async throws {
        switch step {
        case .open(let screen):
            await leave()
            window = try await screen.open(at: counter)
        case .act(let intent, let patience):
            guard let window else { return }
            try await act(intent, patience, in: window)
        case .lookAway:
            await counter.orchestrator.enterBackground()
            await counter.orchestrator.enterForeground()
        }
    }

    private func act(_ intent: Intent, _ patience: Duration?, in window: any Window) async throws {
        guard let patience else { return try await window.act(intent) }
        let action = Task { try await window.act(intent) }
        let walkOff = Task { [clock] in
            try await clock.sleep(for: patience)
            action.cancel()
        }
        defer { walkOff.cancel() }
        try await withTaskCancellationHandler {
            try await action.value
        } onCancel: {
            action.cancel()
        }
    }

    private func leave() async {
        await window?.close()
        window = nil
    }
}
