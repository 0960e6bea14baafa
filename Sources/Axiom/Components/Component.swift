// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Synchronization

/// A part of an application that an orchestrator creates: a capability, a client or a context.
public protocol Component: AnyObject, Sendable {
    /// The identity from the component's scope, stored unchanged.
    ///
    /// The orchestrator compares it with the identity that it issued, and rejects a component that stores another one.
    nonisolated var identity: ComponentIdentity { get }

    /// The name under which metrics, errors and graphs show this type.
    ///
    /// By default this is the type's name without its module. If two registered types share that name, the module is
    /// added. The name is 1 to 256 bytes long; otherwise ``Orchestrator/start()`` throws, or
    /// ``PresentationHost/mount(_:)`` for a presentation.
    ///
    /// A context is isolated to the main actor and this requirement is not, so a context overrides it as
    /// `nonisolated static let componentName = "Cart"`.
    static var componentName: String { get }
}

extension Component {
    /// The type's name without its module.
    public static var componentName: String { String(describing: Self.self) }
}

/// The identity of one live component: proof that an orchestrator made it, and the exact moment of its end.
///
/// A component stores the identity from its scope. Nothing else holds a strong reference to the identity, so its
/// `deinit` marks the destruction of the component, without a base class, a sweep or polling.
public final class ComponentIdentity: Sendable {
    /// A number that no other component of this process has.
    public let id: UInt64
    private let name: String
    // The next four fields take one word together with each other, because each client has an identity.
    private let kind: ComponentKind
    /// Set once, after the factory has returned the component. A factory that throws creates and destroys nothing.
    private let wasAnnounced = Atomic(false)
    /// A `ComponentEnding`. Written while the component lives. Read in `deinit`, which the last release orders after
    /// the writes.
    private let endingValue = Atomic(ComponentEnding.finished.rawValue)
    /// The bytes of the stores from the component's scope: the framework's objects, without the state.
    private let storesBytes = Atomic<Int32>(0)
    /// When the orchestrator began to make the component.
    package let createdAt: Instant

    /// The framework's side of the context that has this identity; nil for every other kind.
    let runtime: ComponentRuntime?
    let port: InstrumentationPort

    /// The time source of the orchestrator. Whatever a component makes that measures or waits takes it, so that a
    /// manual time of a test applies to all of it: `try Retry("orders", clock: scope.identity.clock)`.
    public var clock: TimeSource { port.clock }

    /// The kind and name of the component.
    public var descriptor: ComponentDescriptor { ComponentDescriptor(kind: kind, name: name) }

    var storeBytes: Int { Int(storesBytes.load(ordering: .relaxed)) }

    func addStore(bytes: Int) {
        storesBytes.wrappingAdd(Int32(truncatingIfNeeded: bytes), ordering: .relaxed)
    }

    var ending: ComponentEnding {
        ComponentEnding(rawValue: endingValue.load(ordering: .relaxed)) ?? .finished
    }

    /// Notes how the component ends; the first value wins.
    func note(_ ending: ComponentEnding) {
        guard InstrumentedTrait.isOn else { return }
        let finished = ComponentEnding.finished.rawValue
        _ = endingValue.compareExchange(expected: finished, desired: ending.rawValue, ordering: .relaxed)
    }

    /// Notes that the component ends because its start threw or was cancelled.
    func note(startFailed error: any Error) {
        note(ActionOutcome(ofError: error) == .cancelled ? .cancelled : .failed)
    }

    private static let lastID = Atomic<UInt64>(0)

    init(_ descriptor: ComponentDescriptor, port: InstrumentationPort, runtime: ComponentRuntime? = nil) {
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        (kind, name) = (descriptor.kind, descriptor.name)
        self.port = port
        self.runtime = runtime
        createdAt = port.clock.now
    }

    /// The identity of a component without an orchestrator: no observer sees it, and no orchestrator accepts it.
    package convenience init(standalone descriptor: ComponentDescriptor) {
        self.init(descriptor, port: InstrumentationPort(Instrumentations(), clock: .live))
    }

    deinit {
        guard let observer = port.observer, wasAnnounced.load(ordering: .acquiring) else { return }
        observer.destroyed(instance(), lifetime: port.clock.now.nanoseconds(since: createdAt))
    }

