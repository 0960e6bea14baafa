// SPDX-License-Identifier: Apache-2.0

internal import Axiom
public import Testing

extension TestContext {
    /// Ends the test of the context: unmounts it, and checks that the test asserted everything and that nothing is left.
    ///
    /// With the last context of the application, also the errors of the orchestrator and the sleeping tasks are checked. A
    /// context of a ``TestApplication`` that is still shown stays shown.
    public func finish(sourceLocation location: SourceLocation = #_sourceLocation) async {
        guard !isFinished else { return }
        await app.settle(at: location)
        checkAsserted(at: location)
        hasFinished.store(true)
        await app.end(self, at: location)
        await release(at: location)
        app.checkEnd(at: location)
    }

    // Functions that do not suspend hold the context, so that nothing of the kit retains it when it has ended.

    private func checkAsserted(at location: SourceLocation) {
        guard let held else { return }
        checkDeliveries("ends", at: location)
        checkChanges(of: held, at: location)
        checkErrors(of: held.errorBoundary, at: location)
        app.checkEnded(works, at: location)
        if app.taps.live.count == 1 { app.checkWorks(at: location) }
    }

    /// Checks the errors of its end, and gives it up.
    private func giveUp(at location: SourceLocation) -> WeakTree? {
        guard let context = held.take() else { return nil }
        checkErrors(of: context.errorBoundary, at: location)
        return WeakTree(context)
    }

    private func checkChanges(of context: C, at location: SourceLocation) {
        let now = PropertyValues(of: context)
        let changes = now.changes(since: baseline).map {
            (label: String?.some($0), expected: baseline.tree($0), actual: now.tree($0))
        }
        guard let text = Difference.text(ofUnequal: changes) else { return }
        failures.unasserted("\(C.self) changed, and the test ends without having asserted it:\n\n\(text)", at: location)
    }

    /// Releases the context, and checks that nothing else retains it.
    private func release(at location: SourceLocation) async {
        let tree = giveUp(at: location)
        await presented.release()
        await app.settle(at: location)
        guard let tree, !presented.isShownElsewhere else { return }
        for name in tree.live {
            failures.unasserted("The context \(name) is alive after its end. Something retains it.", at: location)
        }
    }

    /// Ends the test without checks, because it has failed.
    func abandon() async {
        hasFinished.store(true)
        await presented.unmount()
    }
}

/// The contexts of a tree, to find those that stay alive.
@MainActor
struct WeakTree {
    private struct Reference {
        let name: String
        weak var context: (any Context)?
    }

    private var references: [Reference] = []

    init(_ root: any Context) { add(root) }

    private mutating func add(_ context: any Context) {
        references.append(Reference(name: context.identity.descriptor.name, context: context))
        for child in context.downstreamContexts { add(child) }
    }

    /// The names of those that are alive.
    var live: [String] { references.filter { $0.context != nil }.map(\.name) }
}
