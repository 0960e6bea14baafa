// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Orchestrator {
    /// Starts the application: constructs and initialises the capabilities in the order of their dependencies, then
    /// makes and activates the clients. Contexts can be made afterwards.
    ///
    /// An optional capability that fails leaves what depends on it degraded; a client that fails is missed by those
    /// contexts only that ask for it. Both are reported to the instrumentation.
    ///
    /// - Throws: ``CompositionError`` when something is registered wrongly or capabilities go in a circle,
    ///   ``CapabilityError`` when a required capability fails; and what the instrumentation throws, such as a telemetry
    ///   that observes another orchestrator. The orchestrator is then stopped, and all that had been initialised was
    ///   terminated.
    public func start() async throws {
        try expect(.configuring, for: "start()")
        phase = .starting
        let task = Task { try await bringUp() }
        transition = task
        try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func bringUp() async throws {
        let start = port.clock.now
        do {
            try blueprint.check()
            #if Instrumented
            try Hooks.begin(identity)
            #endif
            announceComponents()
            let resolver = try await startCapabilities()
            await startClients(resolver)
            for plan in blueprint.contexts { plan.install(names.descriptor(of: plan.type, .context), contexts, port) }
            blueprint = Blueprint()
            phase = .running
            #if Instrumented
            Hooks.started(since: start, identity.descriptor, port)
            #endif
        } catch {
            phase = .stopped
            throw error
        }
    }

    /// Ends the application in the reverse order: unmounts the presentations, deactivates the clients, terminates
    /// the capabilities. Does nothing when it was shut down before or never started.
    ///
    /// A start that is under way is cancelled and what it started is ended; a shutdown that is under way is waited
    /// for. Carried through even when the task that asks for it is cancelled.
    public func shutdown() async {
        if phase == .starting {
            transition?.cancel()
            _ = await transition?.result
        }
        if phase == .running {
            phase = .stopping
            transition = Task { await takeDown() }
        }
        if phase == .configuring { phase = .stopped }
        if phase == .stopping { _ = await transition?.result }
    }

    private func takeDown() async {
        for host in mounts.hosts.reversed() { await host.unmount() }
        clients.removeAll()
        while let running = runningClients.popLast() { await running.client.deactivate() }
        await capabilities?.stop(reason: "the application was shut down")
        capabilities = nil
        phase = .stopped
        #if Instrumented
        Hooks.shutDown(port)
        #endif
    }

    /// Tells every mounted context that the application went to the background: of one presentation downstream before
    /// upstream, one after the other. Presentations are told at the same time, the last that was mounted first, so that
    /// all of them take as long as the slowest: the time that an application has for this is short.
    public func enterBackground() async {
        await tell(mounts.hosts.reversed()) { await $0.enterBackground() }
    }

    /// Tells every mounted context that the application came back to the foreground: of one presentation upstream before
    /// downstream. Presentations are told at the same time, the first that was mounted first, so that a slow one does not
    /// keep the one that somebody looks at from coming back.
    ///
    /// Does not wait for an ``enterBackground()`` that has not returned: whoever calls both waits for the one first.
    public func enterForeground() async {
        await tell(mounts.hosts) { await $0.enterForeground() }
    }

    /// Tells each of the hosts, which begin in their order: each part begins on the main actor, which takes them in turn.
    private func tell(
        _ hosts: [any MountedPresentation],
        _ news: @escaping @MainActor @Sendable (any MountedPresentation) async -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            for host in hosts {
                let part: @MainActor @Sendable () async -> Void = { await news(host) }
                group.addTask(operation: part)
            }
        }
    }
}

extension Orchestrator {
    /// Names every registered type and tells the instrumentation of it, so that all series exist from the start.
    private func announceComponents() {
        names = NameTable(blueprint)
        announce(identity.descriptor, module: ComponentNames.Request(Orchestrator.self, preferred: "").module)
        for plan in blueprint.capabilities { announce(plan.type, .capability) }
        for plan in blueprint.clients { announce(plan.type, .client) }
        for plan in blueprint.contexts { announce(plan.type, .context) }
        identity.announce()
    }

    private func announce(_ type: ComponentNames.Request, _ kind: ComponentKind) {
        announce(names.descriptor(of: type, kind), module: type.module)
    }

    func announce(_ component: ComponentDescriptor, module: String) {
        recorder.add(component)
        #if Instrumented
        Hooks.registered(component, module: module, port)
        #endif
    }

    private func startCapabilities() async throws -> CapabilityResolver {
        var resolver = CapabilityResolver(recorder: recorder)
        let nodes = blueprint.capabilities.map { plan in
            plan.build(names.descriptor(of: plan.type, .capability), port, &resolver)
        }
        let lifecycle = CapabilityLifecycle(nodes, resolver: resolver, recorder: recorder, clock: port.clock)
        capabilities = lifecycle
        var failures: [CapabilityLifecycle.Failure] = []
        do {
            try await lifecycle.start { failures.append($0) }
        } catch {
            // Nothing is left to recover: what else failed is kept and counted, and the start throws.
            for failure in failures { await end(failure) }
            throw error
        }
        for failure in failures { await settle(failure, lifecycle) }
        return resolver
    }

    private func startClients(_ resolver: CapabilityResolver) async {
        let workshop = ClientWorkshop(resolver: resolver, registry: clients, port: port)
        for plan in blueprint.clients {
            let component = names.descriptor(of: plan.type, .client)
            let trail = ErrorTrail()
            do {
                try await ErrorTrail.$current.withValue(trail) { try await start(plan, component, workshop) }
            } catch {
                await settle(error, in: component, trail) { [weak self] in
                    try await self?.start(plan, component, workshop)
                }
            }
        }
    }

    /// Makes a client and activates it; in its place stands the error when that fails.
    private func start(
        _ plan: Blueprint.ClientPlan,
        _ component: ComponentDescriptor,
        _ workshop: ClientWorkshop
    ) async throws {
        var made: (any StatelessClient)?
        do {
            let client = try plan.make(component, workshop)
            made = client
            try await client.activate()
            runningClients.append((component, client))
        } catch {
            (made as? any Component)?.identity.note(startFailed: error)
            plan.fail(component, clients, error)
            throw error
        }
    }

    private func settle(_ failure: CapabilityLifecycle.Failure, _ lifecycle: CapabilityLifecycle) async {
        await settle(failure.error, in: failure.component, ErrorTrail()) { [weak self] in
            for other in try await lifecycle.ensure(failure.component) { await self?.end(other) }
        }
    }

    /// Settles an error for which no context asked. What was called off, by a shutdown during the start, is no error.
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