    /// Reports the component as created. Called once, by the orchestrator, after the factory succeeded.
    func announce() {
        guard let observer = port.observer else { return }
        let (announced, _) = wasAnnounced.compareExchange(
            expected: false,
            desired: true,
            ordering: .acquiringAndReleasing
        )
        if announced { observer.created(instance(frameworkBytes: frameworkBytes)) }
    }

    func reportUnmounted() { port.observer?.unmounted(instance(), at: port.clock.now) }

    /// This component as observers see it.
    func instance(frameworkBytes: Int = 0) -> ComponentInstance {
        ComponentInstance(
            id: id,
            component: descriptor,
            createdAt: createdAt,
            frameworkBytes: frameworkBytes,
            ending: ending
        )
    }
}

/// The framework's side of a component. The identity owns it, because only the identity lives exactly as long as the
/// component.
@MainActor
class ComponentRuntime {
    /// The bytes of the objects that belong to it.
    nonisolated var frameworkBytes: Int { 0 }
}

extension ComponentIdentity: CustomStringConvertible {
    /// The kind, name and number, as in `context CartContext #17`.
    public var description: String { "\(descriptor) #\(id)" }
}

extension ComponentIdentity {
    /// The bytes of the framework's own objects that belong to the component alone: the identity, and the objects of a
    /// context's runtime or of a client's store. Without the component itself and without its state.
    var frameworkBytes: Int {
        Footprint.heapBytes(of: self) + storeBytes + (runtime?.frameworkBytes ?? 0)
    }

    /// Binds a signal of a family with these label values; nil if nothing observes the orchestrator or if the observer
    /// does not record the signal. Call it once and keep the result.
    package func signal(_ family: SignalFamily, _ values: [String] = []) -> (any Signal)? {
        port.observer?.signal(family, values)
    }
}

extension CompositionError {
    /// Throws if a component does not store the identity that its scope supplied.
    static func check(_ component: any Component, has identity: ComponentIdentity) throws(CompositionError) {
        guard component.identity !== identity else { return }
        throw CompositionError(
            .foreignIdentity,
            "The \(identity.descriptor) stores the identity of \(component.identity) instead of its own.",
            "Store scope.identity in the initializer, and return a new instance from the factory each time."
        )
    }
}

/// Finds a second component that was made with the scope of another one, so that both store one identity.
///
/// Nothing in the language prevents it: an initializer may pass its scope on. The second component would never appear, and
/// its errors and metrics would be those of the first. The stored properties show it, also in optionals and arrays.
enum SharedIdentity {
    /// Throws if a stored property of a context is another component with its identity. Costs a reflection of the context.
    @MainActor
    static func check(partsOf context: any Context) throws(CompositionError) {
        try check(Mirror(reflecting: context), of: context)
    }

    /// Throws if a stored property of a client or a capability is another component with its identity. Runs on its actor,
    /// because the properties may change there already.
    static func check<C: Actor>(partsOf component: isolated C) async throws(CompositionError) {
        guard let owner = component as? any Component else { return }
        try check(Mirror(reflecting: component), of: owner)
    }

    /// Throws if a stored property of a request handler is another component with its identity.
    static func check<H: RequestHandler>(partsOf handler: H) throws(CompositionError) {
        try check(Mirror(reflecting: handler), of: handler)
    }

    private static func check(_ mirror: Mirror, of owner: any Component) throws(CompositionError) {
        for part in mirror.children {
            // The cast looks into an optional.
            let parts = (part.value as? any Component).map { [$0] } ?? part.value as? [any Component] ?? []
            for other in parts where other !== owner && other.identity === owner.identity {
                throw .sharedScope(owner.identity.descriptor, "\(type(of: other))")
            }
        }
    }
}

extension CompositionError {
    /// A component was made with the scope of another one.
    static func sharedScope(_ owner: ComponentDescriptor, _ other: String) -> Self {
        CompositionError(
            .foreignIdentity,
            "The \(owner) passed its scope to \(other), which has no identity of its own.",
            "Register \(other), and resolve it: a context below as scope.context(\(other).self). A scope makes one component."
        )
    }
}
