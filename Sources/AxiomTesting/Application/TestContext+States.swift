// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import Testing

extension TestContext {
    /// Compares what the states of a client changed in the context since the last assertion. All of them count as one,
    /// because a context may miss states in between.
    ///
    /// - Parameters:
    ///   - client: The client that the context observes.
    ///   - expected: Assigns the properties that the states change. None by default.
    public func receive<Sender: Client>(
        _ client: Sender.Type,
        sourceLocation location: SourceLocation = #_sourceLocation,
        _ expected: (inout ExpectedProperties<C>) -> Void = { _ in }
    ) async {
        await app.settle(at: location)
        guard let context = open(at: location) else { return }
        let received = deliveries.filter { $0.type == ObjectIdentifier(Sender.StateType.self) }
        guard let first = received.first, let last = received.last else {
            return failures.fail("No state of \(Sender.self) arrived at the \(C.self).\(hint)", at: location)
        }
        deliveries.removeAll { $0.type == ObjectIdentifier(Sender.StateType.self) }
        var properties = ExpectedProperties(context, before: first.before, isBefore: false)
        expected(&properties)
        var changed: [String] = []
        for delivery in received {
            changed += delivery.after.changes(since: delivery.before).filter { !changed.contains($0) }
        }
        changed = changed.filter(last.after.changes(since: first.before).contains)
        let now = PropertyValues(of: context)
        let found = names.find(properties.entries, before: first.before, now: now, changed: changed)
        let comparison = ChangeComparison(found, before: first.before, after: last.after, changed: changed)
        report(comparison, "The state of \(Sender.self)", at: location)
        for name in changed { baseline.set(name, to: last.after.values[name]) }
    }

    /// Compares the last state of a client that the context has applied, and accepts what it changed in the context.
    ///
    /// - Parameters:
    ///   - client: The client that the context observes.
    ///   - state: The whole state.
    public func receive<Sender: Client>(
        _ client: Sender.Type,
        state: Sender.StateType,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async {
        await app.settle(at: location)
        guard open(at: location) != nil else { return }
        let received = deliveries.filter { $0.type == ObjectIdentifier(Sender.StateType.self) }
        guard let last = received.last, let actual = last.state as? Sender.StateType else {
            return failures.fail("No state of \(Sender.self) arrived at the \(C.self).\(hint)", at: location)
        }
        deliveries.removeAll { $0.type == ObjectIdentifier(Sender.StateType.self) }
        for name in received.flatMap({ $0.after.changes(since: $0.before) }) {
            baseline.set(name, to: last.after.values[name])
        }
        guard actual != state else { return }
        let text = difference(expected: state, actual: actual)
        failures.fail("The state of \(Sender.self) is not as expected:\n\n\(text)", at: location)
    }

    /// What may explain that no state arrived.
    private var hint: String {
        let waiting = app.waitingWorks
        return waiting.isEmpty ? "" : " These wait: \(waiting.joined(separator: ", "))."
    }

    func willApply() { delivering = held.map { PropertyValues(of: $0) } }

    func didApply(_ state: any OwnedState) {
        guard let before = delivering.take(), let held else { return }
        let after = PropertyValues(of: held)
        let stateType = ObjectIdentifier(type(of: state))
        deliveries.append(Delivery(type: stateType, state: state, before: before, after: after))
    }

    func checkDeliveries(_ next: String, at location: SourceLocation) {
        var known: Set<ObjectIdentifier> = []
        for delivery in deliveries where known.insert(delivery.type).inserted {
            let all = deliveries.filter { $0.type == delivery.type }
            let (before, after) = (delivery.before, all[all.count - 1].after)
            let changes = after.changes(since: before).map {
                (label: String?.some($0), expected: before.tree($0), actual: after.tree($0))
            }
            let text = Difference.text(ofUnequal: changes) ?? "It changed no property of the context."
            let name = "\(type(of: delivery.state))"
            let head = "A \(name) arrived at the \(C.self), and the test \(next) without having received it:"
            failures.unasserted("\(head)\n\n\(text)", at: location)
            for change in changes { baseline.set(change.label ?? "", to: after.values[change.label ?? ""]) }
        }
        deliveries = []
    }

    // What happens to a context from outside.

    /// Whether the last error that was settled here was recovered.
    public var lastErrorHandled: Bool { held?.errorBoundary.history.last?.resolution.isRecovered == true }

    /// Lets the context disappear as if another presentation covered it.
    public func simulateDisappear(sourceLocation location: SourceLocation = #_sourceLocation) async {
        guard open(at: location) != nil else { return }
        guard !presented.isShownElsewhere else { return failNavigating("leave", at: location) }
        await follow("the disappearance of \(C.self)", at: location) { await self.presented.cover() }
    }

    /// Lets the context appear again, after ``simulateDisappear(sourceLocation:)``.
    public func simulateAppear(sourceLocation location: SourceLocation = #_sourceLocation) async {
        guard open(at: location) != nil else { return }
        guard !presented.isShownElsewhere else { return failNavigating("show", at: location) }
        await follow("the appearance of \(C.self)", at: location) { await self.presented.uncover() }
    }

    /// Runs an operation of the context that throws `error`, first and in each retry. The context's `recovery(for:)`
    /// decides, as for its own errors; ``errorCount`` counts the runs.
    public func simulateError(_ error: any Error, sourceLocation location: SourceLocation = #_sourceLocation) async {
        guard let context = open(at: location) else { return }
        await follow("the operation that throws \(error)", at: location) {
            await context.contain { [weak self] in
                self?.errorCount += 1
                throw error
            }
        }
    }

    /// Runs an operation of the context that succeeds.
    public func simulateSuccess(sourceLocation location: SourceLocation = #_sourceLocation) async {
        guard let context = open(at: location) else { return }
        await follow("the operation that succeeds", at: location) {
            await context.contain { [weak self] in self?.successCount += 1 }
        }
    }

    private func follow(
        _ name: String,
        at location: SourceLocation,
        _ body: @escaping @MainActor () async -> Void
    ) async {
        await app.settle(at: location)
        works.removeAll(where: \.hasEnded)
        works.append(app.begin(name, body))
        await app.settle(at: location)
    }

    private func failNavigating(_ verb: String, at location: SourceLocation) {
        failures.fail("The application shows the \(C.self). To \(verb) it, navigate.", at: location)
    }
}
