// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Starts the capabilities of one orchestrator in the order of their dependencies, ends them in the reverse order, and
/// replaces those that changed, together with their dependents.
@MainActor
final class CapabilityLifecycle {
    /// A failed operation of a capability.
    struct Failure {
        enum Phase { case initialization, configuration, termination }

        let component: ComponentDescriptor
        let requirement: CapabilityRequirement
        var phase = Phase.initialization
        let error: any Error

        /// The error that a change throws for this failure.
        var changeError: any Error {
            guard phase == .initialization, ActionOutcome(ofError: error) != .cancelled else { return error }
            let reason = "it could not be initialised again: \(String(clause: error))"
            return CapabilityError.unavailable(component.name, because: reason, cause: error)
        }
    }

    /// A change in the queue. It must be carried out.
    struct Change {
        let named: Set<ComponentDescriptor>
        fileprivate let ticket: CapabilityChangeQueue.Ticket
        let turn: TurnID
    }

    let nodes: [any CapabilityNode]
    let resolver: CapabilityResolver
    let recorder: GraphRecorder
    private let clock: TimeSource
    /// In dependency order; empty until the start has determined it.
    var order: [any CapabilityNode] = []
    private var queue = CapabilityChangeQueue()
    /// The turn of each change that has not ended, and a signal for its end. As many entries as `queue` has.
    private var changes: [CapabilityChangeQueue.Ticket: (turn: TurnID, end: OneShot<Void>)] = [:]
    /// Resumes the changes that wait for their turn, with the capabilities that each affects.
    private var waiting: [CapabilityChangeQueue.Ticket: OneShot<Set<ComponentDescriptor>>] = [:]
    /// Once true, no capability is initialised.
    private(set) var isStopping = false
    /// Called after the levels were spread.
    var levelsChanged: @MainActor () -> Void = {}

    init(
        _ nodes: [any CapabilityNode],
        resolver: CapabilityResolver,
        recorder: GraphRecorder,
        clock: TimeSource
    ) {
        self.nodes = nodes
        self.resolver = resolver
        self.recorder = recorder
        self.clock = clock
        for node in nodes {
            node.observeLevel { [weak self] in Task.onMainActor { self?.spreadDegradation() } }
        }
    }

    /// All capabilities: in dependency order once the start has determined it, before in the order of registration.
    var known: [any CapabilityNode] { order.isEmpty ? nodes : order }

    /// Whether there is a working instance of every capability in `components`.
    func works(_ components: Set<ComponentDescriptor>) -> Bool {
        order.allSatisfy { !components.contains($0.descriptor) || $0.ownDegradation != .unavailable }
    }

    private static let all = ComponentDescriptor(kind: .capability, name: "graph")

    // MARK: Changes

    /// Adds a change of the capabilities `named` to the queue.
    ///
    /// - Throws: ``LifecycleError`` if a change that it would wait for waits for the calling code.
    func enqueue(_ named: Set<ComponentDescriptor>) throws(LifecycleError) -> Change {
        let subject = order.lazy.map(\.descriptor).first(where: named.contains) ?? Self.all
        let earlier = queue.obstacles(of: named, recorder.graph).compactMap { changes[$0]?.turn }
        let turn: TurnID
        do {
            turn = try Turns.begin(TurnSubject(.change, of: subject), after: earlier, clock: clock)
        } catch {
            throw LifecycleError.waitsForItself(
                subject,
                path: error.description,
                remedy: "Do not await a change of a capability inside of its own initialize() or terminate()."
            )
        }
        let ticket = queue.add(named)
        changes[ticket] = (turn, OneShot())
        waiting[ticket] = OneShot()
        admit()
        return Change(named: named, ticket: ticket, turn: turn)
    }

    /// Waits for the turn of `change`, and carries it out. Not cancellable: it waits for other changes, each step of
    /// which has a limit.
    ///
    /// - Parameter body: Receives the capabilities that the change affects.
    func carryOut<R>(_ change: Change, _ body: (Set<ComponentDescriptor>) async throws -> R) async rethrows -> R {
        defer { finish(change.ticket) }
        return try await Turns.run(change.turn) {
            guard let affected = waiting[change.ticket] else { return try await body(change.named) }
            return try await body(await affected.value)
        }
    }

