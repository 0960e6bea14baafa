// SPDX-License-Identifier: Apache-2.0

/// What the wrappers of all clients of a run share.
@MainActor
final class CallEnvironment {
    let port: InstrumentationPort
    let recorder: GraphRecorder
    let middleware: MiddlewareTable
    /// The circuit breakers of the clients, so that observers are called once for each.
    private var gates: [ComponentDescriptor: BreakerGate] = [:]

    init(_ port: InstrumentationPort, _ recorder: GraphRecorder, _ middleware: MiddlewareTable) {
        self.port = port
        self.recorder = recorder
        self.middleware = middleware
    }

    /// The number of a client that this orchestrator made; nil for a double.
    func number<C: StatelessClient>(of client: C) -> UInt64? {
        guard let identity = (client as? any Component)?.identity, identity.port === port else { return nil }
        return identity.id
    }

    /// The circuit breakers of a client.
    func gate<C: StatelessClient>(_ type: C.Type, _ component: ComponentDescriptor) -> BreakerGate {
        if let known = gates[component] { return known }
        let gate = port.gate(of: component, type)
        if !port.framework.isIdle { gates[component] = gate }
        return gate
    }

    /// Binds the circuit breakers, and the probe of the calls by no context in particular.
    ///
    /// - Returns: Whether the client needs its wrappers before a context resolves it.
    func bindsEarly<C: StatelessClient>(_ type: C.Type, _ component: ComponentDescriptor) -> Bool {
        _ = port.observer?.clientProbe(for: component, of: type, calledBy: nil)
        return !gate(type, component).isEmpty || port.observer != nil || port.watchdog != nil
    }
}

/// What is done around the actions of one client, and the client for each context type whose calls are observed
/// separately.
///
/// - Parameters:
///   - C: The registered type of the client.
///   - Actual: The type of the client itself, or of its double.
@MainActor
final class ClientWrappers<C: StatelessClient, Actual: StatelessClient<C.ActionType>> {
    let environment: CallEnvironment
    private let gate: BreakerGate
    private let spans: ClientSpans?
    /// What is done around the client's actions, for the callers of all context types together.
    private let policy: CallPolicy<C.ActionType>?
    private let faults: FaultGate?
    private let chains: ActionChains<C.ActionType>
    /// Whether nothing is done around the client's actions, whatever context calls it.
    let isPlain: Bool
    /// For the contexts whose calls nothing observes.
    private var unobserved: ObservedClient<Actual>?
    /// Indexed by context type: all contexts of one type get the same client.
    private var bound: [ComponentDescriptor: ClientForm<Actual>] = [:]

    init(_ client: Actual, _ component: ComponentDescriptor, _ environment: CallEnvironment) {
        self.environment = environment
        let port = environment.port
        gate = environment.gate(C.self, component)
        let callsCapabilities = environment.recorder.usesCapabilities(component)
        spans = port.spanProbe(for: component, actions: C.ActionType.caseNames).map {
            let instance = (client as? any Component)?.identity.id ?? 0
            return ClientSpans($0, instance: instance, binds: callsCapabilities)
        }
        let watch = port.watchdog?.watch(
            component,
            actions: C.ActionType.caseNames,
            bindsCalls: callsCapabilities
        ) { [port] in port.observer?.signal($0, $1) }
        policy = CallPolicy(ActionScheduler.make(for: client, component, port), watch)
        faults = port.faultGate(for: component)
        chains = environment.middleware.chains(for: C.self)
        isPlain = port.observer == nil && gate.isEmpty && policy == nil && !chains.isNeeded
    }

    /// The client for the contexts of one type.
    func client(
        for caller: ComponentDescriptor,
        _ client: Actual,
        _ component: ComponentDescriptor
    ) -> ClientForm<Actual> {
        if let known = bound[caller] { return known }
        let port = environment.port
        let probe = port.observer?.clientProbe(for: component, of: C.self, calledBy: caller)
        func wrapped() -> ObservedClient<Actual> {
            ObservedClient(
                client,
                component,
                probe: probe,
                clock: port.clock,
                gate,
                spans: probe == nil ? nil : spans,
                policy: policy,
                faults: probe == nil ? nil : faults
            )
        }
        let observed = probe != nil ? wrapped() : unobserved ?? wrapped()
        if probe == nil { unobserved = observed }
        let made: ClientForm<Actual> =
            chains.isNeeded
            ? .intercepted(InterceptedClient(chains, observed, calledBy: caller))
            : .observed(observed)
        bound[caller] = made
        return made
    }
}

extension GraphRecorder {
    /// Whether the factory of the client resolved a capability.
    func usesCapabilities(_ client: ComponentDescriptor) -> Bool {
        graph.dependencies(of: client).contains { $0.kind == .capability }
    }
}
