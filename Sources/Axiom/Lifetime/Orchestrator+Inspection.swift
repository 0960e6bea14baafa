// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Orchestrator {
    /// What the application consists of at this moment: its components with their phases and dependencies, the cached
    /// levels of capabilities, the actions under way, the subscribers, the registry of contexts and the limits.
    ///
    /// It only reads what the framework knows. It calls no component, makes nothing, and changes nothing that a later
    /// inspection could show. It waits only for an update of a state store that is under way on another thread. The
    /// cost is linear in components, dependencies and mounted contexts.
    public func inspect() -> Inspection {
        let (graph, run) = (recorder.graph, life.run)
        return Inspection(
            format: 1,
            id: identity.id,
            phase: phase.rawValue,
            isInBackground: supervisor.isInBackground,
            errors: errorBoundary.count,
            components: graph.nodes,
            dependencies: graph.edges,
            capabilities: (run?.capabilities.known ?? []).map(\.inspected),
            clients: run.map(inspectedClients) ?? [],
            handlers: blueprint.handlers.map(\.endpoint.inspected),
            contexts: mounts.hosts.flatMap { host in
                host.root.map { Self.inspected($0, presentation: host.component.name, upstream: nil) } ?? []
            },
            limits: port.limits.seconds
        )
    }

    private func inspectedClients(of run: Run) -> [Inspection.Client] {
        let active = Set(run.clients.map(\.component))
        let known = Dictionary(clients.clients.map { ($0.component, $0) }) { first, _ in first }
        return blueprint.clients.map { plan in
            let component = run.names.descriptor(of: plan.type, .client)
            let made = known[component]
            let phase = made is FailedClient ? "failed" : active.contains(component) ? "active" : "registered"
            return Inspection.Client(
                name: component.name,
                id: made?.id,
                phase: phase,
                stores: made?.stores.inspected ?? [],
                actionsInFlight: port.framework.first { $0.actionsInFlight(of: component) }
            )
        }
    }

    private static func inspected(
        _ runtime: ContextRuntime,
        presentation: String?,
        upstream: UInt64?
    ) -> [Inspection.Context] {
        let below = runtime.downstreamRuntimes
        let context = Inspection.Context(
            name: runtime.descriptor.name,
            id: runtime.id,
            phase: "\(runtime.life)",
            presentation: presentation,
            upstream: upstream,
            downstream: below.map(\.id),
            operationsInFlight: runtime.operations.count,
            observations: runtime.observations.count,
            errors: runtime.boundary.count,
            recovered: runtime.boundary.recoveredCount
        )
        return [context] + below.flatMap { inspected($0, presentation: nil, upstream: runtime.id) }
    }

    /// The contexts of the mounted presentations, in the order in which they were mounted.
    public var rootContexts: [any Context] { mounts.hosts.compactMap { $0.root?.context } }

    /// The mounted context with the number of its ``ComponentIdentity/id``, or one that a mounted context contains; nil
    /// if there is none. Linear in mounted contexts.
    public func context(id: UInt64) -> (any Context)? {
        var waiting = mounts.hosts.compactMap(\.root)
        while let runtime = waiting.popLast() {
            if runtime.id == id { return runtime.context }
            waiting += runtime.downstreamRuntimes
        }
        return nil
    }
}

extension CapabilityNode {
    fileprivate var inspected: Inspection.Capability {
        Inspection.Capability(
            name: descriptor.name,
            id: instanceID,
            phase: instanceID == nil ? "absent" : isInitialized ? "initialised" : "constructed",
            requirement: "\(requirement)",
            level: "\(degradation)",
            ownLevel: "\(ownDegradation)",
            isAvailable: cachedAvailability
        )
    }
}

extension ClientStores {
    fileprivate var inspected: [Inspection.Client.Store] {
        stores.map { store in
            let subscribers = store.subscribers
            return Inspection.Client.Store(
                state: store.stateType,
                subscribers: subscribers.count,
                pending: subscribers.reduce(0) { $0 + $1.pending }
            )
        }
    }
}

extension WaitLimits {
    /// The limits in seconds, by their names.
    fileprivate var seconds: [String: Double] {
        TurnOperation.allCases.reduce(into: [:]) { seconds, operation in
            guard let limit = limit(for: operation) else { return }
            seconds[limit.name] = limit.duration.inSeconds
        }
    }
}

extension Orchestrator {
    /// What is under way, for tests.
    package nonisolated var quiescence: Quiescence { supervisor.quiescence }

    /// Returns when nothing is under way in the mounted contexts and no rendering is due: every observation waits with
    /// nothing pending, and no operation and no retry is under way, unless it waits for the test. Waits for the operations
    /// of unmounted contexts, too.
    ///
    /// - Parameters:
    ///   - contexts: Other contexts to wait for, which no presentation shows.
    ///   - limit: How long to wait, in real time.
    /// - Returns: False if the limit expired first.
    @discardableResult
    package func quiet(_ contexts: [any Context] = [], upTo limit: Duration = .seconds(60)) async -> Bool {
        let runtimes = contexts.map(\.runtime)
        return await quiescence.wait(upTo: limit) { [weak self] in
            let mounted = self?.mounts.hosts.compactMap(\.root) ?? []
            // A mounted context appears as soon as the main actor is free.
            return mounted.allSatisfy { $0.life != .pending && $0.isQuiet } && runtimes.allSatisfy(\.isQuiet)
        }
    }

    /// What is under way and does not wait for the test, for a failure: a line for each context.
    package var underWay: [String] {
        let mounted = mounts.hosts.compactMap(\.root).flatMap(\.tree)
        return (mounted + quiescence.leaving).compactMap { runtime in
            guard let context = runtime.context else { return nil }
            let (operations, observations) = context.underWay
            guard operations + observations > 0 else { return nil }
            let counts = "\(operations) operations and \(observations) observations"
            return "\(runtime.descriptor.name): \(counts) are under way."
        }
    }
}

extension ContextRuntime {
    /// The context and all below it.
    fileprivate var tree: [ContextRuntime] { [self] + downstreamRuntimes.flatMap(\.tree) }
}
