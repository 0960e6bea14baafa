// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension CapabilityLifecycle {
    /// Constructs all capabilities, which reveals their dependencies, and initialises them.
    ///
    /// - Parameter report: Is called for every failure that is not thrown, in the order in which they came.
    /// - Throws: ``CompositionError`` for a circle or a missing registration, ``CapabilityError`` for the first
    ///   required capability that failed, `CancellationError` when the task is cancelled. Those that had been initialised
    ///   have to be terminated then: ``stop(reason:)``.
    func start(report: (Failure) -> Void) async throws {
        var failures = construct(nodes)
        if let mistake = failures.lazy.compactMap({ $0.error as? CompositionError }).first { throw mistake }
        order = try initializationOrder()
        if !failures.contains(where: { $0.requirement == .required }) {
            failures += await initialize(order, except: failures, endingWithRequired: true)
        }
        let fatal = failures.firstIndex { $0.requirement == .required }
        for (index, failure) in failures.enumerated() where index != fatal { report(failure) }
        try Task.checkCancellation()
        if let failure = fatal.map({ failures[$0] }) {
            throw CapabilityError.initializationFailed(failure.component.name, cause: failure.error)
        }
        spreadDegradation()
    }

    /// Replaces the instances of some capabilities: terminates them in the reverse order of their dependencies, and
    /// initialises new ones, except of those that are disabled.
    ///
    /// - Parameter cause: Why, for those who use them meanwhile.
    /// - Returns: What failed.
    func replace(_ components: Set<ComponentDescriptor>, because cause: String) async -> [Failure] {
        let replaced = order.filter { components.contains($0.descriptor) }
        defer { spreadDegradation() }
        let overdue = await terminate(replaced, reason: "it is being initialised again (\(cause))", isFinal: false)
        spreadDegradation()
        let enabled = replaced.filter { !disabled.contains($0.descriptor) }
        var failures = construct(enabled)
        if let newer = try? initializationOrder() { order = newer }
        failures += await initialize(enabled, except: failures, endingWithRequired: false)
        // A shutdown, or a partial one, that this change waits for does not wait for this change.
        let unwanted = replaced.filter { isStopping || disabled.contains($0.descriptor) }
        return overdue + failures + (await terminate(unwanted, reason: isStopping ? Self.stopping : Self.disabling))
    }

    static let stopping = "the application was shut down"

    /// Tells capabilities that take it up in place that their configuration changed.
    ///
    /// - Returns: Those that were told, and those of them that refused it: they work as before.
    func reconfigure(_ components: Set<ComponentDescriptor>) async -> (Set<ComponentDescriptor>, [Failure]) {
        var (told, failures): (Set<ComponentDescriptor>, [Failure]) = ([], [])
        for node in order where components.contains(node.descriptor) {
            do {
                if try await node.reconfigure() { told.insert(node.descriptor) }
            } catch {
                told.insert(node.descriptor)
                failures.append(
                    Failure(
                        component: node.descriptor,
                        requirement: node.requirement,
                        phase: .configuration,
                        error: error
                    )
                )
            }
        }
        spreadDegradation()
        return (told, failures)
    }

    /// Terminates `nodes` in the reverse order.
    ///
    /// - Parameter isFinal: Whether no new instances follow.
    /// - Returns: Those that did not end in time.
    func terminate(_ nodes: [any CapabilityNode], reason: String, isFinal: Bool = true) async -> [Failure] {
        var failures: [Failure] = []
        for node in nodes.reversed() {
            guard let error = await node.terminate(reason: reason, isFinal: isFinal) else { continue }
            failures.append(
                Failure(component: node.descriptor, requirement: .optional, phase: .termination, error: error)
            )
        }
        return failures
    }

    /// Runs the factories. One that throws counts as a failed initialisation.
    private func construct(_ nodes: [any CapabilityNode]) -> [Failure] {
        nodes.compactMap { node in
            do {
                try node.construct(resolver)
                return nil
            } catch {
                return fail(node, error)
            }
        }
    }

    private func fail(_ node: any CapabilityNode, _ error: any Error) -> Failure {
        node.fail(error)
        return Failure(component: node.descriptor, requirement: node.requirement, error: error)
    }

    private func initializationOrder() throws -> [any CapabilityNode] {
        let byDescriptor = Dictionary(uniqueKeysWithValues: nodes.map { ($0.descriptor, $0) })
        do {
            return try recorder.graph.restricted(to: .capability).topologicalOrder().compactMap { byDescriptor[$0] }
        } catch {
            throw CompositionError(
                .capabilityCycle,
                "Capabilities depend on each other in a circle: \(error).",
                "Move what they share into a capability below both."
            )
        }
    }

    /// Initialises each capability as soon as those that it depends on are done, whether they work or not.
    ///
    /// - Parameters:
    ///   - order: The capabilities.
    ///   - failed: Those of them that could not even be constructed.
    ///   - endsWithRequired: Whether no new ones begin when a required one failed, and those that have begun are
    ///     cancelled: at the start, which then ends everything. Else each one works or is among the failures.
    private func initialize(
        _ order: [any CapabilityNode],
        except failed: [Failure],
        endingWithRequired endsWithRequired: Bool
    ) async -> [Failure] {
        let nodes = Dictionary(uniqueKeysWithValues: order.map { ($0.descriptor, $0) })
        let failed = Set(failed.map(\.component))
        let waiting = order.map(\.descriptor).filter { !failed.contains($0) }
        var queue = InitializationQueue(order: waiting, graph: recorder.graph)
        return await withTaskGroup(of: (ComponentDescriptor, (any Error)?).self) { group in
            var failures: [Failure] = []
            while true {
                for component in queue.takeReady() {
                    guard let node = nodes[component] else { continue }
                    group.addTask { (component, await Self.initialize(node)) }
                }
                guard let (component, error) = await group.next() else { break }
                queue.finish(component)
                guard let error, let node = nodes[component] else { continue }
                failures.append(fail(node, error))
                if endsWithRequired, node.requirement == .required {
                    queue.close()
                    group.cancelAll()
                }
            }
            return failures + queue.stuck.compactMap { nodes[$0].map { fail($0, Self.stuck($0)) } }
        }
    }

    /// What came to depend on itself after the start, by a factory that resolves something else each time.
    private static func stuck(_ node: any CapabilityNode) -> CompositionError {
        CompositionError(
            .capabilityCycle,
            "The \(node.descriptor) was constructed again and now depends on a circle of capabilities.",
            "Resolve the same capabilities each time, and move what they share into a capability below them."
        )
    }

    private nonisolated static func initialize(_ node: any CapabilityNode) async -> (any Error)? {
        do {
            try await node.initialize()
            return nil
        } catch {
            return error
        }
    }

    /// Gives every capability the level that those below it leave.
    func spreadDegradation() {
        var known: [ComponentDescriptor: (level: DegradationLevel, requirement: CapabilityRequirement)] = [:]
        let graph = recorder.graph
        for node in order {
            let inherited = graph.dependencies(of: node.descriptor).compactMap { known[$0] }
                .map { $0.level.inherited(from: $0.requirement) }
                .max()
            node.degrade(to: inherited ?? .full)
            known[node.descriptor] = (max(node.ownDegradation, inherited ?? .full), node.requirement)
        }
    }
}

extension DegradationLevel {
    /// How much a capability can do that depends on one of this level.
    ///
    /// An optional capability that lacks something leaves what depends on it ``limited``: that is what optional means. A
    /// required one passes its level on. Without it, what depends on it is ``minimal`` and not ``unavailable``, since it
    /// was initialised and has an instance that answers.
    func inherited(from requirement: CapabilityRequirement) -> DegradationLevel {
        switch requirement {
        case .optional: min(self, .limited)
        case .required: min(self, .minimal)
        }
    }
}
