// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Synchronization

/// The life cycle of an application: makes every component in dependency order, and ends them in the reverse order.
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
/// Only the orchestrator runs factories. The scopes that it passes to them (``CapabilityScope``, ``ClientScope``,
/// ``ContextScope``) resolve only the dependencies that the rules of the architecture allow.
@MainActor
public final class Orchestrator {
    enum Phase: String {
        case configuring
        case starting
        case running
        case stopping
        case stopped
    }

    /// A start or a shutdown that is under way.
    struct Transition {
        let turn: TurnID
        let task: Task<Void, any Error>
    }

    enum Life {
        case configuring
        case starting(Transition)
        case running
        case stopping(Transition)
        /// Shut down, or the start failed. It can be started again.
        case stopped

        var phase: Phase {
            switch self {
            case .configuring: .configuring
            case .starting: .starting
            case .running: .running
            case .stopping: .stopping
            case .stopped: .stopped
            }
        }
    }

    let port: InstrumentationPort
    let recorder: GraphRecorder
    let clients: ClientRegistry
    let supervisor: Supervisor
    let contexts: ContextFactory
    var blueprint = Blueprint()
    var life = Life.configuring {
        didSet { isInService.store(phase == .running, ordering: .releasing) }
    }
    var phase: Phase { life.phase }
    /// The number of starts. An operation that began in one run of the application does not continue in the next.
    var run = 0
    var capabilities: CapabilityLifecycle?
    /// The clients, in the order of their creation.
    var runningClients: [(component: ComponentDescriptor, client: any StatelessClient)] = []
    var names = NameTable()
    var mounts = MountTable()
    /// The registrations that came while the application ran, by type, until they are thrown.
    var lateRegistrations: [ObjectIdentifier: CompositionError] = [:]
    /// Each run of the application is a component of its own.
    var identity: ComponentIdentity
    /// Written with the phase, on the main actor; read from anywhere.
    private nonisolated let isInService = Atomic(false)

    /// Makes an orchestrator with nothing registered.
    ///
    /// - Parameters:
    ///   - instrumentation: Observes the components. The default observes nothing.
    ///   - clock: The time source of lifetimes, latencies and limits.
    ///   - limits: How long the framework waits for the code of components. `start()` throws if a limit is not longer
    ///     than zero.
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

    /// The component types and the dependencies that have been resolved so far.
    public var graph: ComponentGraph {
        recorder.graph
    }

    /// Whether the application runs: it has started and is not being shut down. For readiness checks, from any thread.
    public nonisolated var isRunning: Bool {
        isInService.load(ordering: .acquiring)
    }

    /// Makes a context without a presentation. It neither appears nor disappears, and ends with its last reference. For
    /// tests and benchmarks; an application shows contexts through a ``PresentationHost``.
    ///
    /// - Throws: ``CompositionError`` if the orchestrator does not run, the type or one of its dependencies is not
    ///   registered, or contexts resolve each other in a cycle; and any error of the factory.
    package func makeContext<C: Context>(_ type: C.Type, _ input: C.Input) throws -> C {
        try expectRunning(for: "makeContext")
        try throwLateRegistration(of: type)
        return try contexts.makeRoot(type, input, for: identity.descriptor)
    }

    /// Makes a context that takes no input.
    ///
    /// - Throws: As ``makeContext(_:_:)``.
    package func makeContext<C: Context>(_ type: C.Type) throws -> C where C.Input == Void {
        try makeContext(type, ())
    }

    /// Throws the error of a late registration of this type, once.
    func throwLateRegistration<C: Context>(of type: C.Type) throws(CompositionError) {
        if let late = lateRegistrations.removeValue(forKey: ObjectIdentifier(type)) { throw late }
    }

    /// Throws unless the application runs.
    func expectRunning(for operation: String) throws(CompositionError) {
        guard phase != .running else { return }
        throw CompositionError(
            .wrongPhase,
            "\(operation) needs an orchestrator that is running, but it is \(phase.rawValue).",
            "Call it after start() and before shutdown()."
        )
    }
}

extension Orchestrator {
    /// Binds a signal, as ``ComponentIdentity/signal(_:_:)`` does.
    package func signal(_ family: SignalFamily, _ values: [String] = []) -> (any Signal)? {
        identity.signal(family, values)
    }
}
