// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience
internal import Foundation
internal import Synchronization

/// Saves the state of one store: carries out what a ``SaveMachine`` decides.
///
/// While a change is unsaved, a task keeps this object alive, so the change is saved even if the client was released.
final class StateSaver<S: OwnedState & Codable>: Sendable {
    typealias Ending = SaveMachine.Ending

    struct State {
        var machine: SaveMachine
        var waiters: [SaveMachine.ID: OneShot<Ending>] = [:]
        var lastID: SaveMachine.ID = 0
        /// Sleeps while the machine waits.
        var timer: Alarm?
        /// The calls that wait for the end of the load under way; nil if there is none.
        var loads: [OneShot<Void>]?
        /// From the first load to the shutdown; nil for a storage that is not an object.
        var claim: StorageKeyClaim?
    }

    let store: StateStore<S>
    let key: StorageKey
    let format: StateFormat
    let storage: any KeyValueStorage
    let port: ClientPort
    let gauge: UnsavedGauge
    /// Whether the machine is dirty: the next save has not begun, so it includes every change until then. Written under
    /// the lock of `state`. A save clears it before it reads the state, under the lock of the store. An update reads it
    /// after it has held that lock: either it sees the cleared value, or the save sees its change.
    private let isDirty = Atomic(false)
    /// No code of the application and of the storage runs under this lock.
    let state: Lock<State>

    init(
        _ store: StateStore<S>,
        _ key: StorageKey,
        _ format: StateFormat,
        _ storage: any KeyValueStorage,
        _ port: ClientPort,
        delay: Duration
    ) {
        self.store = store
        self.key = key
        self.format = format
        self.storage = storage
        self.port = port
        let siblings = port.unsavedParts.compactMap { ($0 as? any GaugedPart)?.gauge }
        gauge = siblings.first ?? UnsavedGauge(port)
        let backoff = Backoff.exponential(base: .milliseconds(200), cap: .seconds(30), jitter: .equal)
        let seed = UInt64.random(in: 0 ... .max)
        state = Lock(State(machine: SaveMachine(delay: max(.zero, delay), backoff: backoff, seed: seed)))
        port.add(self)
    }

    var subject: StateSubject { StateSubject(type: "\(S.self)", key: key, client: port.component) }

    var now: Instant { port.clock.now }

    deinit { gauge.note(ObjectIdentifier(self), nil) }

    /// The calls that wait for the end of a load.
    var waitingLoads: Int { state.withLock { $0.loads?.count ?? 0 } }

    /// The machine at this moment.
    var machine: SaveMachine { state.withLock { $0.machine } }

    /// Called after each update. One atomic read if a change before it is not being saved yet.
    func changed() {
        guard !isDirty.load(ordering: .relaxed) else { return }
        let revision = store.version.number
        apply { $0.changed(to: revision, at: now) }
    }

    /// Passes an event to the machine and carries out what follows.
    func apply(_ event: (inout SaveMachine) -> SaveMachine.Effects) {
        _ = decide { (true, event(&$0)) }
    }

    /// Passes an event to the machine, carries out what follows, and returns the machine's decision.
    private func decide(_ event: (inout SaveMachine) -> (Bool, SaveMachine.Effects)) -> Bool {
        let (decision, effects, waiters, timer) = state.withLock { state in
            let (decision, effects) = event(&state.machine)
            isDirty.store(state.machine.isDirty, ordering: .relaxed)
            gauge.note(ObjectIdentifier(self), state.machine.oldestUnsaved)
            let waiters = effects.ended.map { state.waiters.removeValue(forKey: $0.0) }
            var timer: Alarm?
            if !state.machine.isWaiting || effects.wakeAt != nil { swap(&timer, &state.timer) }
            return (decision, effects, waiters, timer)
        }
        timer?.cancel()
        for (waiter, (_, ending)) in zip(waiters, effects.ended) { waiter?.settle(ending) }
        if let error = effects.report { port.report(error) }
        if let time = effects.wakeAt { wake(at: time) }
        if effects.startsSave { Task.detached(executorPreference: inheritedExecutor) { await self.saveState() } }
        return decision
    }

    private func wake(at time: Instant) {
        let timer = Alarm(at: time, on: port.clock) { [self] in apply { $0.awake(at: now) } }
        // The plan may have changed since; then another timer exists, or none is needed.
        let isObsolete = state.withLock { state in
            guard state.machine.work == .waiting(until: time), state.timer == nil else { return true }
            state.timer = timer
            return false
        }
        if isObsolete { timer.cancel() }
    }

    private func saveState() async {
        let (state, version) = store.versioned
        let data = Result { try format.encode(state) }
        guard decide({ $0.read(version.number, at: now) }) else { return }
        do {
            try await put(data)
            apply { $0.saved(at: now) }
        } catch {
            apply { $0.failed(error, at: now) }
        }
    }

    /// Stores a state in place of what is stored.
    ///
    /// - Throws: ``PersistenceError`` with the code ``ErrorCode/stateNotSaved``.
    func write(_ state: S) async throws { try await put(Result { try format.encode(state) }) }

    private func put(_ data: Result<Data, any Error>) async throws {
        do {
            try await storage.transaction([.put(key, data.get())])
        } catch {
            throw PersistenceError.notSaved(subject, cause: error)
        }
    }

    /// Waits until the current state is stored.
    ///
    /// - Throws: ``PersistenceError``; `CancellationError` as soon as the task is cancelled: the save continues.
    func flush(ignoresErrors: Bool = false) async throws {
        let target = store.version.number
        _ = try await wait { machine, id in
            machine.flush(SaveMachine.Flush(id: id, target: target, ignoresErrors: ignoresErrors))
        }
    }

    /// Waits for exclusive use of the storage, which ends with an event of the machine about the returned identifier.
    func request() async throws -> SaveMachine.ID { try await wait { $0.request($1) } }

    private func wait(
        _ event: (inout SaveMachine, SaveMachine.ID) -> SaveMachine.Effects
    ) async throws -> SaveMachine.ID {
        let waiter = OneShot<Ending>()
        let id = state.withLock { state in
            state.lastID += 1
            state.waiters[state.lastID] = waiter
            return state.lastID
        }
        apply { event(&$0, id) }
        switch await waiter.value(ifCancelled: .cancelled) {
        case .done: return id
        case .failed(let error): throw error
        case .notOpen(let life): throw PersistenceError.notOpen(subject, life)
        case .cancelled:
            // If exclusive use was given at the same time, this returns it.
            apply { $0.leave(id, at: now) }
            _ = state.withLock { $0.waiters.removeValue(forKey: id) }
            throw CancellationError()
        }
    }
}

/// A part of a client that shows its unsaved changes.
protocol GaugedPart {
    var gauge: UnsavedGauge { get }
}

extension StateSaver: UnsavedPart, GaugedPart {
    /// How often a shutdown tries to save a state.
    static var finalAttempts: Int { 3 }

    func save() async { try? await flush(ignoresErrors: true) }

    func saveFinally() async throws {
        apply { $0.finish() }
        var cause: (any Error)?
        for attempt in 1...Self.finalAttempts {
            do {
                try await flush()
                cause = nil
                break
            } catch {
                cause = error
                guard attempt < Self.finalAttempts, machine.life == .open else { break }
                guard (try? await port.clock.sleep(for: .milliseconds(100 * attempt))) != nil else { break }
            }
        }
        apply { $0.close() }
        withExtendedLifetime(state.withLock { $0.claim.take() }) {}
        // A change during the last save, or a save that failed.
        if machine.stored != store.version.number { throw PersistenceError.lost(subject, cause: cause) }
    }
}
