// SPDX-License-Identifier: Apache-2.0

internal import Axiom

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

    /// The most clients that are named as slow themselves.
    private static let mostNamed = 3

    /// Adds causes for slow clients: dependencies in which they spent their time, or themselves.
    ///
    /// - Returns: The clients that are slow for another reason, and that no failure explains.
    mutating func addSlowness(
        _ findings: [Problem],
        to causes: inout [ComponentDescriptor: Cause]
    ) -> Set<ComponentDescriptor> {
        let all = findings.filter(isSlow).reduce(into: Set<ComponentDescriptor>()) { $0.formUnion(subjects($1)) }
        explain(all.filter { $0.kind == .client }, &causes)
        // What contexts and handlers wait for may keep its own limit.
        explain(all.filter { $0.kind != .client }.subtracting(explained(by: causes)), &causes)
        let slow = all.filter { $0.kind == .client }.subtracting(explained(by: causes))
        let own = slow.filter(times.isSlowItself)
        let waitedFor = own.filter { causes[$0] != nil }
        // Of the others, several that share a dependency, or many, are one problem.
        let others = slow.subtracting(waitedFor)
        let isOne = own.count - waitedFor.count > Self.mostNamed || search.shared(by: others) != nil
        let named = isOne ? waitedFor : own
        for client in named { causes[client, default: Cause(component: client)].slow.insert(client) }
        return slow.subtracting(named)
    }

    private mutating func explain(
        _ slow: Set<ComponentDescriptor>,
        _ causes: inout [ComponentDescriptor: Cause]
    ) {
        for (dependency, explained) in search.slowDependencies(of: slow, times) {
            causes[dependency, default: Cause(component: dependency)].slow.formUnion(explained)
        }
    }

    private mutating func explained(by causes: [ComponentDescriptor: Cause]) -> Set<ComponentDescriptor> {
        causes.values.reduce(into: []) { $0.formUnion(affected($1)) }
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
