// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomInstrumentation
public import Testing

extension TestContext {
    /// Sends an action, and compares what it changed in the context.
    ///
    /// It returns when the action has ended, or waits for the time or for a simulated capability; such an action
    /// continues with ``TestOrchestrator/advance(by:)``. Changes that states of clients make are not part of it, but of
    /// ``receive(_:sourceLocation:_:)``.
    ///
    /// - Parameters:
    ///   - action: The action.
    ///   - expected: Assigns the properties that the action changes. None by default.
    public func send(
        _ action: C.ActionType,
        sourceLocation location: SourceLocation = #_sourceLocation,
        _ expected: (inout ExpectedProperties<C>) -> Void = { _ in }
    ) async {
        await app.settle(at: location)
        guard let context = open(at: location) else { return }
        checkDeliveries("sends \(action)", at: location)
        checkErrors(of: context.errorBoundary, at: location)
        let before = PropertyValues(of: context)
        var properties = ExpectedProperties(context, before: before, isBefore: true)
        expected(&properties)
        works.removeAll(where: \.hasEnded)
        works.append(begin(action, context))
        await app.settle(at: location)
        compare(context, properties.entries, before: before, "The action \(action)", at: location)
    }

    private func begin(_ action: C.ActionType, _ context: C) -> TestWork {
        sentActions += 1
        let (number, first) = (sentActions, context.errorBoundary.settledCount)
        return app.begin("the action \(action)") { [weak self] in
            guard (try? await context.request(action)) != nil, let self, number == self.sentActions else { return }
            self.errorsOfSuccess = first..<context.errorBoundary.settledCount
        }
    }

    /// Compares what has changed since the last assertion by something else than states of clients, such as an action
    /// that continued after ``TestOrchestrator/advance(by:)``.
    ///
    /// - Parameter expected: Assigns the properties that changed, with their new values.
    public func expectChange(
        sourceLocation location: SourceLocation = #_sourceLocation,
        _ expected: (inout ExpectedProperties<C>) -> Void
    ) async {
        await app.settle(at: location)
        guard let context = open(at: location) else { return }
        var properties = ExpectedProperties(context, before: baseline, isBefore: false)
        expected(&properties)
        compare(context, properties.entries, before: baseline, "What continued", at: location)
    }

    private func compare(
        _ context: C,
        _ entries: [ExpectedProperties<C>.Entry],
        before: PropertyValues,
        _ subject: String,
        at location: SourceLocation
    ) {
        let now = PropertyValues(of: context)
        let after = withoutDeliveries(now)
        let changed = after.changes(since: before)
        let found = names.find(entries, before: before, now: now, changed: changed)
        let comparison = ChangeComparison(found, before: before, after: after, changed: changed)
        report(comparison, subject, at: location)
        baseline = after
    }

    func report(_ comparison: ChangeComparison, _ subject: String, at location: SourceLocation) {
        if let text = comparison.mismatch {
            failures.fail("\(subject) did not change \(C.self) as expected:\n\n\(text)", at: location)
        }
        if let text = comparison.unexpected {
            failures.unasserted("\(subject) changed what the test does not assert:\n\n\(text)", at: location)
        }
        for text in comparison.ambiguities { failures.unasserted("\(subject) changed \(text)", at: location) }
    }

    /// The values without what the states changed that the test has not asserted yet.
    private func withoutDeliveries(_ now: PropertyValues) -> PropertyValues {
        var values = now
        var undone: Set<String> = []
        for delivery in deliveries {
            for name in delivery.after.changes(since: delivery.before) where undone.insert(name).inserted {
                values.set(name, to: delivery.before.values[name])
            }
        }
        return values
    }
}

/// Compares the properties of a context after an event with those that a test expects.
@MainActor
struct ChangeComparison {
    /// The differences of expected properties; nil if they are as expected.
    let mismatch: String?
    /// The differences of properties that the test does not expect; nil if there are none.
    let unexpected: String?
    /// The changed properties for which the test may have assigned another one, each with the remedy.
    let ambiguities: [String]

    /// - Parameters:
    ///   - found: What the test assigns.
    ///   - before: The values before the event.
    ///   - after: The values after the event, without those of other events.
    ///   - changed: The names of the properties that the event changed.
    init<C: Context>(
        _ found: [PropertyNames<C>.Found],
        before: PropertyValues,
        after: PropertyValues,
        changed: [String]
    ) {
        let taken = Set(found.compactMap(\.name))
        mismatch = Difference.text(ofUnequal: found.compactMap { Self.difference(of: $0, after) })
        unexpected = Difference.text(
            ofUnequal: changed.filter { !taken.contains($0) }.map { ($0, before.tree($0), after.tree($0)) }
        )
        ambiguities = found.compactMap { found in
            guard let name = found.name, changed.contains(name) else { return nil }
            let others = found.candidates.filter { other in
                !changed.contains(other) && !taken.contains(other) && found.entry.isMet(after.values[other])
            }
            guard !others.isEmpty else { return nil }
            return """
                \(name) to the value of \(others.joined(separator: ", ")), and what the test assigns may be either.
                Assign each of them: \(([name] + others).joined(separator: ", ")).
                """
        }
    }

    /// The difference of an expected property; nil if it is as expected.
    private static func difference<C: Context>(
        of found: PropertyNames<C>.Found,
        _ after: PropertyValues
    ) -> (label: String?, expected: ValueTree?, actual: ValueTree?)? {
        let (entry, stored) = (found.entry, found.name.flatMap { after.values[$0] })
        guard !entry.isMet(stored) else { return nil }
        let actual = ValueTree(stored ?? entry.actual())
        return (found.name ?? "a property of type \(entry.type)", entry.expected, actual)
    }
}
