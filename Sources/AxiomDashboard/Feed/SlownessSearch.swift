// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// How long components, and their calls of capabilities, took in the last minute, in seconds.
struct CallTimes: Sendable {
    /// The calls of one component by another one.
    var calls: [ComponentDependency: Double] = [:]
    /// All actions of a client, and all calls of a capability. A component without any may be missing.
    var totals: [ComponentDescriptor: Double] = [:]

    /// The share of the time of all actions of these components that they spent in calls of a dependency, 0...1. Calls
    /// through other capabilities count: of the time that one has spent, each of its callers has its part. Nil if there
    /// were no actions.
    ///
    /// Cost: a pass over the graph below the components.
    func share(of components: Set<ComponentDescriptor>, in dependency: ComponentDescriptor) -> Double? {
        let total = components.reduce(0) { $0 + (totals[$1] ?? 0) }
        guard total > 0 else { return nil }
        let targets = Dictionary(grouping: calls.keys, by: \.from).mapValues { $0.map(\.to) }
        var known: [ComponentDescriptor: Double] = [:]
        func part(_ component: ComponentDescriptor) -> Double {
            if component == dependency { return 1 }
            if let part = known[component] { return part }
            // Also ends a cycle.
            known[component] = 0
            guard let total = totals[component], total > 0 else { return 0 }
            let part = (targets[component] ?? []).reduce(0.0) { sum, target in
                let time = calls[ComponentDependency(from: component, to: target)] ?? 0
                return sum + min(1, time / total) * part(target)
            }
            // Calls at the same time take more than the action.
            known[component] = min(1, part)
            return min(1, part)
        }
        return components.reduce(0) { $0 + (totals[$1] ?? 0) * part($1) } / total
    }
}

extension DependencySearch {
    /// The dependency in which these slow components spent more than half of their time, and those of them that did. Of
    /// several, the deepest one in the chain: while an accused one spent more than half of its own time in another accused
    /// one, it is that.
    mutating func slowDependency(
        of slow: Set<ComponentDescriptor>,
        _ times: CallTimes
    ) -> (dependency: ComponentDescriptor, explained: Set<ComponentDescriptor>)? {
        var accused = suspects(slow).compactMap { suspect in
            times.share(of: slow, in: suspect.dependency).map { (dependency: suspect.dependency, share: $0) }
        }
        accused.removeAll { $0.share <= 0.5 }
        guard var deepest = accused.max(by: { $0.share < $1.share })?.dependency else { return nil }
        var passed: Set = [deepest]
        while let next = accused.lazy.map(\.dependency).first(where: { dependency in
            !passed.contains(dependency) && times.share(of: [deepest], in: dependency) ?? 0 > 0.5
        }) {
            passed.insert(next)
            deepest = next
        }
        let explained = slow.filter { component in
            // Of a component without actions in this minute it is not known.
            dependencies(of: component).contains(deepest) && times.share(of: [component], in: deepest) ?? 1 > 0.5
        }
        return explained.count > 1 ? (deepest, explained) : nil
    }

    /// The names of the dependencies that slow components share, sorted, and those of the components that share them.
    mutating func shared(by slow: Set<ComponentDescriptor>) -> (names: [String], users: Set<ComponentDescriptor>)? {
        let suspects = suspects(slow)
        guard let first = suspects.max(by: { $0.explained < $1.explained })?.dependency else { return nil }
        let users = slow.filter { dependencies(of: $0).contains(first) }
        let all = suspects.map(\.dependency)
        let shared = all.filter { dependency in users.allSatisfy { dependencies(of: $0).contains(dependency) } }
        return (shared.map(\.name).sorted(), users)
    }
}
