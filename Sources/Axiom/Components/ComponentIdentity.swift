// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Synchronization

/// The identity of one live component: proof that an orchestrator made it, and the exact moment of its end.
///
/// A component stores the identity that its scope hands it. Nothing else keeps an identity strongly, so that its
/// `deinit` is the component's destruction: no base class, no sweep, no polling.
public final class ComponentIdentity: Sendable {
    /// A number that no other component of this process has.
    public let id: UInt64
    /// The kind and name of the component.
    public let descriptor: ComponentDescriptor
    /// When the orchestrator began to make the component.
    public let createdAt: Instant

    /// The life of the context that has this identity; `nil` for every other kind.
    let contextRuntime: ContextRuntime?
    let port: InstrumentationPort
    /// Set once, when the factory has returned the component: a factory that throws creates nothing, and so
    /// destroys nothing.
    private let wasAnnounced = Atomic(false)

    #if Instrumented
    /// A `ComponentEnding`. Written while the component lives, read at its end, which its release orders after.
    private let endingValue = Atomic(ComponentEnding.finished.rawValue)
    /// What the stores cost that the component's scope made: the framework's objects, without the state.
    private let storesBytes = Atomic(0)

    var storeBytes: Int { storesBytes.load(ordering: .relaxed) }

    func addStore(bytes: Int) {
        storesBytes.add(bytes, ordering: .relaxed)
    }

    var ending: ComponentEnding {
        ComponentEnding(rawValue: endingValue.load(ordering: .relaxed)) ?? .finished
    }
    #endif

    /// Notes how the component ends; what is noted first holds.
    func note(_ ending: ComponentEnding) {
        #if Instrumented
        let finished = ComponentEnding.finished.rawValue
        _ = endingValue.compareExchange(expected: finished, desired: ending.rawValue, ordering: .relaxed)
        #endif
    }

    /// Notes that the component ends because its start threw, or was called off.
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
        #if Instrumented
        if wasAnnounced.load(ordering: .acquiring) { Hooks.destroyed(self) }
        #endif
    }

    /// Reports the component as created. Called once, by the orchestrator, after the factory succeeded.
    func announce() {
        #if Instrumented
        let (announced, _) = wasAnnounced.compareExchange(
            expected: false,
            desired: true,
            ordering: .acquiringAndReleasing
        )
        if announced { Hooks.created(self) }
        #endif
    }
}

extension ComponentIdentity: CustomStringConvertible {
    /// The kind, name and number, as in `context CartContext #17`.
    public var description: String {
        "\(descriptor) #\(id)"
    }
}
