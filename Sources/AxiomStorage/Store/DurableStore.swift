// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// The state of a client that is durable before it is visible: each change is stored, then published.
///
/// ```swift
/// store = scope.persistentStore(Ledger(), "ledger", in: storage, durability: .beforePublishing)
/// ...
/// try await store.update(.critical) { $0.entries.append(entry) }
/// ```
/// Use it for changes that must survive a kill of the process once the user has seen them. An update takes as long as
/// a save of the storage; use a ``PersistentStore`` for all others.
public final class DurableStore<S: OwnedState & Codable>: Sendable {
    /// When a change is saved.
    public enum Durability: Sendable, Hashable {
        /// Before it is published.
        case beforePublishing
    }

    let saver: StateSaver<S>

    init(_ saver: StateSaver<S>) { self.saver = saver }

    /// The state after the last successful update. Waits for an update in progress on another thread.
    public var state: S { saver.store.state }

    /// The changes of the state, for any number of independent subscribers.
    public var stream: StateStream<S> { saver.store.stream }

    /// Loads the stored state and publishes it; see ``PersistentStore/load()``. Until it has succeeded, no update is
    /// possible.
    ///
    /// - Throws: As ``PersistentStore/load()``.
    @discardableResult
    public func load() async throws -> LoadedPersistentState { try await saver.load() }

    /// Changes a copy of the state, stores it, and publishes it.
    ///
    /// Updates run one after another, in the order of their calls. If the storage fails, the former state stays
    /// published. The storage may have kept the new state anyway, so the former state is stored again, after 200 ms
    /// to 30 s, until that succeeds.
    ///
    /// - Parameters:
    ///   - delivery: Whether a slow subscriber may miss the resulting state.
    ///   - body: Changes the state that it receives. Runs once, without a lock. A result equal to the state is neither
    ///     stored nor published.
    /// - Returns: What `body` returns.
    /// - Throws: The error of `body`; ``PersistenceError`` if the state could not be stored, was not loaded, or if the
    ///   application was shut down; `CancellationError` if the task is cancelled while it waits for another update.
    public nonisolated(nonsending) func update<R>(
        _ delivery: StateDelivery = .latest,
        _ body: (inout S) throws -> R
    ) async throws -> R {
        let id = try await saver.request()
        do {
            let state = saver.store.state
            var draft = state
            let result = try body(&draft)
            guard draft != state else {
                saver.apply { $0.leave(id, at: saver.now) }
                return result
            }
            try await store(draft, by: id)
            saver.store.update(delivery) { $0 = draft }
            let revision = saver.store.version.number
            saver.apply { $0.stored(revision, by: id, at: saver.now) }
            return result
        } catch {
            // Does nothing if the use has ended already.
            saver.apply { $0.leave(id, at: saver.now) }
            throw error
        }
    }

    private nonisolated(nonsending) func store(_ draft: S, by id: SaveMachine.ID) async throws {
        do {
            try await saver.write(draft)
        } catch {
            saver.apply { $0.storingFailed(by: id, at: saver.now) }
            throw error
        }
    }
}
