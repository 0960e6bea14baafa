// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Testing

/// A context under test without its type.
@MainActor
protocol TestedContext: AnyObject {
    var id: UInt64 { get }
    var isFinished: Bool { get }
    var liveContext: (any Context)? { get }
    func finish(sourceLocation location: SourceLocation) async
    func willApply()
    func didApply(_ state: any OwnedState)
}

extension TestContext: TestedContext {
    var liveContext: (any Context)? { live }
}

/// A context under test. The test keeps it; without that, its end is noticed.
struct WeakTestedContext {
    weak var context: (any TestedContext)?
}

/// Passes what contexts do to those that are under test, and to the monitor of their life.
@MainActor
final class ContextTaps: ContextTap {
    var contexts: [ObjectIdentifier: WeakTestedContext] = [:]
    weak var lifecycle: LifecycleMonitor?

    /// The contexts under test that are not finished, the first one first.
    var live: [any TestedContext] { contexts.values.compactMap(\.context).sorted { $0.id < $1.id } }
    var liveContexts: [any Context] { live.compactMap(\.liveContext) }

    func began(_ phase: LifecyclePhase, of context: any Context) {
        lifecycle?.record(LifecycleEvent(beginOf: phase), of: context)
    }

    func ended(_ phase: LifecyclePhase, of context: any Context) {
        lifecycle?.record(LifecycleEvent(endOf: phase), of: context)
    }

    func willApply(_ state: any OwnedState, to context: any Context) {
        contexts[ObjectIdentifier(context)]?.context?.willApply()
    }

    func didApply(_ state: any OwnedState, to context: any Context) {
        contexts[ObjectIdentifier(context)]?.context?.didApply(state)
    }
}
