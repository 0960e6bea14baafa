// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The calls of the last minute and those before it: how many ended, and how long they took together, in seconds.
struct MeasuredCalls: Sendable {
    var count = 0.0
    var seconds = 0.0
    var countBefore = 0.0
    var secondsBefore = 0.0

    /// The least number of earlier calls that say how long a call takes.
    private static let evidence = 20.0
    /// The least share of the time that the excess is if something became slow.
    private static let growth = 0.25

    /// How much longer the calls took than as many did before; the whole time if there were fewer than 20 before.
    var excess: Double {
        countBefore < Self.evidence ? seconds : max(0, seconds - count * secondsBefore / countBefore)
    }

    var becameSlow: Bool { countBefore >= Self.evidence && excess >= Self.growth * seconds }
}

/// In which calls components spent the time that makes them slow, in the last minute.
///
/// If at least 20 actions came before this minute, and the excess over their mean is at least a quarter of the time of
/// a component, or a twentieth and a detector says so, it became slow: the excess is in question, its own and that of its calls. An edge
/// with fewer than 20 calls before is new, and its whole time counts. Otherwise the component was always slow: the whole
/// time of its actions and of its calls is in question.
///
/// Calls that took more than 1.1 times the time of all actions of the caller count as 0: they ran at the same time, or
/// outside of actions, so that it is not known how long actions waited for them. Up to that they take all of it: a call
/// may be counted a little before its action.
struct CallTimes: Sendable {
    private static let tolerance = 1.1

    /// The components that had actions or calls.
    private(set) var measured: Set<ComponentDescriptor> = []
    /// What each component called, and the part of the time in question that it spent there, 0...1.
    private var parts: [ComponentDescriptor: [(dependency: ComponentDescriptor, part: Double)]] = [:]
    /// The components with calls of which it is not known how long actions waited for them.
    private var unclear: Set<ComponentDescriptor> = []

    /// - Parameters:
    ///   - calls: The calls of one component by another one.
    ///   - totals: All actions of a client, and all calls of a capability. A component without any may be missing.
    ///   - changed: The names of the components that became slow, as a detector says.
    init(
        _ calls: [ComponentDependency: MeasuredCalls] = [:],
        _ totals: [ComponentDescriptor: MeasuredCalls] = [:],
        changed: Set<String> = []
    ) {
        measured = Set(totals.filter { $0.value.seconds > 0 }.keys)
        for (edge, calls) in calls where measured.contains(edge.from) {
            guard let total = totals[edge.from], calls.seconds <= Self.tolerance * total.seconds else {
                unclear.insert(edge.from)
                continue
            }
            let isChanged = changed.contains(edge.from.name) && total.excess >= 0.05 * total.seconds
            let becameSlow = total.becameSlow || isChanged
            let part = becameSlow ? calls.excess / total.excess : calls.seconds / total.seconds
            parts[edge.from, default: []].append((edge.to, min(1, part)))
        }
    }

    /// Whether a component spent at least half of the time in question outside of its calls.
    func isSlowItself(_ component: ComponentDescriptor) -> Bool {
        measured.contains(component) && !unclear.contains(component)
            && (parts[component] ?? []).reduce(0) { $0 + $1.part } <= 0.5
    }

    /// The share of the time in question that each of these components spent in calls of a dependency, 0...1. Calls
    /// through other capabilities count: of the time that one has spent, each of its callers has its part. Components
    /// without actions are missing.
    ///
    /// Cost: a pass over the graph below the components.
    func shares(
        of components: Set<ComponentDescriptor>,
        in dependency: ComponentDescriptor
    ) -> [ComponentDescriptor: Double] {
        var known = [dependency: 1.0]
        func share(_ component: ComponentDescriptor) -> Double {
            if let share = known[component] { return share }
            // Also ends a cycle.
            known[component] = 0
            let sum = (parts[component] ?? []).reduce(0) { $0 + $1.part * share($1.dependency) }
            // Calls at the same time take more than the action.
            known[component] = min(1, sum)
            return min(1, sum)
        }
        return components.intersection(measured).reduce(into: [:]) { $0[$1] = share($1) }
    }
}
