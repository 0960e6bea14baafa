// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Holds the state of a client and publishes its changes.
///
/// ```swift
/// actor CartClient: Client, Component {
///     nonisolated let identity: ComponentIdentity
///     private let store: StateStore<CartState>
///     init(_ scope: borrowing ClientScope) {
///         identity = scope.identity
///         store = scope.store(CartState())
///     }
///     var state: CartState { store.state }
///     nonisolated var stateStream: StateStream<CartState> { store.stream }
///
///     func process(_ action: CartAction) async throws {
///         switch action {
///         case .add(let item): store.update { $0.items.append(item) }
///         case .checkOut: try store.update(.critical) { try $0.checkOut() }
///         }
///     }
/// }
/// ```
///
/// When the store goes away its streams end, after what is pending was delivered.
public final class StateStore<S: OwnedState>: Sendable {
    private let storage: StateStorage<S>

    /// Makes a store that holds `initial` and is not observed: for tests, previews and doubles. A client's store
    /// comes from its scope, ``ClientScope/store(_:)``, and is observed.
    public init(_ initial: S) {
        storage = StateStorage(initial, instruments: nil)
    }

    /// Makes a store that holds `initial` and reports to `probe`. Without a probe no clock is ever read.
    ///
    /// - Parameter onDiscarded: Called after an update in which another one was called and discarded.
    init(
        _ initial: S,
        probe: (any StateProbe)?,
        clock: TimeSource = .live,
        onDiscarded: (@Sendable () -> Void)? = nil
    ) {
        let instruments = probe.map { StateFanout.Instruments(probe: $0, clock: clock) }
        storage = StateStorage(initial, instruments: instruments, onDiscarded: onDiscarded)
        probe?.storeMade { [weak storage] in storage?.current }
    }

    /// The bytes of the store's objects, as the allocator counts them, without those of the state.
    var frameworkBytes: Int {
        let objects = [self, storage, storage.fanout] as [AnyObject]
        let instruments = storage.fanout.instruments.map(Footprint.heapBytes) ?? 0
        return objects.reduce(instruments) { $0 + Footprint.heapBytes(of: $1) } - MemoryLayout<S>.size
    }

    deinit {
        storage.fanout.end(.finished)
    }

    /// The state as of the last update that succeeded. Waits for an update that is under way in another thread.
    public var state: S { storage.current }

    /// The changes of the state, for any number of independent subscribers. Costs nothing until one subscribes.
    public var stream: StateStream<S> { StateStream(storage: storage) }

    /// How many updates were called from inside another update of this store. Each was discarded.
    public var discardedUpdates: Int { storage.fanout.discardedCount }

    /// What tells this store, and the streams of it, from all others that exist.
    var id: ObjectIdentifier { ObjectIdentifier(storage.fanout) }

    /// How many subscriptions are open.
    var subscriberCount: Int { storage.fanout.subscriberCount }

    /// Changes the state and publishes the result.
    ///
    /// Updates are atomic: they follow one another, whichever threads they come from, and every subscriber sees the
    /// results in that order. When `body` throws, the state stays as it was. A result equal to the state before is
    /// not published, `.critical` or not.
    ///
    /// `body` runs once, on a copy of the state, with the store locked: keep it short and let it only compute.
    /// Reading ``state`` in it gives the state before the update; subscribing and ``finish()`` are possible. Calling
    /// `update` on the same store in it is a mistake: both changes are made to the same original, so one of them is
    /// lost. The inner change is discarded, the outer one counts, and the streams go on. The mistake is counted in
    /// ``discardedUpdates``. In a client it is also an error with the code ``ErrorCode/reentrantUpdate``, which is
    /// settled at the boundary of the context whose action led to it, or else at the orchestrator's.
    ///
    /// Costs one lock, one comparison and the copying that `body` causes; besides, for each subscriber, one lock and
    /// one place in its buffer.
    ///
    /// - Parameters:
    ///   - delivery: Whether a slow subscriber may miss the resulting state.
    ///   - body: Changes the state it is given; its result becomes the result of the update.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, and nothing else.
    public func update<R, E: Error>(
        _ delivery: StateDelivery = .latest,
        _ body: (inout S) throws(E) -> R
    ) throws(E) -> R {
        try storage.update(delivery, body)
    }

    /// Ends all streams, after what is pending was delivered. The state can still be read and updated; later subscribers
    /// get the current state and then the end.
    public func finish() {
        storage.fanout.end(.finished)
    }
}
