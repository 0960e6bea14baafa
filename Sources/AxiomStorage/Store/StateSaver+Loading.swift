// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

/// What ``PersistentStore/load()`` found.
public enum LoadedPersistentState: Sendable, Hashable {
    /// Nothing was stored. The initial state stays.
    case nothing
    /// The stored state is the current one.
    case state
    /// The stored state of an older version was migrated, and is saved again.
    case migrated(from: Int)
    /// What was stored could not be read. It was moved to this key, and the initial state stays.
    case setAside(StorageKey)
    /// The state was loaded before.
    case loadedBefore
}

extension StateSaver {
    /// Loads the state; see ``PersistentStore/load()``. A load that followed a change would replace it, so a second call
    /// waits for the first.
    func load() async throws -> LoadedPersistentState {
        while let earlier = beginLoad() {
            await earlier.value(ifCancelled: ())
            try Task.checkCancellation()
        }
        defer { endLoad() }
        return try await loadAlone()
    }

    /// - Returns: The end of the load under way; nil if there is none. Then one has begun.
    private func beginLoad() -> OneShot<Void>? {
        state.withLock { state in
            guard state.loads != nil else {
                state.loads = []
                return nil
            }
            let end = OneShot<Void>()
            state.loads?.append(end)
            return end
        }
    }

    private func endLoad() {
        let waiters = state.withLock { $0.loads.take() }
        for waiter in waiters ?? [] { waiter.settle(()) }
    }

    private func loadAlone() async throws -> LoadedPersistentState {
        guard machine.life == .unloaded else { return .loadedBefore }
        if let mistake = format.mistake { throw PersistenceError.invalidVersions(subject, mistake) }
        try claimKey()
        let found: StateFormat.Found<S>
        switch try await storage.bytes(key) {
        case .missing:
            open(stored: 0)
            return .nothing
        case .newer(let error), .unreadable(let error): throw error
        case .damaged(let error): found = .unreadable(error)
        case .data(let data): found = format.decode(S.self, data)
        }
        return try await use(found)
    }

    /// - Throws: ``PersistenceError`` if another store has the key.
    private func claimKey() throws {
        guard state.withLock({ $0.claim == nil }), let keeper = storage.keeper else { return }
        do {
            let claim = try StorageKeyClaim.make(key, in: keeper, for: port.component)
            state.withLock { $0.claim = claim }
        } catch {
            throw PersistenceError.keyTaken(subject, by: error.owner)
        }
    }

    private func use(_ found: StateFormat.Found<S>) async throws -> LoadedPersistentState {
        switch found {
        case .state(let state, let version):
            adopt(state, isCurrent: version == format.version)
            return version == format.version ? .state : .migrated(from: version)
        case .newer(let version):
            throw PersistenceError.newer(subject, stored: version, known: format.version)
        case .noMigration(let version):
            throw PersistenceError.noMigration(subject, from: version, to: format.version)
        case .unreadable(let cause):
            let aside = try await setAside()
            port.report(PersistenceError.setAside(subject, aside, cause: cause))
            open(stored: 0)
            return .setAside(aside)
        }
    }

    private func open(stored: UInt64?) {
        let current = store.version.number
        apply { $0.open(stored: stored, current: current, at: now) }
    }

    /// Makes the loaded state the current one, and publishes it if it differs.
    private func adopt(_ state: S, isCurrent: Bool) {
        store.update { $0 = state }
        let (current, version) = store.versioned
        // Another update may have followed at once.
        open(stored: isCurrent && current == state ? version.number : nil)
    }

    /// Moves what is stored to another key, in one transaction.
    private func setAside() async throws -> StorageKey {
        let aside = key.setAside(besides: try await storage.keys(prefix: key.setAsidePrefix))
        try await storage.moveAside(key, to: aside)
        return aside
    }
}
