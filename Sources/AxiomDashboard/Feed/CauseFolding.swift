// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Folds the findings of one moment into causes, along the component graph.
///
/// If the deepest cause of an error names the component that threw it, and those that fail depend on it, it is the
/// cause. Otherwise, if most components that use a dependency fail, the dependency is the cause: with the same code, or
/// with different codes and open circuits. If a single component fails, it is the cause itself. What follows from a
/// failure belongs to the same cause: the circuits that it opened, the calls that they refuse, and the budgets and the
/// baselines that the failing components or their dependents miss. A dependency is the cause of slowness only if its
/// calls took most of the time in question, by measured times, see ``CallTimes``; it is one also beside a failure. If the
/// machine is short of processors, it is the cause of the observations on slowness that nothing else explains: a limit that
/// an application confirmed, and a baseline, hold on a busy machine too. Other observations follow from causes and make
/// none.
///
/// Cost: a few passes over the graph for each failing component, and for each dependency of the slow ones; nothing
/// while nothing is wrong.
struct CauseFolding {
    var search: DependencySearch
    let times: CallTimes

    init(_ edges: [ComponentDependency], _ times: CallTimes) {
        search = DependencySearch(edges)
        self.times = times
    }

    /// The findings, each with the key of its cause if it follows from one, and the causes. A cause with a single
    /// symptom is left out if the symptom is about the same component.
    mutating func fold(_ findings: [Problem], _ components: ComponentIndex) -> [Problem] {
        var causes = failures(findings)
        addCircuits(findings, to: &causes)
        let unexplained = addSlowness(findings, to: &causes)
        let ordered = causes.values.sorted { $0.component.name < $1.component.name }
        let symptoms = Dictionary(grouping: findings.indices) { cause(of: findings[$0], among: ordered)?.component }
        var folded = findings
        for cause in ordered {
            let indices = symptoms[cause.component] ?? []
            // A budget that is missed because of several slow dependencies is listed below one of them.
            let shown = indices.isEmpty ? findings.filter { isSlow($0, cause.slow) } : indices.map { findings[$0] }
            guard !shown.isEmpty, shown.count > 1 || shown[0].subjects != [cause.component.name] else { continue }
            for index in indices { folded[index].cause = cause.key }
            folded.append(problem(cause, shown, components))
        }
        addMachine(to: &folded)
        addCommonSlowness(unexplained, to: &folded)
        addSlowClients(unexplained, components, to: &folded)
        addDegradation(to: &folded)
        addRefusals(to: &folded)
        addObservations(to: &folded)
        addMainActor(to: &folded)
        return folded
    }

    private mutating func cause(of finding: Problem, among causes: [Cause]) -> Cause? {
        let found = causes.filter { explains($0, finding) }
        let named = found.first { $0.component.name == finding.root }
        // What was measured says more than that a dependency fails at the same time.
        let measured = finding.symptom == .slow ? found.first { !$0.slow.isEmpty } : nil
        return named ?? measured ?? found.first ?? slowest(causes, finding)
    }

    /// What nothing else explains of the observed slowness follows from the machine, if it is short of processors.
    private func addMachine(to findings: inout [Problem]) {
        let machine = findings.first { $0.symptom == .starved }?.key
        for index in findings.indices where findings[index].symptom == .slow && findings[index].level == .observation {
            if !findings[index].isBeyondMachine { findings[index].cause = findings[index].cause ?? machine }
        }
    }

    /// Contexts run on the main actor: what is observed of them follows from what held it, if that took at least half as
    /// long and nothing else explains it.
    private func addMainActor(to findings: inout [Problem]) {
        guard let held = findings.first(where: { $0.symptom == .held }) else { return }
        for index in findings.indices where findings[index].symptom == .slow && findings[index].level == .observation {
            let (finding, subjects) = (findings[index], subjects(findings[index]))
            guard finding.cause == nil, finding.seconds <= 2 * held.seconds else { continue }
            if !subjects.isEmpty, subjects.allSatisfy({ $0.kind == .context }) { findings[index].cause = held.key }
        }
    }

