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
    public static var componentName: String {
        String(describing: Self.self)
    }
}

/// The identity of one live component: proof that an orchestrator made it, and the exact moment of its end.
///
/// A component stores the identity from its scope. Nothing else holds a strong reference to the identity, so its
/// `deinit` marks the destruction of the component, without a base class, a sweep or polling.
public final class ComponentIdentity: Sendable {
    /// A number that no other component of this process has.
    public let id: UInt64
    /// The kind and name of the component.
    public let descriptor: ComponentDescriptor
    /// When the orchestrator began to make the component.
    public let createdAt: Instant

    /// The runtime of the context that has this identity; `nil` for every other kind.
    let contextRuntime: ContextRuntime?
    let port: InstrumentationPort
    /// Set once, after the factory has returned the component. A factory that throws creates nothing, and therefore
    /// destroys nothing.
    private let wasAnnounced = Atomic(false)

    /// A `ComponentEnding`. Written while the component lives. Read in `deinit`, which the last release orders after
    /// the writes.
    private let endingValue = Atomic(ComponentEnding.finished.rawValue)
    /// The bytes of the stores from the component's scope: the framework's objects, without the state.
    private let storesBytes = Atomic(0)

    var storeBytes: Int { storesBytes.load(ordering: .relaxed) }

    func addStore(bytes: Int) {
        storesBytes.add(bytes, ordering: .relaxed)
    }

    var ending: ComponentEnding {
        ComponentEnding(rawValue: endingValue.load(ordering: .relaxed)) ?? .finished
    }

    /// Notes how the component ends; the first value wins.
    func note(_ ending: ComponentEnding) {
        guard InstrumentationPort.isInstrumented else { return }
        let finished = ComponentEnding.finished.rawValue
        _ = endingValue.compareExchange(expected: finished, desired: ending.rawValue, ordering: .relaxed)
    }

    /// Notes that the component ends because its start threw or was cancelled.
    func note(startFailed error: any Error) {
        note(ActionOutcome(ofError: error) == .cancelled ? .cancelled : .failed)
    }

    private static let lastID = Atomic<UInt64>(0)

    init(_ descriptor: ComponentDescriptor, port: InstrumentationPort, contextRuntime: ContextRuntime? = nil) {
        id = Self.lastID.wrappingAdd(1, ordering: .relaxed).newValue
        self.descriptor = descriptor
        self.port = port
        self.contextRuntime = contextRuntime
        createdAt = port.clock.now
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

    /// Reports that the component's presentation was unmounted.
    func reportUnmounted() {
        port.observer?.unmounted(instance(), at: port.clock.now)
    }

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

extension ComponentIdentity: CustomStringConvertible {
    /// The kind, name and number, as in `context CartContext #17`.
    public var description: String {
        "\(descriptor) #\(id)"
    }
}
