// SPDX-License-Identifier: Apache-2.0

#if Instrumented
internal import AxiomBase
internal import AxiomResilience
internal import Synchronization

/// Every call from the framework into instrumentation.
///
/// The functions are never inlined and exist only with the trait `Instrumented`, so that an object file without the
/// name `Hooks` is proof that the framework reports nothing.
enum Hooks {
    @inline(never)
    static func begin(_ orchestrator: ComponentIdentity) throws {
        try orchestrator.port.instrumentation.begin(instance(orchestrator))
        orchestrator.port.isObserved.store(true, ordering: .relaxed)
    }

    @inline(never)
    static func registered(_ component: ComponentDescriptor, module: String, _ port: InstrumentationPort) {
        port.instrumentation.registered(component, module: module)
    }

    @inline(never)
    static func created(_ identity: ComponentIdentity) {
        identity.port.instrumentation.created(instance(identity, frameworkBytes: identity.frameworkBytes))
    }

    @inline(never)
    static func destroyed(_ identity: ComponentIdentity) {
        let lifetime = identity.port.clock.now.nanoseconds(since: identity.createdAt)
        identity.port.instrumentation.destroyed(instance(identity), lifetime: lifetime)
    }

    @inline(never)
    static func resolved(_ dependency: ComponentDependency, _ port: InstrumentationPort) {
        port.instrumentation.resolved(dependency)
    }

    @inline(never)
    static func unmounted(_ identity: ComponentIdentity) {
        identity.port.instrumentation.unmounted(instance(identity), at: identity.port.clock.now)
    }

    /// Reports the end of what ``begin(_:)`` began: nothing for an orchestrator that was refused, whose instrumentation may
    /// observe another one, and nothing a second time.
    @inline(never)
    static func shutDown(_ port: InstrumentationPort) {
        guard port.isObserved.exchange(false, ordering: .relaxed) else { return }
        port.instrumentation.shutDown(at: port.clock.now)
    }

    @inline(never)
    static func stateProbe(for identity: ComponentIdentity) -> (any StateProbe)? {
        identity.port.instrumentation.stateProbe(for: identity.descriptor)
    }

    @inline(never)
    static func wrap<C: Client>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type,
        _ port: InstrumentationPort
    ) -> any Client<C.StateType, C.ActionType> {
        port.instrumentation.wrap(client, component, registeredAs: type)
    }

    @inline(never)
    static func wrapStateless<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type,
        _ port: InstrumentationPort
    ) -> any StatelessClient<C.ActionType> {
        port.instrumentation.wrap(client, component, registeredAs: type)
    }

    @inline(never)
    static func share<C: Client>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type,
        for asker: ComponentDescriptor,
        _ shared: any Client<C.StateType, C.ActionType>,
        _ port: InstrumentationPort
    ) -> any Client<C.StateType, C.ActionType> {
        port.instrumentation.wrap(client, component, registeredAs: type, for: asker, sharing: shared)
    }

    @inline(never)
    static func shareStateless<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor,
        registeredAs type: any StatelessClient.Type,
        for asker: ComponentDescriptor,
        _ shared: any StatelessClient<C.ActionType>,
        _ port: InstrumentationPort
    ) -> any StatelessClient<C.ActionType> {
        port.instrumentation.wrap(client, component, registeredAs: type, for: asker, sharing: shared)
    }

    @inline(never)
    static func contextProbe<C: Context>(
        for context: ComponentDescriptor,
        of type: C.Type,
        _ port: InstrumentationPort
    ) -> (any ContextProbe)? {
        port.instrumentation.contextProbe(for: context, of: type)
    }

    /// Runs `body` through the breaker of the context's type, where it has one.
    ///
    /// - Throws: What `body` throws; `CircuitError` when the breaker does not admit it, and then it was not run.
    @MainActor
    @inline(never)
    static func guarded(
        _ probe: (any ContextProbe)?,
        _ clock: TimeSource,
        isRefused: inout Bool,
        _ body: () async throws -> Void
    ) async throws {
        guard let breaker = probe?.breaker else { return try await body() }
        switch breaker.admit(at: clock.now) {
        case .rejected(let rejection):
            isRefused = true
            throw CircuitError(breaker.error(for: rejection))
        case .admitted(let permit):
            do {
                try await body()
            } catch {
                breaker.record(permit, breaker.outcome(of: error), at: clock.now, error: error)
                throw error
            }
            breaker.record(permit, .success, at: clock.now)
        }
    }

    @inline(never)
    static func actionEnded<A: Action>(
        _ action: A,
        _ outcome: ActionOutcome,
        since start: Instant,
        _ probe: any ContextProbe,
        _ clock: TimeSource
    ) {
        let nanoseconds = clock.now.nanoseconds(since: start)
        probe.actionEnded(caseIndex: action.caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }

    @inline(never)
    static func phaseEnded(
        _ phase: LifecyclePhase,
        since start: Instant,
        _ probe: any ContextProbe,
        _ clock: TimeSource
    ) {
        probe.phaseEnded(phase, nanoseconds: clock.now.nanoseconds(since: start))
    }

    @inline(never)
    static func ended(_ error: EndedError, _ port: InstrumentationPort) {
        port.instrumentation.ended(error)
    }

    @inline(never)
    static func recoveryEnded(_ report: RecoveryReport, _ port: InstrumentationPort) {
        port.instrumentation.recoveryEnded(report)
    }

    @inline(never)
    static func operationProbe(
        for component: ComponentDescriptor,
        _ port: InstrumentationPort
    ) -> (any OperationProbe)? {
        port.instrumentation.operationProbe(for: component)
    }

    @inline(never)
    static func operationEnded(
        _ operation: ComponentOperation,
        since start: Instant,
        _ probe: any OperationProbe,
        _ clock: TimeSource
    ) {
        probe.operationEnded(operation, nanoseconds: clock.now.nanoseconds(since: start))
    }

    @inline(never)
    static func started(since start: Instant, _ orchestrator: ComponentDescriptor, _ port: InstrumentationPort) {
        let isFirst = !hasStarted.exchange(true, ordering: .relaxed)
        guard let probe = port.instrumentation.operationProbe(for: orchestrator) else { return }
        operationEnded(isFirst ? .coldStart : .warmStart, since: start, probe, port.clock)
    }

    /// Whether an orchestrator has started in this process.
    private static let hasStarted = Atomic(false)

    private static func instance(_ identity: ComponentIdentity, frameworkBytes: Int = 0) -> ComponentInstance {
        ComponentInstance(
            id: identity.id,
            component: identity.descriptor,
            createdAt: identity.createdAt,
            frameworkBytes: frameworkBytes,
            ending: identity.ending
        )
    }
}
#endif
