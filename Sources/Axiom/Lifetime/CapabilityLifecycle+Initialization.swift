// SPDX-License-Identifier: Apache-2.0

extension CapabilityLifecycle {
    /// Constructs all capabilities, which reveals their dependencies, and initialises them.
    ///
    /// - Parameter report: Receives every failure that is not thrown, in order.
    /// - Throws: ``CompositionError`` for a cycle or a missing registration, ``CapabilityError`` for the first required
    ///   capability that failed, `CancellationError` if the task is cancelled. The caller must then terminate the
    ///   capabilities that were initialised: ``stop(reason:)``.
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
    /// initialises new ones.
    ///
    /// - Parameter cause: The reason, for code that uses a capability during the change.
    /// - Returns: The failures.
    func replace(_ components: Set<ComponentDescriptor>, because cause: String) async -> [Failure] {
        let replaced = order.filter { components.contains($0.descriptor) }
        defer { spreadDegradation() }
        let overdue = await terminate(replaced, reason: "it is being initialised again (\(cause))", isFinal: false)
        spreadDegradation()
        var failures = construct(replaced)
        if let newer = try? initializationOrder() { order = newer }
        failures += await initialize(replaced, except: failures, endingWithRequired: false)
        // A shutdown that this change waits for does not wait for this change.
        return overdue + failures + (isStopping ? await terminate(replaced, reason: Self.stopping) : [])
    }

    /// Reconfigures the capabilities `named` that can do so in place, and replaces the others with their dependents.
    func apply(
        _ kind: CapabilityChange,
        to named: Set<ComponentDescriptor>,
        affecting affected: Set<ComponentDescriptor>
    ) async -> [Failure] {
        let (notified, failures) = kind == .configurationChanged ? await reconfigure(named) : ([], [])
        let rest = named.subtracting(notified)
        if rest.isEmpty { return failures }
        let replaced = rest == named ? affected : recorder.graph.capabilities(dependingOn: rest)
        return failures + (await replace(replaced, because: kind.rawValue))
    }

    static let stopping = "the application was shut down"

    /// Terminates `nodes` in the reverse order.
    ///
    /// - Parameter isFinal: Whether no new instances follow.
    /// - Returns: The failures of those that did not end in time.
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
            throw CompositionError.capabilityCycle(error)
        }
    }

    /// Initialises each capability as soon as the initialisation of its dependencies has ended, successfully or not.
    ///
    /// - Parameters:
    ///   - failed: Those of them that could not be constructed.
    ///   - endsWithRequired: Whether the failure of a required capability ends the initialisation: no new one begins,
    ///     and those under way are cancelled. True at the start, which then fails as a whole. If false, each capability
    ///     either works or is among the failures.
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

    /// The error of a capability that came to depend on itself after the start, because its factory resolves different
    /// types each time.
    private static func stuck(_ node: any CapabilityNode) -> CompositionError {
        CompositionError(
            .capabilityCycle,
            "The \(node.descriptor) was constructed again and now depends on a cycle of capabilities.",
            "Resolve the same capabilities each time, and move the shared part to a capability on which they depend."
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

    /// Propagates degradation: sets the level that each capability inherits from its dependencies.
    func spreadDegradation() {
        var known: [ComponentDescriptor: (level: DegradationLevel, requirement: CapabilityRequirement)] = [:]
        let graph = recorder.graph
        for node in order {
            let inherited = graph.dependencies(of: node.descriptor).compactMap { known[$0] }
                .map { $0.level.inherited(from: $0.requirement) }
                .max()
            node.degrade(to: inherited ?? .full)
            known[node.descriptor] = (max(node.passedOnDegradation, inherited ?? .full), node.requirement)
            node.meters?.note(node.degradation)
        }
        levelsChanged()
    }
}

extension DegradationLevel {
    /// The level of a capability that depends on one of this level.
    ///
    /// A degraded optional capability makes its dependents ``limited``. A required one passes its level on. If a
    /// required one is unavailable, its dependents are ``minimal`` and not ``unavailable``, because they were
    /// initialised and have an instance that answers.
    func inherited(from requirement: CapabilityRequirement) -> DegradationLevel {
        switch requirement {
        case .optional: min(self, .limited)
        case .required: min(self, .minimal)
        }
    }
}

/// Selects the components that may begin: those whose dependencies are all done.
struct InitializationQueue {
    private let order: [ComponentDescriptor]
    /// By the index of a component: how many of its dependencies are not done.
    private var missing: [Int] = []
    /// The indices of the components that depend on one directly.
    private var dependents: [ComponentDescriptor: [Int]] = [:]
    /// The indices of those that may begin and were not taken.
    private var ready: [Int]
    /// Whether no more components may begin.
    private(set) var isClosed = false

    init(order: [ComponentDescriptor], graph: ComponentGraph) {
        self.order = order
        let all = Set(order)
        for (index, component) in order.enumerated() {
            let dependencies = graph.dependencies(of: component).filter(all.contains)
            missing.append(dependencies.count)
            for dependency in dependencies { dependents[dependency, default: []].append(index) }
        }
        ready = missing.indices.filter { [missing] in missing[$0] == 0 }
    }

    /// Removes and returns the components that may begin, in their original order.
    mutating func takeReady() -> [ComponentDescriptor] {
        guard !isClosed else { return [] }
        defer { ready = [] }
        return ready.sorted().map { order[$0] }
    }

    /// The components that can never begin because of a cycle. Valid once all that began are finished.
    var stuck: [ComponentDescriptor] { isClosed ? [] : order.indices.filter { missing[$0] > 0 }.map { order[$0] } }

    mutating func finish(_ component: ComponentDescriptor) {
        for index in dependents.removeValue(forKey: component) ?? [] {
            missing[index] -= 1
            if missing[index] == 0 { ready.append(index) }
        }
    }

    mutating func close() { isClosed = true }
}