    private func admit() {
        for (ticket, taken) in queue.takeReady(recorder.graph) { waiting[ticket]?.settle(taken) }
    }

    private func finish(_ ticket: CapabilityChangeQueue.Ticket) {
        queue.remove(ticket)
        waiting[ticket] = nil
        changes.removeValue(forKey: ticket)?.end.settle(())
        admit()
    }

    /// Carries out `change`: reconfigures the capabilities that can do so in place, and replaces the others and all
    /// their dependents. Each existing ``CapabilityRef`` resolves to the new instances.
    ///
    /// - Returns: The failures. All other capabilities work, unless they depend on one that failed.
    /// - Throws: ``CapabilityError`` if the application was shut down before the turn of the change.
    func carryOut(_ change: Change, because kind: CapabilityChange) async throws -> [Failure] {
        var taken: Set<ComponentDescriptor> = []
        let failures = try await carryOut(change) { affected in
            taken = affected
            return try await carryOut(change.named, because: kind, affecting: affected)
        }
        // A factory that ran in another change resolved one of these capabilities for the first time, perhaps while
        // there was no instance of it.
        let late = recorder.graph.capabilities(dependingOn: change.named).subtracting(taken)
        guard !late.isEmpty, !isStopping, let next = try? enqueue(late) else { return failures }
        return failures + ((try? await carryOut(next, because: .serviceRestored)) ?? [])
    }

    private func carryOut(
        _ named: Set<ComponentDescriptor>,
        because kind: CapabilityChange,
        affecting affected: Set<ComponentDescriptor>
    ) async throws -> [Failure] {
        try refuse(named)
        let start = clock.now
        defer {
            for node in order where named.contains(node.descriptor) { node.report(.availabilityChange, since: start) }
        }
        let failures = await apply(kind, to: named, affecting: affected)
        let failed = Set(failures.lazy.filter { $0.phase != .termination }.map(\.component))
        for node in order where named.contains(node.descriptor) {
            node.meters?.changed(
                kind,
                failed.contains(node.descriptor) ? .failure : .success,
                nanoseconds: clock.now.nanoseconds(since: start)
            )
        }
        return failures
    }

    /// Throws if the capabilities must not change any more.
    func refuse(_ components: Set<ComponentDescriptor>) throws(CapabilityError) {
        guard isStopping else { return }
        let name = order.lazy.map(\.descriptor).first(where: components.contains)?.name ?? "graph"
        throw .unavailable(name, because: Self.stopping)
    }

    /// Initialises the capability again, unless it works. This is the retry of a failed initialisation.
    ///
    /// - Returns: The failures of its dependents.
    /// - Throws: The error that prevents the initialisation, unchanged.
    @discardableResult
    func ensure(_ component: ComponentDescriptor) async throws -> [Failure] {
        guard let node = order.first(where: { $0.descriptor == component }), node.ownDegradation == .unavailable else {
            return []
        }
        let failures = try await carryOut(try enqueue([component]), because: .serviceRestored)
        if let failure = failures.first(where: { $0.component == component && $0.phase == .initialization }) {
            throw failure.error
        }
        return failures
    }

    /// Terminates all capabilities, each before its dependencies, when the changes under way have ended. Does not wait
    /// for a change that waits for the calling code: such a change ends what it initialises.
    ///
    /// - Returns: The failures of those that did not end in time.
    @discardableResult
    func stop(reason: String) async -> [Failure] {
        isStopping = true
        for change in changes.values.sorted(by: { $0.turn < $1.turn }) {
            try? await Turns.wait(for: change.turn) { await change.end.value }
        }
        defer { for node in nodes { node.endLevels() } }
        return await terminate(order.isEmpty ? nodes : order, reason: reason)
    }
}
