// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The state that one client owns: an immutable snapshot, replaced as a whole by the next one.
///
/// ```swift
/// struct CartState: OwnedState {
///     var items: [Item] = []
///     var total: Decimal = 0
/// }
/// ```
///
/// Use structs and enums of values at every level. The compiler checks that the state can cross isolation boundaries
/// (`Sendable`) and be compared. It cannot check that the state contains no references. A final class with only
/// constants passes as `Sendable`, and so does one marked `@unchecked Sendable`. A state that holds such an object and
/// changes it in place breaks atomicity, rollback and the comparison that skips equal states.
///
/// ``StateStore/update(_:_:)`` compares the old with the new state once per update, so `==` defines a change. If a
/// hand-written `==` omits a property, a change of that property alone is never published.
public protocol OwnedState: Equatable, Hashable, Sendable {}

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
/// When the store is released, its streams end after they have delivered the pending states.
public final class StateStore<S: OwnedState>: Sendable {
    let storage: StateStorage<S>

    /// Makes a store that holds `initial` and is not observed, for tests, previews and doubles. A client's store comes
    /// from its scope, ``ClientScope/store(_:)``, and is observed.
    public init(_ initial: S) { storage = StateStorage(initial, instruments: nil) }

    /// Makes a store that holds `initial` and reports to `probe`. Without a probe no clock is ever read.
    init(
        _ initial: S,
        probe: (any StateProbe)?,
        clock: TimeSource = .live,
        spans: (any SpanProbe)? = nil,
        recorder: (any StateRecorder)? = nil,
        owner: StoreOwner? = nil
    ) {
        let instruments = probe.map {
            StateFanout.Instruments(probe: $0, clock: clock, spans: spans, recorder: recorder)
        }
        storage = StateStorage(initial, instruments: instruments, owner: owner)
        probe?.storeMade { [weak storage] in storage?.current }
        storage.instruments?.recorder?.made(storage)
    }

    /// The bytes of the store's objects, as the allocator counts them, without the state.
    var frameworkBytes: Int {
        let objects = [self, storage] as [AnyObject]
        let instruments = storage.instruments.map(Footprint.heapBytes) ?? 0
        return objects.reduce(instruments) { $0 + Footprint.heapBytes(of: $1) } - MemoryLayout<S>.size
    }

    deinit {
        storage.end()
        storage.owner?.storeReleased(storage)
    }

    /// The state after the last successful update. Waits for an update in progress on another thread.
    public var state: S { storage.current }

    /// The changes of the state, for any number of independent subscribers. Costs nothing until one subscribes.
    public var stream: StateStream<S> { StateStream(storage: storage) }

    /// Distinguishes this store and its streams from all others that exist.
    var id: ObjectIdentifier { ObjectIdentifier(storage) }

    /// How many subscriptions are open.
    var subscriberCount: Int { storage.subscriberCount }

    /// Changes the state and publishes the result.
    ///
    /// Updates are atomic: they run one after another, even from different threads, and every subscriber sees the
    /// results in that order. If `body` throws, the state does not change. A result equal to the previous state is not
    /// published, even with `.critical`.
    ///
    /// `body` runs once, on a copy of the state, while the store is locked. Keep it short and only compute in it.
    /// Inside it, ``state`` returns the state before the update; subscribing and ``finish()`` are possible. Do not call
    /// `update` on the same store inside it: both changes would start from the same original, so one of them would be
    /// lost. The inner change is discarded, the outer one counts, and the streams continue. In a client the
    /// mistake is an error with the code ``ErrorCode/reentrantUpdate``, which is handled at the boundary of the context
    /// whose action caused it, or else at the orchestrator's.
    ///
    /// Costs one lock, one comparison and the copying that `body` causes, plus one lock and one buffer entry for each
    /// subscriber.
    ///
    /// - Parameters:
    ///   - delivery: Whether a slow subscriber may miss the resulting state.
    ///   - body: Changes the state that it receives. Its result becomes the result of the update.
    /// - Returns: What `body` returns.
    /// - Throws: Only the error of `body`.
    public func update<R, E: Error>(
        _ delivery: StateDelivery = .latest,
        _ body: (inout S) throws(E) -> R
    ) throws(E) -> R {
        try storage.update(delivery, body)
    }

    /// Ends all streams after they have delivered the pending states. The state can still be read and updated. Later
    /// subscribers get the current state and then the end.
    public func finish() { storage.end() }
}

/// Whether a slow subscriber may miss the result of an update.
public enum StateDelivery: Hashable, Sendable {
    /// A later state may replace the resulting state before a slow subscriber has taken it. The default.
    case latest

    /// The resulting state is delivered to every subscriber, in order, even if later updates follow. Up to 1,000 such
    /// states wait for one subscriber; one more ends its subscription with ``ErrorCode/subscriberStalled``.
    case critical
}
