// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// A registered capability, without its type.
@MainActor
protocol CapabilityNode: AnyObject, Sendable {
    var descriptor: ComponentDescriptor { get }
    var requirement: CapabilityRequirement { get }
    /// The number of the present instance; nil if there is none.
    var instanceID: UInt64? { get }
    var isInitialized: Bool { get }
    /// The cached answer of the latest availability check; nil if there is none. Asks nothing.
    var cachedAvailability: Bool? { get }
    /// The level that the capability reports itself; `unavailable` if there is no instance.
    var ownDegradation: DegradationLevel { get }

    /// The level of the capability, limited by its dependencies.
    var degradation: DegradationLevel { get }

    /// Runs the factory, which resolves the capability's dependencies.
    func construct(_ resolver: CapabilityResolver) throws

    /// Initialises the instance, within its limit.
    func initialize() async throws

    /// Configures the instance in place, with new settings or again with those in force.
    ///
    /// - Returns: Whether there is an instance that is configured in place. If false, it has to be replaced.
    /// - Throws: The error of the instance, which then works as before. ``LifecycleError`` if it does not return in
    ///   time.
    func reconfigure(_ offer: SettingsOffer?) async throws -> Bool

    /// Takes the instance out of service, and terminates it if it was initialised.
    ///
    /// - Parameter isFinal: Whether no new instance follows.
    /// - Returns: The error of an instance that did not end in time.
    func terminate(reason: String, isFinal: Bool) async -> (any Error)?

    func fail(_ error: any Error)

    /// Sets the level that the capability inherits from its dependencies.
    func degrade(to inherited: DegradationLevel)

    /// Calls `observer`, on any thread, whenever an instance or the system reports a different level.
    func observeLevel(_ observer: @escaping @Sendable () -> Void)

    /// Calls `observer` when a request changed the status of a permission, and awaits it.
    func observePermissions(_ observer: @escaping @Sendable ([CapabilityEvent]) async -> Void)

    /// The level that dependents inherit: the capability's own, limited by permissions, services and resources.
    var passedOnDegradation: DegradationLevel { get }

    /// The level, the availability and the reason.
    var condition: CapabilityReport { get }

    /// The permissions that the capability declares.
    var permissions: Set<Permission> { get }

    /// Records events about the capability. Returns what has to be done.
    func absorb(_ events: [CapabilityEvent]) -> CapabilityConditions.Reaction

    /// Passes the pressure of a resource to the instance.
    ///
    /// - Returns: The bytes that it gave back.
    /// - Throws: ``LifecycleError`` if it does not return in time.
    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async throws -> Int64

    /// Checks availability and permissions again. Returns the change to carry out, if any.
    func refresh() async -> CapabilityChange?

    /// Ends the subscriptions to the level: no instance follows.
    func endLevels()

    var meters: CapabilityMeters? { get }

    var port: InstrumentationPort { get }
    var probe: (any OperationProbe)? { get }
}

extension CapabilityNode {
    /// Reports the duration of an operation that began at `start`.
    func report(_ operation: ComponentOperation, since start: Instant) {
        probe?.operationEnded(operation, nanoseconds: port.clock.now.nanoseconds(since: start))
    }
}

/// A registered capability: its factory, and the slot for its instances.
@MainActor
final class TypedCapabilityNode<C: Capability, Exposed: Sendable>: CapabilityNode {
    typealias Factory = @Sendable (borrowing CapabilityScope) throws -> C

    let descriptor: ComponentDescriptor
    let requirement: CapabilityRequirement
    let slot: CapabilitySlot<Exposed>

    let port: InstrumentationPort
    let probe: (any OperationProbe)?
    let meters: CapabilityMeters?
    private let factory: Factory
    private let settings: SettingsTable
    /// What is known about the permissions, services and resources of the capability, across its instances.
    var conditions: CapabilityConditions
    /// The instance between its construction and its termination.
    var instance: (capability: C, exposed: Exposed)? {
        didSet { if instance == nil { instanceID = nil } }
    }
    private(set) var instanceID: UInt64?
    /// Only an initialised instance is terminated.
    private(set) var isInitialized = false
    /// Whether the first instance was searched for a part with its scope. All instances have the parts of the first one.
    private var isSearched = false

