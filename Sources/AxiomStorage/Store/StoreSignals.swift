// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The signals of persistent states.
enum StoreSignals {
    static let unsaved = SignalFamily(
        "axiom_storage_unsaved_seconds",
        .gauge,
        help: "Age of the oldest change of a client's persistent state that is not saved; 0 if there is none.",
        labels: ["client"]
    )
}

/// Shows the age of the oldest unsaved change of one client, which may have several persistent stores.
///
/// A gauge shows what was last set, so the age is set again every second while there is an unsaved change.
final class UnsavedGauge: Sendable {
    static let period = Duration.seconds(1)

    private struct State {
        /// The oldest unsaved change of each store that has one.
        var changes: [ObjectIdentifier: Instant] = [:]
        var ticker: Task<Void, Never>?
    }

    private let signal: (any Signal)?
    private let clock: TimeSource
    /// The signal is set under the lock, so that an age never replaces a later 0. Recording a signal does not block.
    private let state = Lock(State())

    init(_ port: ClientPort) {
        signal = port.signal(StoreSignals.unsaved, [port.component.name])
        clock = port.clock
        signal?.set(0)
    }

    /// Notes the oldest unsaved change of a store; nil if it has none.
    func note(_ store: ObjectIdentifier, _ oldest: Instant?) {
        guard let signal else { return }
        let ended = state.withLock { state -> Task<Void, Never>? in
            state.changes[store] = oldest
            guard state.changes.isEmpty else {
                if state.ticker == nil {
                    state.ticker = Task.detached(executorPreference: inheritedExecutor) { await self.tick() }
                }
                return nil
            }
            signal.set(0)
            defer { state.ticker = nil }
            return state.ticker
        }
        ended?.cancel()
    }

    private func tick() async {
        while (try? await clock.sleep(for: Self.period)) != nil {
            state.withLock { state in
                guard let oldest = state.changes.values.min() else { return }
                signal?.set(clock.now.seconds(since: oldest))
            }
        }
    }
}