    /// A capability that does not work in full because of another one follows from that one. Of several that it depends
    /// on, from the worst; of equals, from the first by name.
    private mutating func addDegradation(to findings: inout [Problem]) {
        let degraded = findings.indices.filter { findings[$0].symptom == .degraded(isInherited: false) }
            .sorted { (findings[$0].level, findings[$0].key) < (findings[$1].level, findings[$1].key) }
        for index in findings.indices where findings[index].symptom == .degraded(isInherited: true) {
            let below = Set(subjects(findings[index]).flatMap { search.dependencies(of: $0) })
            let origin = degraded.first { !subjects(findings[$0]).isDisjoint(with: below) }
            guard findings[index].cause == nil, let origin else { continue }
            findings[index].cause = findings[origin].cause ?? findings[origin].key
        }
    }

    /// Calls that an open circuit refuses follow from the circuit, if nothing else explains both.
    private func addRefusals(to findings: inout [Problem]) {
        let circuits = findings.filter { $0.symptom.isOpen && $0.cause == nil && !$0.subjects.isEmpty }
        for index in findings.indices where findings[index].symptom == .refusing && findings[index].cause == nil {
            findings[index].cause = circuits.first { $0.subjects == findings[index].subjects }?.key
        }
    }

    // MARK: - Finding causes

    /// The causes of failures: those that errors name, and guesses for the other errors. Each code is explained apart:
    /// two faults at the same time stay two causes. A capability in which an error arose threw it itself, so that what
    /// others name with the same code is not its cause.
    private mutating func failures(_ findings: [Problem]) -> [ComponentDescriptor: Cause] {
        var origins: [String: Set<ComponentDescriptor>] = [:]
        var causes: [ComponentDescriptor: Cause] = [:]
        for finding in findings {
            guard case .failing(let code) = finding.symptom else { continue }
            let failing = subjects(finding)
            if let root = root(of: finding, failing) {
                causes[root, default: Cause(component: root)].add(failing, [code])
                causes[root]?.named.insert(code)
            } else {
                origins[code, default: []].formUnion(failing)
            }
        }
        let measured = causes.values
        for (code, failing) in origins.sorted(by: { $0.key < $1.key }) {
            let roots = measured.filter { $0.codes.contains(code) }.map(\.component)
            var rest = failing
            if roots.count == 1 {
                let own = failing.filter { $0.kind == .capability }
                rest = explain(failing.subtracting(own), code, by: roots[0], &causes).union(own)
            }
            if let shared = search.commonDependency(of: rest) { rest = explain(rest, code, by: shared, &causes) }
            for component in rest { causes[component, default: Cause(component: component)].add([component], [code]) }
        }
        return joined(causes)
    }

    /// The component that threw the deepest cause, if all that fail depend on it.
    private mutating func root(of finding: Problem, _ failing: Set<ComponentDescriptor>) -> ComponentDescriptor? {
        guard !failing.isEmpty, let root = finding.root.flatMap({ search.nodes[$0] }) else { return nil }
        return failing.allSatisfy { search.dependencies(of: $0).contains(root) } ? root : nil
    }

    /// Adds those that depend on a dependency to its cause, and returns the others.
    private mutating func explain(
        _ failing: Set<ComponentDescriptor>,
        _ code: String,
        by shared: ComponentDescriptor,
        _ causes: inout [ComponentDescriptor: Cause]
    ) -> Set<ComponentDescriptor> {
        let explained = failing.filter { search.dependencies(of: $0).contains(shared) }
        causes[shared, default: Cause(component: shared)].add(explained, [code])
        return failing.subtracting(explained)
    }

    /// A component that is a cause by itself with one code, and fails because of a dependency with another one, has the
    /// dependency's cause.
    private func joined(_ causes: [ComponentDescriptor: Cause]) -> [ComponentDescriptor: Cause] {
        var joined = causes
        for shared in causes.values.sorted(by: { $0.component.name < $1.component.name }) {
            for origin in shared.origins where origin != shared.component && joined[shared.component] != nil {
                guard let own = joined.removeValue(forKey: origin) else { continue }
                joined[shared.component]?.add(own.origins, own.codes)
            }
        }
        return joined
    }

