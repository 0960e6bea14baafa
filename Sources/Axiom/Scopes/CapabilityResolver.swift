// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Finds capabilities for the scopes of capabilities and clients, and records the dependencies.
struct CapabilityResolver: Sendable {
    private struct Entry: Sendable {
        let component: ComponentDescriptor
        let slot: any AnyObject & Sendable
    }

    /// Indexed by the type under which a capability was registered: its own, or a protocol.
    private var entries: [ObjectIdentifier: Entry] = [:]
    private let recorder: GraphRecorder
    /// The services of the same run.
    let services: ServiceRegistry
    /// Ends an error of a capability at the boundary of the orchestrator.
    let report: @Sendable (any Error, ComponentDescriptor) async -> Void

    init(
        recorder: GraphRecorder,
        services: ServiceRegistry,
        report: @escaping @Sendable (any Error, ComponentDescriptor) async -> Void = { _, _ in }
    ) {
        self.recorder = recorder
        self.services = services
        self.report = report
    }

    mutating func add<C: Sendable>(_ slot: CapabilitySlot<C>, _ component: ComponentDescriptor) {
        entries[ObjectIdentifier(C.self)] = Entry(component: component, slot: slot)
    }

    func resolve<C: Sendable>(_ type: C.Type, for asker: ComponentDescriptor) throws -> CapabilityRef<C> {
        guard let entry = entries[ObjectIdentifier(type)], let slot = entry.slot as? CapabilitySlot<C> else {
            throw CompositionError(
                .notRegistered,
                "The \(asker) requires the capability \(type), which is not registered.",
                "Register it before start(): orchestrator.register(…) { … }."
            )
        }
        recorder.resolved(from: asker, to: entry.component)
        return CapabilityRef(slot, recorder.probe(of: entry.component, calledBy: asker))
    }
}

/// Records the dependencies that the scopes of one orchestrator resolve.
final class GraphRecorder: Sendable {
    private let port: InstrumentationPort

    init(port: InstrumentationPort) { self.port = port }

    var graph: ComponentGraph { port.graph.withLock { $0 } }

    /// Clears the graph, because the factories run again.
    ///
    /// - Parameter count: How many components are expected.
    func reset(for count: Int) {
        port.graph.withLock { graph in
            graph = ComponentGraph()
            graph.reserve(count)
        }
    }

    func add(_ node: ComponentDescriptor) { port.graph.withLock { $0.add(node) } }

    func resolved(from: ComponentDescriptor, to: ComponentDescriptor) {
        let edge = ComponentDependency(from: from, to: to)
        let isNew = port.graph.withLock { $0.add(edge) }
        if isNew { port.observer?.resolved(edge) }
    }

    /// The recorder of a capability's calls from one component; nil if nothing records them.
    func probe(
        of capability: ComponentDescriptor,
        calledBy caller: ComponentDescriptor
    ) -> (any CapabilityProbe)? {
        port.capabilityProbe(for: capability, calledBy: caller)
    }
}

/// The input of a capability's factory: the identity to store, and access to other capabilities.
///
/// A scope cannot be copied or stored, so the dependencies of a capability are fixed when it is made.
public struct CapabilityScope: ~Copyable, Sendable {
    /// The identity that the new capability stores.
    public let identity: ComponentIdentity
    /// Accepts the new capability's reports of how much of it works. The capability may keep it.
    public let status: CapabilityStatus
    private let resolver: CapabilityResolver

    init(_ identity: ComponentIdentity, _ status: CapabilityStatus, _ resolver: CapabilityResolver) {
        self.identity = identity
        self.status = status
        self.resolver = resolver
    }

    /// A reference to another capability, which is initialised before the new one.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/notRegistered``.
    public func capability<C: Sendable>(_ type: C.Type) throws -> CapabilityRef<C> {
        try resolver.resolve(type, for: identity.descriptor)
    }

    /// The service of this type; see ``Orchestrator/provide(_:_:_:)``.
    ///
    /// - Throws: ``CompositionError`` if it is not provided, or if services require each other in a cycle; any error of
    ///   its factory.
    public func service<S: Sendable>(_ type: S.Type) throws -> S {
        try resolver.services.resolve(type, for: "The \(identity.descriptor)")
    }

    /// Ends an error of the new capability that it cannot throw, such as one of a task of its own, at the boundary of the
    /// orchestrator. The capability may keep it. It does nothing after the end of the orchestrator.
    package var report: @Sendable (any Error) async -> Void {
        let (report, component) = (resolver.report, identity.descriptor)
        return { await report($0, component) }
    }
}
