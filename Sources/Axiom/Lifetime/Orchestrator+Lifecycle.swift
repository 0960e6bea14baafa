// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

extension Orchestrator {
    /// Starts the application: constructs and initialises the capabilities in the order of their dependencies, then
    /// makes and activates the clients. Contexts can be made afterwards.
    ///
    /// If an optional capability fails, its dependents are degraded. If a client fails, only the contexts and request
    /// handlers that resolve it are affected. Both failures are reported to the instrumentation. Each initialisation and each activation has
    /// a limit; see ``WaitLimits``.
    ///
    /// An orchestrator that was shut down, or whose start failed, can be started again. It then runs the factories of
    /// the same registrations again; more registrations may be added before.
    ///
    /// - Throws: `CancellationError` if the task is cancelled or ``shutdown()`` is called before the start has ended;
    ///   ``CompositionError`` if a registration is invalid, capabilities form a cycle or the application already runs;
    ///   ``CapabilityError`` if a required capability fails; and any error of the instrumentation, such as that of a
    ///   telemetry that observes another orchestrator. After an error nothing runs: the clients that had been activated
    ///   were deactivated, and the capabilities that had been initialised were terminated.
    public func start() async throws {
        try expectStartable()
        let start = port.clock.now
        if case .stopped = life { identity = ComponentIdentity(identity.descriptor, port: port) }
        let run: Run
        do {
            try check()
            try claimApplication()
            try port.begin(identity)
            for observer in port.framework.all { observer.inspectable { [weak self] in self?.inspect() } }
            run = makeRun()
        } catch {
            life = .stopped
            throw error
        }
        let turn = Turns.begin(TurnSubject(.start, of: identity.descriptor), clock: port.clock)
        let task = Task.onMainActor { try await Turns.run(turn) { try await bringUp(run, since: start) } }
        life = .starting(run, Transition(turn: turn, task: task))
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func expectStartable() throws(CompositionError) {
        switch phase {
        case .configuring, .stopped: return
        case .starting, .running, .stopping:
            throw CompositionError(
                .wrongPhase,
                "start() needs an orchestrator that does not run, but it is \(phase.rawValue).",
                "Call start() once; to start it again, await shutdown() first."
            )
        }
    }

    private func bringUp(_ run: Run, since start: Instant) async throws {
        do {
            try await startCapabilities(of: run)
            try Task.checkCancellation()
            try await startClients(of: run)
            try await makeHandlers(of: run)
        } catch {
            let error = Task.isCancelled ? CancellationError() : error
            // Not in this task, which may be cancelled: the components get their time to end.
            await Task.onMainActor { await takeDown(run, because: "the application could not be started") }.value
            throw error
        }
        for plan in blueprint.contexts { plan.install(run.names.descriptor(of: plan.type, .context), contexts, port) }
        life = .running(run)
        for plan in blueprint.handlers { plan.endpoint.open() }
        port.watchdog?.start()
        for plan in blueprint.monitors { run.monitors.append(plan.begin(self, run)) }
        port.started(since: start, identity.descriptor)
        for part in extensions.all { part.runBegan() }
    }

    /// Throws all known mistakes before any component is made.
    private func check() throws(CompositionError) {
        let types = blueprint.capabilityTypes
        let unknown = blueprint.monitors.compactMap { $0.mistake(registered: types) }
        let mistakes =
            blueprint.allMistakes + unknown + port.limits.mistakes
            + extensions.mistakes(in: blueprint)
        if let mistake = CompositionError.combining(mistakes) { throw mistake }
    }

    /// Names and announces all components, and makes the nodes of the capabilities. Runs no factory.
    private func makeRun() -> Run {
        // The orchestrator is a component too.
        recorder.reset(
            for: blueprint.capabilities.count + blueprint.clients.count + blueprint.contexts.count
                + blueprint.handlers.count + 1
        )
        let names = NameTable(blueprint)
        announceComponents(names)
        identity.signal(Version.signal, ["Axiom", version.description])?.set(1)
        var resolver = CapabilityResolver(
            recorder: recorder,
            services: ServiceRegistry(blueprint.services, flags),
            report: { [weak self] error, component in await self?.end(error, in: component) }
        )
        let nodes = blueprint.capabilities.map { plan in
            plan.build(names.descriptor(of: plan.type, .capability), port, &resolver)
        }
        let capabilities = CapabilityLifecycle(nodes, resolver: resolver, recorder: recorder, clock: port.clock)
        let run = Run(id: identity.id, names: names, capabilities: capabilities)
        follow(run)
        return run
    }

    /// Announces every registered type to the instrumentation, so that all series exist from the start.
    private func announceComponents(_ names: NameTable) {
        func announce(_ type: ComponentNames.Request, _ kind: ComponentKind) {
            self.announce(names.descriptor(of: type, kind), module: type.module)
        }
        self.announce(identity.descriptor, module: ComponentNames.Request(Orchestrator.self, preferred: "").module)
        for plan in blueprint.capabilities { announce(plan.type, .capability) }
        for plan in blueprint.clients { announce(plan.type, .client) }
        for plan in blueprint.contexts { announce(plan.type, .context) }
        for plan in blueprint.handlers { announce(plan.type, .request) }
        identity.announce()
    }

    func announce(_ component: ComponentDescriptor, module: String) {
        recorder.add(component)
        port.observer?.registered(component, module: module)
    }

    private func startCapabilities(of run: Run) async throws {
        let lifecycle = run.capabilities
        var failures: [CapabilityLifecycle.Failure] = []
        do {
            try await lifecycle.start { failures.append($0) }
        } catch {
            // No recovery follows: the other failures are kept and counted, and the start throws.
            for failure in failures { await end(failure) }
            throw error
        }
        for failure in failures { await settle(failure, lifecycle) }
    }

    private func startClients(of run: Run) async throws {
        let factory = ClientFactory(
            resolver: run.capabilities.resolver,
            registry: clients,
            port: port,
            supervisor: supervisor,
            owners: StateOwners(blueprint.clients, run.names),
            middleware: blueprint.middleware
        ) { [weak run] in run?.hooks[$1] = $0 }
        clients.reserve(blueprint.clients.count)
        run.clients.reserveCapacity(blueprint.clients.count)
        for plan in blueprint.clients {
            let component = run.names.descriptor(of: plan.type, .client)
            let trail = ErrorTrail()
            do {
                try await trail.run { try await start(plan, component, factory, run) }
            } catch {
                try Task.checkCancellation()
                if (error as? CompositionError)?.isAboutStores == true { throw error }
                // Weak, because a notification may offer the retry after the run has ended.
                await settle(error, in: component, trail) { [weak self, weak run] in
                    guard let self, let run, !run.isEnding else { throw Cancellation.onPurpose }
                    try await start(plan, component, factory, run)
                }
            }
            // Also if the client ignored the cancellation: a cancelled start has not succeeded.
            try Task.checkCancellation()
        }
    }

    /// Makes and activates a client. If that fails, the registry throws the error to contexts that resolve the client.
    ///
    /// A retry may overlap a shutdown, which does not wait for it. If the run ends first, the client is deactivated.
    /// The registry and the boundary may already serve the next run, so they do not get the error.
    ///
    /// - Throws: `CancellationError` if the run has ended; otherwise the error of the client.
    private func start(
        _ plan: Blueprint.ClientPlan,
        _ component: ComponentDescriptor,
        _ factory: ClientFactory,
        _ run: Run
    ) async throws {
        var made: (any StatelessClient)?
        do {
            let registered = try plan.make(component, factory)
            guard let client = registered.client else { return }
            made = client
            try await SharedIdentity.check(partsOf: client)
            try await withLimit(port.limit(.activate, of: component)) {
                try await client.activate()
            } ifLate: {
                // No context can get it any more. It releases what it acquired.
                await client.deactivate()
            }
            guard !run.isEnding else {
                await deactivate(client, component)
                throw Cancellation.onPurpose
            }
            run.clients.append(registered)
            run.hooks[component]?.open()
        } catch {
            (made as? any Component)?.identity.note(startFailed: error)
            guard !run.isEnding else { throw Cancellation.onPurpose }
            plan.fail(component, clients, error)
            throw error
        }
    }

    /// Ends an error at the orchestrator, without a recovery.
    func end(_ error: any Error, in component: ComponentDescriptor) async {
        guard ActionOutcome(ofError: error) != .cancelled else { return }
        let operation = supervisor.failure(error, in: component, again: nil)
        operation.rise(to: identity.descriptor)
        _ = await errorBoundary.settle(operation, by: .surface)
    }

    private func settle(_ failure: CapabilityLifecycle.Failure, _ lifecycle: CapabilityLifecycle) async {
        await settle(failure.error, in: failure.component, ErrorTrail()) { [weak self] in
            for other in try await lifecycle.ensure(failure.component) { await self?.end(other) }
        }
    }

    /// Settles an error outside of any context. A cancellation, by a shutdown during the start, is not an error.
    private func settle(
        _ error: any Error,
        in component: ComponentDescriptor,
        _ trail: ErrorTrail,
        again: @escaping FailedOperation.Body
    ) async {
        guard ActionOutcome(ofError: error) != .cancelled else { return }
        _ = await supervisor.settle(supervisor.failure(error, in: component, trail, again: again))
    }
}
