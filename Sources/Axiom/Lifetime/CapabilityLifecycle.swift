// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Starts the capabilities of one orchestrator in the order of their dependencies, ends them in the reverse order,
/// and makes single ones anew when something outside changed.
@MainActor
final class CapabilityLifecycle {
    /// A capability that could not be initialised.
    struct Failure {
        let component: ComponentDescriptor
        let requirement: CapabilityRequirement
        let error: any Error
    }

    private let nodes: [any CapabilityNode]
    private let resolver: CapabilityResolver
    private let recorder: GraphRecorder
    /// The order of dependencies; empty until the start has found it.
    private var order: [any CapabilityNode] = []
    /// The change that is being carried out, for each capability: changes of one capability wait for each other.
    private var changes: [ComponentDescriptor: Task<Void, any Error>] = [:]
    /// What a partial shutdown ended: it is not made any more, for whatever reason it is asked for.
    private var disabled: Set<ComponentDescriptor> = []
    /// From then on nothing is made any more.
    private var isStopping = false

    init(_ nodes: [any CapabilityNode], resolver: CapabilityResolver, recorder: GraphRecorder) {
        self.nodes = nodes
        self.resolver = resolver
        self.recorder = recorder
    }

    /// Constructs all capabilities, which reveals their dependencies, and initialises them.
    ///
    /// - Parameter report: Is told of every failure that is not thrown, in the order in which they came.
    /// - Throws: ``CompositionError`` for a circle or a missing registration, ``CapabilityError`` for the first
    ///   required capability that failed; then those that had been initialised were terminated again.
    func start(report: (Failure) -> Void) async throws {
        do {
            var failures = construct(nodes)
            if let mistake = failures.lazy.compactMap({ $0.error as? CompositionError }).first { throw mistake }
            order = try initializationOrder()
            if !failures.contains(where: { $0.requirement == .required }) {
                failures += await initialize(order, except: failures, endingWithRequired: true)
            }
            let fatal = failures.firstIndex { $0.requirement == .required }
            for (index, failure) in failures.enumerated() where index != fatal { report(failure) }
            if let failure = fatal.map({ failures[$0] }) {
                throw CapabilityError.initializationFailed(failure.component.name, cause: failure.error)
            }
            spreadDegradation()
        } catch {
            await stop(reason: "the application could not be started")
            throw error
        }
    }

    /// Terminates all capabilities, each before those that it depends on.
    func stop(reason: String) async {
        isStopping = true
        for change in changes.values { _ = await change.result }
        for node in (order.isEmpty ? nodes : order).reversed() {
            await node.terminate(reason: reason)
        }
    }

    /// Terminates the capability and makes a new one. Whoever holds a ``CapabilityRef`` finds the new one.
    ///
    /// - Throws: ``CapabilityError`` when the new one cannot be initialised; what depends on it is then degraded. Also
    ///   when the capability is disabled.
    func recreate(_ component: ComponentDescriptor, because change: CapabilityChange) async throws {
        guard let node = order.first(where: { $0.descriptor == component }) else { return }
        let previous = changes[component]
        let task = Task {
            _ = await previous?.result
            try await self.replace(node, because: change)
        }
        changes[component] = task
        try await task.value
    }

    /// Makes the capability anew, unless it works: what runs a failed initialisation again.
    ///
    /// - Throws: What keeps it from being initialised, as it was thrown.
    func ensure(_ component: ComponentDescriptor) async throws {
        guard let node = order.first(where: { $0.descriptor == component }) else { return }
        guard node.ownDegradation == .unavailable else { return }
        do {
            try await recreate(component, because: .serviceRestored)
        } catch {
            throw (error as? CapabilityError)?.cause ?? error
        }
    }

    /// Terminates all capabilities and makes new ones, in the order of their dependencies, but those that are disabled.
    /// Changes that are under way come first, those that are asked for meanwhile come after.
    ///
    /// - Returns: The capabilities that could not be initialised; all others work, as far as they are not disabled.
    /// - Throws: ``CapabilityError`` when the application was shut down meanwhile.
    func reset() async throws -> [Failure] {
        let earlier = Array(changes.values)
        let task = Task {
            for change in earlier { _ = await change.result }
            return try await self.replaceAll()
        }
        let change = Task { _ = try await task.value }
        for node in nodes { changes[node.descriptor] = change }
        return try await task.value
    }

    private func replaceAll() async throws -> [Failure] {
        guard !isStopping else {
            throw CapabilityError.unavailable("graph", because: "the application was shut down")
        }
        defer { spreadDegradation() }
        for node in order.reversed() { await node.terminate(reason: "the capabilities are being made anew") }
        let failures = construct(nodes.filter { !disabled.contains($0.descriptor) })
        let enabled = order.filter { !disabled.contains($0.descriptor) }
        return failures + (await initialize(enabled, except: failures, endingWithRequired: false))
    }

    /// Terminates some capabilities for good, each before those that it depends on. A change of theirs that is under way
    /// comes first; later ones throw.
    func disable(_ components: Set<ComponentDescriptor>) async {
        disabled.formUnion(components)
        for node in order.reversed() where components.contains(node.descriptor) {
            _ = await changes[node.descriptor]?.result
            await node.terminate(reason: Self.disabling)
        }
        spreadDegradation()
    }

    private static let disabling = "it was disabled by a partial shutdown"

    /// All capabilities and how much of each works, each after those that it depends on.
    var states: [Diagnostics.CapabilityState] {
        order.map { Diagnostics.CapabilityState(component: $0.descriptor, degradation: $0.degradation) }
    }

    private func replace(_ node: any CapabilityNode, because change: CapabilityChange) async throws {
        guard !isStopping else {
            throw CapabilityError.unavailable(node.descriptor.name, because: "the application was shut down")
        }
        guard !disabled.contains(node.descriptor) else {
            throw CapabilityError.unavailable(node.descriptor.name, because: Self.disabling)
        }
        let start = node.port.clock.now
        defer {
            spreadDegradation()
            node.report(.availabilityChange, since: start)
        }
        await node.terminate(reason: "it is being made anew (\(change.rawValue))")
        spreadDegradation()
        do {
            try node.construct(resolver)
            try await node.initialize()
        } catch {
            node.fail(error)
            throw CapabilityError.unavailable(node.descriptor.name, because: "it could not be made anew", cause: error)
        }
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
            "The \(node.descriptor) was made anew and now depends on a circle of capabilities.",
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

    /// A capability works no better than `limited` while one that it depends on is not fully there.
    private func spreadDegradation() {
        var levels: [ComponentDescriptor: DegradationLevel] = [:]
        let graph = recorder.graph
        for node in order {
            let lacks = graph.dependencies(of: node.descriptor).contains { levels[$0, default: .full] > .full }
            let level = max(node.ownDegradation, lacks ? .limited : .full)
            levels[node.descriptor] = level
            if node.ownDegradation != .unavailable { node.degrade(to: level) }
        }
    }
}