    /// Adds the components whose circuits are open or refused calls: to the causes that they depend on, else to a
    /// dependency that they share. A circuit refuses most calls, so few of them fail with the error of the dependency.
    private mutating func addCircuits(_ findings: [Problem], to causes: inout [ComponentDescriptor: Cause]) {
        var open: Set<ComponentDescriptor> = []
        for finding in findings where finding.symptom.isCircuit || finding.symptom == .refusing {
            open.formUnion(subjects(finding))
        }
        let shared = causes.values.filter { $0.component.kind == .capability || $0.origins != [$0.component] }
            .map(\.component).sorted { $0.name < $1.name }
        for component in open.sorted(by: { $0.name < $1.name }) {
            guard let cause = shared.first(where: { search.dependencies(of: component).contains($0) }) else { continue }
            causes[cause]?.origins.insert(component)
            open.remove(component)
        }
        for cause in causes.values where shared.contains(cause.component) { open.subtract(cause.origins) }
        // One dependency may fail in several ways: with a code of its own for each of its users.
        open.formUnion(causes.keys.filter { !shared.contains($0) })
        guard let dependency = search.commonDependency(of: open) else { return }
        for component in open where search.dependencies(of: component).contains(dependency) {
            let codes = causes.removeValue(forKey: component)?.codes ?? [ErrorCode.circuitOpen.rawValue]
            causes[dependency, default: Cause(component: dependency)].add([component], codes)
        }
    }

    // MARK: - Explaining findings

    func subjects(_ finding: Problem) -> Set<ComponentDescriptor> {
        Set(finding.subjects.compactMap { search.nodes[$0] })
    }

    /// Whether a finding follows from a cause.
    mutating func explains(_ cause: Cause, _ finding: Problem) -> Bool {
        let subjects = subjects(finding)
        guard !subjects.isEmpty else { return false }
        switch finding.symptom {
        case .failing(let code): return cause.codes.contains(code) && subjects.isSubset(of: cause.origins)
        case .circuit, .flapping, .shadowCircuit, .refusing:
            return subjects.isSubset(of: cause.origins.union([cause.component]))
        case .slow:
            let affected = affected(cause).union([cause.component])
            // What fails is not therefore slow.
            let isOwn = subjects.allSatisfy { $0 != cause.component && times.isSlowItself($0) }
            if cause.slow.isEmpty, isOwn { return false }
            let isAffected = cause.slow.isEmpty ? subjects.isSubset(of: affected) : isMost(subjects, of: affected)
            return isAffected || finding.level == .observation && isSpent(by: subjects, in: cause.component)
        case .failingShare:
            // A capability between the cause and the clients that fail.
            let between = search.users(of: cause.component)
            return cause.isFailure && subjects.isSubset(of: affected(cause).union(between).union([cause.component]))
        case .degraded: return cause.isFailure && subjects == [cause.component]
        case .repeated:
            let reached = finding.subjects.first.flatMap { search.nodes[$0] }.map { search.dependencies(of: $0) } ?? []
            return cause.isFailure && !subjects.union(reached).isDisjoint(with: cause.origins.union([cause.component]))
        case .starved, .held, .other: return false
        }
    }

    /// Whether each of these components spent more than half of the time in question in calls of a dependency.
    private func isSpent(by components: Set<ComponentDescriptor>, in dependency: ComponentDescriptor) -> Bool {
        let shares = times.shares(of: components, in: dependency)
        return components.allSatisfy { shares[$0] ?? 0 > 0.5 }
    }

    /// Whether more than half of the subjects of a finding are affected: one budget may be missed by many components.
    func isMost(_ subjects: Set<ComponentDescriptor>, of affected: Set<ComponentDescriptor>) -> Bool {
        subjects.intersection(affected).count * 2 > subjects.count
    }

    /// The components that fail or are slow because of a cause, and all that depends on them.
    mutating func affected(_ cause: Cause) -> Set<ComponentDescriptor> {
        affected(cause.origins.union(cause.slow))
    }

    /// The components and all that depends on them.
    mutating func affected(_ components: Set<ComponentDescriptor>) -> Set<ComponentDescriptor> {
        components.reduce(into: []) { $0.formUnion(search.users(of: $1).union([$1])) }
    }
}
