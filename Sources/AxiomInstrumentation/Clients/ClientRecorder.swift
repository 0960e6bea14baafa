// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// The handles of one client, whoever calls it.
final class ClientRecorder: Sendable {
    let client: ComponentDescriptor
    /// The type of the actions: two orchestrators, one after the other, may have clients of one name and different types.
    let actionType: ObjectIdentifier
    private let actions: ActionRecorder
    /// Times how long an action waits for its client, of some; nil where that budget is not measured.
    private let wait: BudgetMeter?
    /// Who calls, in the order in which they first did. Guarded by its lock, which is taken when a context type first asks
    /// for the client, and at a scrape.
    private let callers = Lock<[CallerRecorder]>([])

    init(
        _ client: ComponentDescriptor,
        _ actionType: ObjectIdentifier,
        actions: ActionRecorder,
        wait: BudgetMeter?
    ) {
        self.wait = wait
        self.actionType = actionType
        self.client = client
        self.actions = actions
    }

    /// What a caller records its calls in, the same each time.
    ///
    /// - Parameter caller: nil for whoever is given the client without being known.
    func calls(from caller: ComponentDescriptor?) -> CallerRecorder {
        callers.withLock { callers in
            if let known = callers.first(where: { $0.caller == caller }) { return known }
            let recorder = CallerRecorder(caller, actions: actions, wait: wait)
            callers.append(recorder)
            return recorder
        }
    }

    /// Those who call.
    var traffic: [CallerRecorder] { callers.withLock { $0 } }

    /// How many actions have begun and not ended.
    var inFlight: UInt64 { traffic.reduce(0) { $0 &+ $1.inFlight.reduce(0, &+) } }

    /// The same of each action that has any.
    var inFlightByAction: [String: UInt64] {
        var sums: [String: UInt64] = [:]
        for caller in traffic {
            for (place, count) in caller.inFlight.enumerated() where count > 0 {
                sums[actions.name(at: place), default: 0] &+= count
            }
        }
        return sums
    }
}
