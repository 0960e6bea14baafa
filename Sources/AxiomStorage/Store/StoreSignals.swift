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

extension SaveMachine {
    /// A waiting flush, or a request of exclusive use.
    typealias ID = UInt64

    enum Life {
        /// Nothing is known about what is stored. Nothing is saved, because that might replace a better state.
        case unloaded
        case open
        /// The application was shut down.
        case closed
    }

    enum Work: Equatable {
        case idle
        /// A save begins at this time, or earlier for a flush.
        case waiting(until: Instant)
        /// A save has begun that has not read the state yet.
        case starting
        /// The state of this revision is being stored.
        case saving(UInt64)
        /// A request has exclusive use of the storage.
        case lent(ID)
    }

    /// How a flush or a request ended.
    enum Ending: Sendable {
        case done
        case failed(any Error)
        case notOpen(Life)
        case cancelled
    }

    /// The effects of an event.
    struct Effects: Sendable {
        /// ``SaveMachine/awake(at:)`` is to be called at this time.
        var wakeAt: Instant?
        /// The state is to be read; see ``SaveMachine/read(_:at:)``.
        var startsSave = false
        /// The flushes and requests that ended. For a request, ``Ending/done`` means that it has exclusive use.
        var ended: [(ID, Ending)] = []
        /// An error to report that no flush throws.
        var report: (any Error)?
    }

    /// A caller that waits until a revision is stored.
    struct Flush: Sendable {
        let id: ID
        /// The revision that has to be stored.
        let target: UInt64
        /// Whether its caller ignores the error, which is then to be reported.
        let ignoresErrors: Bool
    }
}
