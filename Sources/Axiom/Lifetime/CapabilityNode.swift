// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A registered capability of a type that the lifecycle need not know.
@MainActor
protocol CapabilityNode: AnyObject, Sendable {
    var descriptor: ComponentDescriptor { get }
    var requirement: CapabilityRequirement { get }
    /// What the capability said of itself when it was initialised; `unavailable` while there is no instance.
    var ownDegradation: DegradationLevel { get }

    /// How much of it works, given those that it depends on.
    var degradation: DegradationLevel { get }

    /// Runs the factory, which resolves the capability's dependencies.
    func construct(_ resolver: CapabilityResolver) throws
    func initialize() async throws
    func terminate(reason: String) async
    func fail(_ error: any Error)
    func degrade(to level: DegradationLevel)

    var port: InstrumentationPort { get }
    var probe: (any OperationProbe)? { get }
}

extension CapabilityNode {
    /// Reports an operation that began at `start`.
    func report(_ operation: ComponentOperation, since start: Instant) {
        #if Instrumented
        if let probe { Hooks.operationEnded(operation, since: start, probe, port.clock) }
        #endif
    }
}

/// A registered capability: its factory, and the slot in which its instances come and go.
@MainActor
final class TypedCapabilityNode<C: Capability, Exposed: Sendable>: CapabilityNode {
    typealias Factory = @Sendable (borrowing CapabilityScope) throws -> C

    let descriptor: ComponentDescriptor
    let requirement: CapabilityRequirement
    let slot: CapabilitySlot<Exposed>
    private(set) var ownDegradation = DegradationLevel.unavailable

    let port: InstrumentationPort
    let probe: (any OperationProbe)?
    private let factory: Factory
    /// The instance between its construction and its termination.
    private var instance: (capability: C, exposed: Exposed)?
    /// Only what was initialised is terminated.
    private var isInitialized = false

    init(
        _ descriptor: ComponentDescriptor,
        requirement: CapabilityRequirement,
        port: InstrumentationPort,
        factory: @escaping Factory
    ) {
        self.descriptor = descriptor
        self.requirement = requirement
        self.port = port
        self.factory = factory
        #if Instrumented
        probe = Hooks.operationProbe(for: descriptor, port)
        #else
        probe = nil
        #endif
        slot = CapabilitySlot(descriptor, probe: probe, clock: port.clock)
    }

    var degradation: DegradationLevel { slot.degradationLevel }

    func construct(_ resolver: CapabilityResolver) throws {
        let identity = ComponentIdentity(descriptor, port: port)
        let capability = try factory(CapabilityScope(identity, resolver))
        try CompositionError.check(capability, has: identity)
        guard let exposed = capability as? Exposed else {
            throw CompositionError(
                .notConforming,
                "The \(descriptor) is registered as \(Exposed.self), to which it does not conform.",
                "Declare the conformance, or register it as another type."
            )
        }
        identity.announce()
        instance = (capability, exposed)
    }

    func initialize() async throws {
        guard let instance else { return }
        try await instance.capability.initialize()
        isInitialized = true
        ownDegradation = await instance.capability.degradationLevel
        slot.occupy(instance.capability, as: instance.exposed, degradation: ownDegradation)
    }

    func terminate(reason: String) async {
        // What failed keeps the reason of its failure.
        guard instance != nil else { return }
        slot.vacate(reason: reason)
        ownDegradation = .unavailable
        let (capability, wasInitialized) = (instance?.capability, isInitialized)
        instance = nil
        isInitialized = false
        guard wasInitialized, let capability else { return }
        let start = port.clock.now
        await capability.terminate()
        report(.invalidation, since: start)
    }

    func fail(_ error: any Error) {
        instance?.capability.identity.note(startFailed: error)
        instance = nil
        isInitialized = false
        ownDegradation = .unavailable
        slot.vacate(reason: "its initialisation failed: \(error)", cause: error)
    }

    func degrade(to level: DegradationLevel) {
        slot.setDegradation(level)
    }
}
