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

    /// One run of the application, from its start to the end of its shutdown.
    @MainActor
    final class Run {
        /// The identity's number. An operation that began in one run does not continue in the next.
        let id: UInt64
        let capabilities: CapabilityLifecycle
        var names: NameTable
        /// The clients, in the order of their creation.
        var clients: [RegisteredClient] = []
        /// The hooks of the clients that have some.
        var hooks: [ComponentDescriptor: ObservationHooks] = [:]
        /// Whether its clients have been ended or are being ended. A client that a retry starts later must not stay.
        var isEnding = false
        /// The registrations that came during this run, by type, until they are thrown.
        var lateRegistrations: [ObjectIdentifier: CompositionError] = [:]
        /// The sources of changes.
        var monitors: [CapabilityMonitor] = []
        /// The pressure of each resource, as it was last passed on.
        var pressures: [SystemResource: PressureLevel] = [:]

        init(id: UInt64, names: NameTable, capabilities: CapabilityLifecycle) {
            self.id = id
            self.names = names
            self.capabilities = capabilities
        }

        /// Throws the error of a late registration of this type, once.
        func throwLateRegistration<C: Context>(of type: C.Type) throws(CompositionError) {
            if let late = lateRegistrations.removeValue(forKey: ObjectIdentifier(type)) { throw late }
        }
    }

    /// The life of the orchestrator. Whatever one run of the application has for itself is in its ``Run``, so it cannot
    /// be left over from an earlier one.
    enum Life {
        case configuring
        case starting(Run, Transition)
        case running(Run)
        case stopping(Run, Transition)
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

        /// The run, from the beginning of its start to the end of its shutdown.
        var run: Run? {
            switch self {
            case .starting(let run, _), .running(let run), .stopping(let run, _): run
            case .configuring, .stopped: nil
            }
        }
    }

    // Constant. Scopes and contexts hold them, also those that outlive a run, so they are emptied and not replaced.
    let port: InstrumentationPort
    let recorder: GraphRecorder
    let clients: ClientRegistry
    let supervisor: Supervisor
    let contexts: ContextFactory
    /// The parts that other modules add. They belong to the orchestrator and not to a run.
    package let extensions = ExtensionTable()
    /// The settings in force of the capabilities. Not part of a run: they are kept until the next start.
    let settings = SettingsTable()
    let role: OrchestratorRole
    /// The levels of all capabilities: the worst, and each. Observable.
    public let degradation = SystemDegradation()
    /// Other objects that give resources back.
    var relieving: [WeakRelieving] = []
    /// The objects of modules above that belong to this orchestrator, by their type. Not part of a run.
    package var attachments: [ObjectIdentifier: AnyObject] = [:]
    var blueprint = Blueprint()
    var life = Life.configuring {
        didSet { isInService.store(phase == .running, ordering: .releasing) }
    }
    var phase: Phase { life.phase }
    /// Not part of a run: an unmount that exceeded the limit of a shutdown may end during the next run.
    var mounts = MountTable()
    /// Each run of the application is a component of its own. Not part of the run: modules bind signals to it before
    /// the first start, and it ends with the orchestrator or at the next start.
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
    ///   - role: Whether a second orchestrator may run at the same time.
    public init(
        instrumentation: any Instrumentation = Instrumentations(),
        clock: TimeSource = .live,
        limits: WaitLimits = WaitLimits(),
        role: OrchestratorRole = .independent
    ) {
        self.role = role
        port = InstrumentationPort(instrumentation, clock: clock, limits: limits)
        recorder = GraphRecorder(port: port)
        clients = ClientRegistry(recorder: recorder)
        identity = ComponentIdentity(ComponentDescriptor(kind: .orchestrator, name: "Orchestrator"), port: port)
        supervisor = Supervisor(ErrorBoundary(identity.descriptor, port: port))
        contexts = ContextFactory(
            clients: clients,
            recorder: recorder,
            supervisor: supervisor,
            extensions: extensions,
            port: port
        )
    }

    /// The component types and the dependencies that have been resolved so far.
    public var graph: ComponentGraph {
        var graph = recorder.graph
        graph.recursiveContexts = contexts.recursive
        return graph
    }

    /// Whether the application runs: it has started and is not being shut down. For readiness checks, from any thread.
    public nonisolated var isRunning: Bool { isInService.load(ordering: .acquiring) }

    /// The actions of clients that run longer than ``WaitLimits/overdue``, waits for capabilities aside. Empty without
    /// a watchdog. From any thread.
    public nonisolated var overdueActions: [OverdueAction] { port.watchdog?.overdue ?? [] }

    /// Makes a context without a presentation. It neither appears nor disappears, and ends with its last reference. For
    /// tests and benchmarks; an application shows contexts through a ``PresentationHost``.
    ///
    /// - Throws: ``CompositionError`` if the orchestrator does not run, the type or one of its dependencies is not
    ///   registered, or contexts resolve each other in a cycle; and any error of the factory.
    package func makeContext<C: Context>(_ type: C.Type, _ input: C.Input) throws -> C {
        try expectRunning(for: "makeContext").throwLateRegistration(of: type)
        return try contexts.makeRoot(type, input, for: identity.descriptor)
    }

    /// Makes a context that takes no input. Throws as ``makeContext(_:_:)``.
    package func makeContext<C: Context>(_ type: C.Type) throws -> C where C.Input == Void {
        try makeContext(type, ())
    }

    /// The capabilities, from the beginning of a start to the end of the shutdown.
    var capabilities: CapabilityLifecycle? { life.run?.capabilities }

    /// The run of an application that has started and is not being shut down.
    func expectRunning(for operation: String) throws(CompositionError) -> Run {
        if case .running(let run) = life { return run }
        throw CompositionError(
            .wrongPhase,
            "\(operation) needs an orchestrator that is running, but it is \(phase.rawValue).",
            "Call it after start() and before shutdown()."
        )
    }

    /// Binds a signal, as ``ComponentIdentity/signal(_:_:)`` does.
    package func signal(_ family: SignalFamily, _ values: [String] = []) -> (any Signal)? {
        identity.signal(family, values)
    }
}

/// Whether an orchestrator is the only one of its process.
///
/// The rule of one orchestrator for each application is enforced only for ``application``. A process of tests runs many
/// orchestrators at the same time, and a program with several isolated parts may too: they do not share anything, so
/// the framework cannot tell a mistake from an intention. An application states its intention once, where it makes its
/// orchestrator; its tests make theirs with the default.
public enum OrchestratorRole: Sendable, Hashable {
    /// The orchestrator of the application. ``Orchestrator/start()`` throws while another one with this role runs.
    case application
    /// One of any number that run at the same time, as in tests.
    case independent
}

/// The orchestrator of the application that was started last. Weak: one that was released does not run.
@MainActor
private enum ApplicationSlot {
    static weak var last: Orchestrator?
}

extension Orchestrator {
    /// Makes this the orchestrator of the application, if it has that role.
    ///
    /// - Throws: ``CompositionError`` if another one runs.
    func claimApplication() throws(CompositionError) {
        guard role == .application else { return }
        if let other = ApplicationSlot.last, other !== self, other.life.run != nil {
            throw CompositionError(
                .secondOrchestrator,
                "A second orchestrator of the application was started, while another one is \(other.phase.rawValue).",
                "Await shutdown() of the first one. Tests, which run several at once, use the role .independent."
            )
        }
        ApplicationSlot.last = self
    }
}
