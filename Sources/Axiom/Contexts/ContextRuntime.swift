// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The framework's side of one context: its error boundary, its downstream contexts, its observations and the
/// operations that are under way.
///
/// The context's identity owns it, so it lives as long as the context. It owns the downstream contexts, and never
/// retains its own context or the upstream one.
@MainActor
final class ContextRuntime: ComponentRuntime {
    let descriptor: ComponentDescriptor
    let boundary: ErrorBoundary

    let port: InstrumentationPort
    let supervisor: Supervisor?
    /// The values that the context sees; nil for one that no orchestrator made.
    let values: ValueScope?
    private let boundReporter: ContextReporter?
    /// The circuit breakers of the context's type.
    let gate: BreakerGate
    /// Whether actions are validated before they are handled.
    let validatesActions: Bool
    /// The number of the context; 0 until it is attached.
    private(set) var id: UInt64 = 0
    private(set) weak var context: (any Context)?
    /// The attached context. Compared for each action, and cheaper to read than the weak reference.
    private var attached: ObjectIdentifier?
    private(set) weak var upstream: ContextRuntime?
    private(set) var downstream: [any Context] = []
    var visibility = ContextVisibility()
    /// The call of `onAppear()` that is under way.
    var pendingAppearance: PendingAppearance?
    /// The suspended actions and life cycle phases, which are cancelled when the context is covered or disappears. An
    /// operation that ends without a suspension is never here.
    var operations: [ObjectIdentifier: Task<OperationEnd, Never>] = [:]
    /// How many operations are suspended, those that outlive the context among them.
    var unended = 0
    /// The waits for a test of the unended operations, and of the way to disappear. Empty outside of the testing kit.
    var testWaits: [ObjectIdentifier: TestWaits] = [:]
    /// The observations whose tasks have not ended.
    var observations: [ObjectIdentifier: ObservationTask] = [:]
    /// The number of times that the observations were ended because the context was covered or disappeared.
    var observationPeriod = 0
    /// The positions of observations that have ended, by store. Each keeps the critical states after it.
    var positions: [ObjectIdentifier: [StateReader]] = [:]

    init(
        _ descriptor: ComponentDescriptor,
        upstream: ContextRuntime? = nil,
        supervisor: Supervisor? = nil,
        values: ValueScope? = nil,
        reporter: ContextReporter? = nil,
        gate: BreakerGate = .withoutBreakers,
        validatesActions: Bool = false,
        port: InstrumentationPort
    ) {
        self.validatesActions = validatesActions
        self.descriptor = descriptor
        self.upstream = upstream
        self.supervisor = supervisor
        self.values = values
        boundReporter = reporter
        self.gate = gate
        self.port = port
        boundary = ErrorBoundary(descriptor, port: port)
        super.init()
    }

    deinit {
        for observation in observations.values { observation.task.cancel() }
    }

    override nonisolated var frameworkBytes: Int {
        Footprint.heapBytes(of: self) + Footprint.heapBytes(of: boundary)
    }

    /// Reports for the context's type; nil if nothing observes it, and in a build without the trait `Instrumented`.
    @inline(__always)
    var reporter: ContextReporter? { InstrumentedTrait.isOn ? boundReporter : nil }

    func attach(_ context: any Context) {
        self.context = context
        attached = ObjectIdentifier(context)
        id = context.identity.id
    }

    /// Whether `other` was made with the scope of the attached context, whose runtime this is. A decorator was not: it
    /// stores the attached context, and acts in its name.
    func isForeign(_ other: any Context) -> Bool {
        guard let attached, attached != ObjectIdentifier(other) else { return false }
        return !Mirror(reflecting: other).children.contains { ($0.value as? any Context) === context }
    }

    func adopt(_ child: any Context) { downstream.append(child) }

    var downstreamRuntimes: [ContextRuntime] { downstream.map(\.runtime) }

    /// Whether the context has disappeared for good. It then handles no more actions.
    var isGone: Bool { visibility.life == .gone }

    /// Whether the context's presentation was unmounted.
    var isUnmounted: Bool { life == .disappearing || life == .gone }

    var life: ContextVisibility.Life { visibility.life }

    /// Whether states may be applied. False from the moment when the context begins to disappear or is covered.
    var observes: Bool {
        switch visibility.life {
        case .pending, .appearing, .visible: true
        case .covering, .covered, .disappearing, .gone: false
        }
    }
}
