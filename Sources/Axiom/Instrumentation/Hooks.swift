// SPDX-License-Identifier: Apache-2.0

#if Instrumented
internal import AxiomBase

/// Every call from the framework into instrumentation.
///
/// The functions are never inlined and exist only with the trait `Instrumented`, so that an object file without the
/// name `Hooks` is proof that the framework reports nothing.
enum Hooks {
    @inline(never)
    static func registered(_ component: ComponentDescriptor, _ port: InstrumentationPort) {
        port.instrumentation.registered(component)
    }

    @inline(never)
    static func created(_ identity: ComponentIdentity) {
        identity.port.instrumentation.created(instance(identity))
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

    @inline(never)
    static func shutDown(_ port: InstrumentationPort) {
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
        _ port: InstrumentationPort
    ) -> any Client<C.StateType, C.ActionType> {
        port.instrumentation.wrap(client, component)
    }

    @inline(never)
    static func wrapStateless<C: StatelessClient>(
        _ client: C,
        _ component: ComponentDescriptor,
        _ port: InstrumentationPort
    ) -> any StatelessClient<C.ActionType> {
        port.instrumentation.wrap(client, component)
    }

    @inline(never)
    static func contextProbe<A: Action>(
        for context: ComponentDescriptor,
        actions: A.Type,
        _ port: InstrumentationPort
    ) -> (any ContextProbe)? {
        port.instrumentation.contextProbe(for: context, actions: actions)
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

    private static func instance(_ identity: ComponentIdentity) -> ComponentInstance {
        ComponentInstance(id: identity.id, component: identity.descriptor, createdAt: identity.createdAt)
    }
}
#endif
