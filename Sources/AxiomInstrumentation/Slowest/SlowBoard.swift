// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// The slowest actions of all components.
final class SlowBoard: Sendable {
    /// The handles of the actions of all these components.
    let table = ActionTable()
    private let clock: TimeSource
    /// In the order in which the components were added. Guarded by its lock, which is taken when a component's handles
    /// are bound and when the actions are read.
    private let components = Lock<[SlowActions]>([])

    init(clock: TimeSource) {
        self.clock = clock
    }

    /// The slowest actions of a component; the same object each time.
    func actions(of component: ComponentDescriptor) -> SlowActions {
        components.withLock { components in
            if let known = components.first(where: { $0.component == component }) { return known }
            let actions = SlowActions(component, table: table, clock: clock)
            components.append(actions)
            return actions
        }
    }

    var slowest: [SlowAction] { components.withLock { $0 }.flatMap(\.slowest) }

    var tails: [DurationTail] { components.withLock { $0 }.flatMap(\.tails) }
}
