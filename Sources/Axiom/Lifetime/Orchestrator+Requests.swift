// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Orchestrator {
    /// Registers a request handler. Each ``start()`` makes an instance, after the clients, for all requests.
    ///
    /// - Parameters:
    ///   - limits: How many requests run and wait at once.
    ///   - make: Makes a new instance from its scope.
    /// - Returns: What sends requests to it. It refuses them until the application has started. If its client did not start,
    ///   or the registration came after ``start()``, it refuses them with the cause.
    @discardableResult
    public func register<H: RequestHandler>(
        _ type: H.Type,
        limits: RequestLimits = RequestLimits(),
        _ make: @escaping @MainActor @Sendable (borrowing HandlerScope) throws -> H
    ) -> Endpoint<H> {
        check(H.ActionType.self, "the action", of: type)
        let name = ComponentNames.Request(type, preferred: H.componentName)
        let component = ComponentDescriptor(kind: .request, name: name.preferred)
        let core = EndpointCore(component, limits, clock: port.clock, make)
        if mayRegister(name) {
            for mistake in limits.mistakes(of: name.preferred) { blueprint.note(mistake) }
            blueprint.add(Blueprint.HandlerPlan(type: name, endpoint: core))
        } else {
            core.close(component, because: life.run?.lateRegistrations[name.key])
        }
        return Endpoint(core: core)
    }

    /// What sends requests to a registered handler.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/notRegistered``.
    public func endpoint<H: RequestHandler>(_ type: H.Type) throws -> Endpoint<H> {
        let endpoint = blueprint.endpoint(ObjectIdentifier(type))
        if let core = endpoint as? EndpointCore<H> { return Endpoint(core: core) }
        throw CompositionError(
            .notRegistered,
            "The endpoint of the request handler \(type) was asked for, which is not registered.",
            "Register it before start(): orchestrator.register(\(type).self) { … }."
        )
    }

    /// Makes the handlers. A handler whose client did not start refuses its requests; the error ends
    /// at the orchestrator.
    ///
    /// - Throws: ``CompositionError`` of a handler.
    func makeHandlers(of run: Run) async throws {
        let environment = HandlerEnvironment(clients: clients, port: port, values: contexts.values.root.current)
        for plan in blueprint.handlers {
            let component = run.names.descriptor(of: plan.type, .request)
            do {
                try plan.endpoint.make(component, environment)
            } catch let error as CompositionError {
                throw error
            } catch {
                plan.endpoint.close(component, because: error)
                await end(error, in: component)
            }
        }
    }

    /// Refuses requests from now on, and waits for those that run and wait, each handler within its limit at the same time.
    func drainEndpoints(of run: Run, by deadline: Instant) async {
        let handlers = blueprint.handlers.map { (run.names.descriptor(of: $0.type, .request), $0.endpoint) }
        for (component, endpoint) in handlers { endpoint.close(component, because: nil) }
        await withDiscardingTaskGroup { group in
            for (component, endpoint) in handlers where endpoint.isBusy {
                let drain: @MainActor @Sendable () async -> Void = {
                    await self.end(.drain, of: component, by: deadline) { await endpoint.drain() }
                    endpoint.abandon()
                }
                group.addTask(operation: drain)
            }
        }
    }
}
