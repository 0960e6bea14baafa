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
/// a component, it became slow: the excess is in question, its own and that of its calls. An edge with fewer than 20
/// calls before is new, and its whole time counts. Otherwise the component was always slow: the whole time of its
/// actions and of its calls is in question.
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

    /// - Parameters:
    ///   - calls: The calls of one component by another one.
    ///   - totals: All actions of a client, and all calls of a capability. A component without any may be missing.
    init(
        _ calls: [ComponentDependency: MeasuredCalls] = [:],
        _ totals: [ComponentDescriptor: MeasuredCalls] = [:]
    ) {
        measured = Set(totals.filter { $0.value.seconds > 0 }.keys)
        for (edge, calls) in calls where measured.contains(edge.from) {
            guard let total = totals[edge.from], calls.seconds <= Self.tolerance * total.seconds else { continue }
            let part = total.becameSlow ? calls.excess / total.excess : calls.seconds / total.seconds
            parts[edge.from, default: []].append((edge.to, min(1, part)))
        }
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

// MARK: - The dependencies that are slow

/// A dependency, and the slow components that spent more than half of the time in question in it, each with that share.
private struct Accused {
    let dependency: ComponentDescriptor
    let users: [ComponentDescriptor: Double]

    var weight: (Int, Double) { (users.count, users.values.reduce(0, +)) }
}

extension DependencySearch {
    /// The dependencies that explain why components are slow, each with those that it explains: they spent more than half
    /// of the time in question in it. Begins with the dependency of which that holds for most of them; of several, with
    /// the one of the largest share, or else with the first by name. If that one spent more than half of its own time in
    /// another one of them, the other one explains those components.
    mutating func slowDependencies(
        of slow: Set<ComponentDescriptor>,
        _ times: CallTimes
    ) -> [ComponentDescriptor: Set<ComponentDescriptor>] {
        let all = candidates(slow).map { (dependency: $0, shares: times.shares(of: slow, in: $0)) }
        var (rest, found) = (slow, [ComponentDescriptor: Set<ComponentDescriptor>]())
        while true {
            let accused = all.map { dependency, shares in
                Accused(dependency: dependency, users: shares.filter { rest.contains($0.key) && $0.value > 0.5 })
            }.filter { !$0.users.isEmpty }
            guard let first = accused.max(by: { $0.weight < $1.weight }) else { return found }
            let chain = chain(from: first, accused, times)
            let deepest = chain.last?.dependency ?? first.dependency
            var explained = Set(chain.flatMap(\.users.keys))
            // Of a component without actions in this minute it is not known.
            for component in rest.subtracting(times.measured) where dependencies(of: component).contains(deepest) {
                explained.insert(component)
            }
            found[deepest, default: []].formUnion(explained)
            rest.subtract(explained)
        }
    }

    private func chain(from first: Accused, _ accused: [Accused], _ times: CallTimes) -> [Accused] {
        var chain = [first]
        while let last = chain.last?.dependency,
            let next = accused.first(where: { next in
                !chain.contains { $0.dependency == next.dependency }
                    && times.shares(of: [last], in: next.dependency)[last] ?? 0 > 0.5
            })
        {
            chain.append(next)
        }
        return chain
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

// MARK: - Slow clients

extension CauseFolding {
    /// Whether a finding, and no observation, says that something is slow.
    private func isSlow(_ finding: Problem) -> Bool { finding.symptom == .slow && finding.level != .observation }

    /// Whether a finding says of some of these clients that they are slow.
    func isSlow(_ finding: Problem, _ clients: Set<ComponentDescriptor>) -> Bool {
        isSlow(finding) && !subjects(finding).isDisjoint(with: clients)
    }

    /// Of several slow dependencies that together affect most of the subjects of a finding, the one that affects most.
    mutating func slowest(_ causes: [Cause], _ finding: Problem) -> Cause? {
        guard finding.symptom == .slow else { return nil }
        let subjects = subjects(finding)
        let slow = causes.filter { !$0.slow.isEmpty }.map { (cause: $0, affected: affected($0)) }
        guard isMost(subjects, of: slow.reduce(into: []) { $0.formUnion($1.affected) }) else { return nil }
        return slow.max { $0.affected.intersection(subjects).count < $1.affected.intersection(subjects).count }?.cause
    }

    /// Adds causes for slow clients: dependencies in which they spent their time.
    ///
    /// - Returns: The clients that are slow for another reason, and that no failure explains.
    mutating func addSlowness(
        _ findings: [Problem],
        to causes: inout [ComponentDescriptor: Cause]
    ) -> Set<ComponentDescriptor> {
        var slow: Set<ComponentDescriptor> = []
        for finding in findings where isSlow(finding) {
            slow.formUnion(subjects(finding).filter { $0.kind == .client })
        }
        for (dependency, explained) in search.slowDependencies(of: slow, times) {
            causes[dependency, default: Cause(component: dependency)].slow = explained
        }
        for cause in causes.values { slow.subtract(affected(cause)) }
        return slow
    }

    /// Slow clients of which no dependency is known to be the cause are one problem, which says what they share.
    mutating func addCommonSlowness(_ slow: Set<ComponentDescriptor>, to findings: inout [Problem]) {
        guard let (shared, users) = search.shared(by: slow) else { return }
        let affected = affected(users)
        let symptoms = findings.indices.filter { index in
            findings[index].symptom == .slow && findings[index].cause == nil
                && isMost(subjects(findings[index]), of: affected)
        }
        guard let level = symptoms.map({ findings[$0].level }).min() else { return }
        let who = Self.counted(users.count, "client")
        let cause = Problem(
            key: "cause/slow clients",
            level: level,
            kind: .slow,
            component: nil,
            text: "\(who) are slow; they share \(Self.listed(shared))",
            past: "\(who) were slow; they share \(Self.listed(shared))",
            symptom: .slow,
            subjects: users.map(\.name).sorted()
        )
        for index in symptoms { findings[index].cause = cause.key }
        findings.append(cause)
    }

    /// A slow client that no cause explains is a problem of its own, unless a problem without a cause says so: the
    /// budget that it misses may follow from what makes the others slow.
    func addSlowClients(
        _ slow: Set<ComponentDescriptor>,
        _ components: ComponentIndex,
        to findings: inout [Problem]
    ) {
        for name in slow.map(\.name).sorted() {
            let named = findings.filter { isSlow($0) && $0.subjects.contains(name) }
            guard let level = named.map(\.level).min(), named.allSatisfy({ $0.cause != nil }) else { continue }
            findings.append(
                Problem(
                    key: "slow/\(name)",
                    level: level,
                    kind: .slow,
                    component: components.id(named: name),
                    text: "\(name) is slow",
                    past: "\(name) was slow",
                    subjects: [name]
                )
            )
        }
    }
}