    init(
        _ descriptor: ComponentDescriptor,
        requirement: CapabilityRequirement,
        port: InstrumentationPort,
        settings: SettingsTable,
        factory: @escaping Factory
    ) {
        self.descriptor = descriptor
        self.requirement = requirement
        self.port = port
        self.settings = settings
        self.factory = factory
        probe = port.observer?.operationProbe(for: descriptor)
        slot = CapabilitySlot(
            descriptor,
            probe: probe,
            spans: probe == nil ? nil : port.spanProbe(for: descriptor),
            faults: port.faultGate(for: descriptor),
            port: port,
            recovery: { C.recovery(for: $0) }
        )
        meters = CapabilityMeters(descriptor, port)
        for observer in port.framework.all { observer.capability(descriptor) { [weak slot] in slot?.reading } }
        conditions = CapabilityConditions(declared: (C.self as? any SystemCapability.Type)?.permissions ?? [])
    }

    var ownDegradation: DegradationLevel { slot.ownLevel }
    var degradation: DegradationLevel { slot.degradationLevel }
    var cachedAvailability: Bool? { slot.knownAvailability }

    func construct(_ resolver: CapabilityResolver) throws {
        let identity = ComponentIdentity(descriptor, port: port)
        let (slot, id) = (slot, identity.id)
        let status = CapabilityStatus { [weak slot] in slot?.report($0, by: id) }
        let capability = try factory(CapabilityScope(identity, status, resolver))
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
        instanceID = id
    }

    func initialize() async throws {
        guard let (capability, exposed) = instance else { return }
        let (configure, isSearched) = (settings.configuring(capability), isSearched)
        let (level, statuses) = try await withLimit(port.limit(.initialize, of: descriptor)) {
            if !isSearched { try await SharedIdentity.check(partsOf: capability) }
            try await configure?()
            try await capability.initialize()
            return (await capability.degradationLevel, await Self.statuses(of: capability))
        } ifLate: {
            await capability.terminate()
        }
        guard instance?.capability === capability else {
            // A shutdown that the initialisation itself awaited took the instance out of service.
            try? await withLimit(port.limit(.terminate, of: descriptor)) { await capability.terminate() }
            throw Cancellation.onPurpose
        }
        (isInitialized, self.isSearched) = (true, true)
        _ = absorb(statuses)
        slot.occupy(capability, as: exposed, level: level)
    }

    func reconfigure(_ offer: SettingsOffer?) async throws -> Bool {
        guard isInitialized, let capability = instance?.capability, capability is any Configurable else { return false }
        guard let configure = offer?(capability) ?? settings.configuring(capability) else { return true }
        let subject = TurnSubject(.change, of: descriptor)
        let limit = WaitLimit(subject, name: "initialization", port.limits.initialization, clock: port.clock)
        let level = try await withLimit(limit) {
            try await configure()
            return await capability.degradationLevel
        }
        slot.invalidate()
        slot.note(said: level, by: capability.identity.id)
        return true
    }

    func terminate(reason: String, isFinal: Bool) async -> (any Error)? {
        // A capability that failed keeps the reason of its failure.
        guard instance != nil else { return nil }
        slot.vacate(reason: reason, isFinal: isFinal)
        let (capability, wasInitialized) = (instance?.capability, isInitialized)
        instance = nil
        isInitialized = false
        guard wasInitialized, let capability else { return nil }
        let start = port.clock.now
        defer { report(.invalidation, since: start) }
        do {
            try await withLimit(port.limit(.terminate, of: descriptor)) { await capability.terminate() }
            return nil
        } catch {
            return error
        }
    }

    func fail(_ error: any Error) {
        instance?.capability.identity.note(startFailed: error)
        instance = nil
        isInitialized = false
        slot.vacate(reason: "its initialisation failed: \(String(clause: error))", cause: error)
    }

    func degrade(to inherited: DegradationLevel) { slot.setInherited(inherited) }

    func observeLevel(_ observer: @escaping @Sendable () -> Void) { slot.observeLevel(observer) }
}
