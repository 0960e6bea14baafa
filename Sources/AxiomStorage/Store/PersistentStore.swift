// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// The state of a client that is kept in a storage, so that the next run of the application continues with it.
///
/// ```swift
/// actor CartClient: Client, Component {
///     nonisolated let identity: ComponentIdentity
///     private let store: PersistentStore<CartState>
///
///     init(_ scope: borrowing ClientScope) throws {
///         identity = scope.identity
///         store = scope.persistentStore(CartState(), "cart", in: try scope.capability(FileStorage.self))
///     }
///     func activate() async throws { try await store.load() }
///     var state: CartState { store.state }
///     nonisolated var stateStream: StateStream<CartState> { store.stream }
///     func process(_ action: CartAction) async throws { store.update { $0.items += 1 } }
/// }
/// ```
/// A change is published at once and saved a little later: a burst of changes is one save, of the latest state. The
/// state is also saved when the application enters the background, and at the shutdown after the client's
/// `deactivate()`. If a save fails, the error ends once at the orchestrator's boundary, and the save is repeated after
/// 200 ms to 30 s until one succeeds; the state stays. If the last state cannot be saved at the shutdown, an error with
/// the code `AXIOM_PERSISTENCE_006` ends at the boundary.
///
/// At most the changes of the delay are lost if the process is killed. For a state that must not lose a change use a
/// ``DurableStore``.
public final class PersistentStore<S: OwnedState & Codable>: Sendable {
    /// When a change is saved.
    public enum Durability: Sendable, Hashable {
        /// The delay after the first unsaved change, by the clock of the orchestrator. Zero or less: at once.
        case coalesced(Duration)
    }

    let saver: StateSaver<S>

    init(_ saver: StateSaver<S>) { self.saver = saver }

    /// The state after the last successful update. Waits for an update in progress on another thread.
    public var state: S { saver.store.state }

    /// The changes of the state, for any number of independent subscribers. They end when the store is released and
    /// its last change is saved.
    public var stream: StateStream<S> { saver.store.stream }

    /// Loads the stored state and publishes it. Call it in `activate()`, before the state changes: a change before it is
    /// replaced by the stored state. Until it has succeeded, nothing is saved. A second call waits for the first one,
    /// and does nothing if that has succeeded.
    ///
    /// What cannot be read is moved to another key, which the result and an error at the orchestrator's boundary name.
    ///
    /// - Throws: ``PersistenceError`` if the stored state is from a newer version of the application, or if no migration
    ///   leads from its version to the current one: what is stored stays. The error of the storage if it cannot be read.
    @discardableResult
    public func load() async throws -> LoadedPersistentState { try await saver.load() }

    /// Changes the state and publishes the result, as ``StateStore/update(_:_:)`` does, and saves it later.
    ///
    /// Costs one more atomic read while an earlier change waits to be saved. The first change after a save also costs
    /// two locks and a timer.
    ///
    /// - Parameters:
    ///   - delivery: Whether a slow subscriber may miss the resulting state.
    ///   - body: Changes the state that it receives.
    /// - Returns: What `body` returns.
    /// - Throws: Only the error of `body`.
    public func update<R, E: Error>(
        _ delivery: StateDelivery = .latest,
        _ body: (inout S) throws(E) -> R
    ) throws(E) -> R {
        let result = try saver.store.update(delivery, body)
        saver.changed()
        return result
    }

    /// Saves the current state now, unless it is saved, and returns when it is durable.
    ///
    /// - Throws: ``PersistenceError`` if the save fails (it is repeated later), if the state was not loaded, or if the
    ///   application was shut down; `CancellationError` as soon as the task is cancelled: the save continues.
    public func flush() async throws { try await saver.flush() }
}
