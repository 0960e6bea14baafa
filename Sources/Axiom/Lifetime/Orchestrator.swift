// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Synchronization

/// The life of an application: it makes every component, in the right order, and ends them in the reverse order.
///
/// ```swift
/// let orchestrator = Orchestrator()
/// orchestrator.register(HTTPNetwork.self, as: (any Network).self) { HTTPNetwork($0) }
/// orchestrator.register(CartClient.self) { try CartClient($0) }
/// orchestrator.register(CartContext.self) { try CartContext($0) }
/// try await orchestrator.start()
/// let host = PresentationHost(CartView.self, orchestrator) { print($0) }
/// try await host.mount()
/// ```
/// Only the orchestrator runs factories, and what it hands them (``CapabilityScope``, ``ClientScope``,
/// ``ContextScope``) resolves only what the rules of the architecture allow.
@MainActor
public final class Orchestrator {
    enum Phase: String {
        case configuring
        case starting
        case running
        case stopping
        case stopped
    }

    let port: InstrumentationPort
    let recorder: GraphRecorder
    let clients: ClientRegistry
    let supervisor: Supervisor
    let contexts: ContextFactory
    var blueprint = Blueprint()
    var phase = Phase.configuring {
        didSet { isInService.store(phase == .running, ordering: .releasing) }
    }
    var capabilities: CapabilityLifecycle?
    /// The clients that were made, in the order in which they were made.
    var runningClients: [(component: ComponentDescriptor, client: any StatelessClient)] = []
    var names = NameTable()
    var mounts = MountTable()
    /// The start or the shutdown that is under way, for those who come while it is.
    var transition: Task<Void, any Error>?
    /// What was registered too late, until it has been thrown.
    var lateRegistrations: [CompositionError] = []
    let identity: ComponentIdentity
    /// Written with the phase, on the main actor; read from anywhere.
    private nonisolated let isInService = Atomic(false)

    /// Makes an orchestrator with nothing registered.
    ///
    /// - Parameters:
    ///   - instrumentation: Who is told what happens to the components. Nobody unless told otherwise.
    ///   - clock: Where lifetimes, latencies and limits take their time from.
    ///   - limits: How long the framework waits for the code of components. `start()` throws when one is not longer than
    ///     zero.
    public init(
        instrumentation: any Instrumentation = NoInstrumentation(),
        clock: TimeSource = .live,
        limits: WaitLimits = WaitLimits()
    ) {
        port = InstrumentationPort(instrumentation, clock: clock, limits: limits)
        recorder = GraphRecorder(port: port)
        clients = ClientRegistry(recorder: recorder)
        identity = ComponentIdentity(ComponentDescriptor(kind: .orchestrator, name: "Orchestrator"), port: port)
        supervisor = Supervisor(ErrorBoundary(identity.descriptor, port: port))
        contexts = ContextFactory(clients: clients, recorder: recorder, supervisor: supervisor, port: port)
    }

    /// The component types and their dependencies, as far as they were resolved until now.
    public var graph: ComponentGraph {
        recorder.graph
    }

    /// Whether the application was started and is not being shut down: what a readiness check asks, from any thread.
    public nonisolated var isRunning: Bool {
        isInService.load(ordering: .acquiring)
    }

    /// Makes a context without a presentation: it neither appears nor disappears, and ends with its last reference.
    /// For tests and benchmarks; an application shows contexts through a ``PresentationHost``.
    ///
    /// - Throws: ``CompositionError`` when the orchestrator does not run, the type or something that it asks for is
    ///   not registered, or contexts resolve each other in a circle; and whatever the factory throws.
    package func makeContext<C: Context>(_ type: C.Type, _ input: C.Input) throws -> C {
        try expect(.running, for: "makeContext")
        try throwLateRegistrations()
        return try contexts.makeRoot(type, input, for: identity.descriptor)
    }

    /// Makes a context that takes no input.
    ///
    /// - Throws: As ``makeContext(_:_:)``.
    package func makeContext<C: Context>(_ type: C.Type) throws -> C where C.Input == Void {
        try makeContext(type, ())
    }

    /// Throws what was registered too late, once.
    func throwLateRegistrations() throws(CompositionError) {
        let late = lateRegistrations
        lateRegistrations.removeAll()
        if let mistake = CompositionError.combining(late) { throw mistake }
    }

    /// Throws unless the orchestrator is in `expected`.
    func expect(_ expected: Phase, for operation: String) throws(CompositionError) {
        guard phase != expected else { return }
        throw CompositionError(
            .wrongPhase,
            "\(operation) needs an orchestrator that is \(expected.rawValue), but it is \(phase.rawValue).",
            expected == .running ? "Call it after start() and before shutdown()." : "Call it once, before the rest."
        )
    }
}
