// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a finding says about the components that it is about.
enum Symptom: Sendable, Hashable {
    /// A component fails with errors of this code.
    case failing(code: String)
    /// A circuit breaker of the component is not closed.
    case circuit
    /// A circuit breaker refuses calls of the component.
    case refusing
    /// The component is slower than its budget or its baseline.
    case slow
    /// Something that is not caused by other components.
    case other
}

/// Folds the findings of one moment into causes, along the component graph.
///
/// If most components that use a dependency fail with the same code, or have an open circuit, the dependency is the cause.
/// If a single component fails, it is the cause itself. What follows from a failure belongs to the same cause: the circuits that it opened, the
/// calls that they refuse, and budgets and baselines that are missed by the failing components or their dependents.
///
/// Cost: a few passes over the graph for each failing component; nothing while nothing is wrong.
struct CauseFolding {
    private let graph: ComponentGraph
    private let nodes: [String: ComponentDescriptor]
    /// The direct and indirect dependencies of the components that are part of a finding.
    private var reached: [ComponentDescriptor: [ComponentDescriptor]] = [:]
    private var dependents: [ComponentDescriptor: Set<ComponentDescriptor>] = [:]

    /// The least share of the components that fail alike that have to use a dependency, for it to be the cause.
    private static let coverage = 0.75
    /// More than this share of the users of a dependency have to fail, for it to be the cause.
    private static let specificity = 0.5
    /// The least number of users that have to fail, unless all do.
    private static let evidence = 3
    /// How many more healthy users any other suspect has.
    private static let margin = 3

    init(_ edges: [ComponentDependency]) {
        graph = edges.reduce(into: ComponentGraph()) { $0.add($1) }
        nodes = Dictionary(graph.nodes.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The findings, each with the key of its cause if it follows from one, and the causes. A cause with a single
    /// symptom is left out, because the symptom says the same.
    mutating func fold(_ findings: [Problem], _ components: ComponentIndex) -> [Problem] {
        var causes = failures(findings)
        addCircuits(findings, to: &causes)
        addSlowness(findings, to: &causes)
        let ordered = causes.values.sorted { $0.component.name < $1.component.name }
        var (folded, symptoms) = (findings, [ComponentDescriptor: [Int]]())
        for (index, finding) in findings.enumerated() {
            guard let cause = ordered.first(where: { explains($0, finding) }) else { continue }
            symptoms[cause.component, default: []].append(index)
        }
        for cause in ordered {
            guard let indices = symptoms[cause.component], indices.count > 1 else { continue }
            for index in indices { folded[index].cause = cause.key }
            folded.append(problem(cause, indices.map { findings[$0] }, components))
        }
        return folded
    }
}

// MARK: - Finding causes

/// A dependency that may be the cause.
private struct Suspect {
    let dependency: ComponentDescriptor
    let users: Set<ComponentDescriptor>
    /// How many of the users fail.
    let explained: Int
    /// How far it is from the failing components.
    let distance: Int

    var healthy: Int { users.count - explained }
    var share: Double { Double(explained) / Double(users.count) }
}

/// A component, and the components that fail or are slow because of it.
private struct Cause {
    let component: ComponentDescriptor
    var origins: Set<ComponentDescriptor> = []
    var codes: Set<String> = []

    var key: String { "cause/\(component.name)" }
    var isFailure: Bool { !codes.isEmpty }
}

extension CauseFolding {
    /// The causes of failures. Each code is explained apart: two faults at the same time stay two causes.
    private mutating func failures(_ findings: [Problem]) -> [ComponentDescriptor: Cause] {
        var origins: [String: Set<ComponentDescriptor>] = [:]
        for finding in findings {
            guard case .failing(let code) = finding.symptom else { continue }
            origins[code, default: []].formUnion(subjects(finding))
        }
        var causes: [ComponentDescriptor: Cause] = [:]
        for (code, failing) in origins.sorted(by: { $0.key < $1.key }) {
            let shared = commonDependency(of: failing)
            var explained: Set<ComponentDescriptor> = []
            if let shared {
                explained = failing.filter { dependencies(of: $0).contains(shared) }
                causes[shared, default: Cause(component: shared)].add(explained, code)
            }
            for component in failing.subtracting(explained) {
                causes[component, default: Cause(component: component)].add([component], code)
            }
        }
        return joined(causes)
    }

    /// A component that is a cause by itself with one code, and fails because of a dependency with another one, has the
    /// dependency's cause.
    private func joined(_ causes: [ComponentDescriptor: Cause]) -> [ComponentDescriptor: Cause] {
        var joined = causes
        for shared in causes.values where shared.origins != [shared.component] {
            for origin in shared.origins where origin != shared.component {
                guard let own = joined.removeValue(forKey: origin) else { continue }
                joined[shared.component]?.add(own.origins, own.codes)
            }
        }
        return joined
    }

    /// Adds the components whose circuits are open or refused calls: to the causes that they depend on, else to a dependency that they share.
    /// A circuit refuses most calls, so few of them fail with the error of the dependency.
    private mutating func addCircuits(_ findings: [Problem], to causes: inout [ComponentDescriptor: Cause]) {
        var open: Set<ComponentDescriptor> = []
        for finding in findings where finding.symptom == .circuit || finding.symptom == .refusing {
            open.formUnion(subjects(finding))
        }
        let shared = causes.values.filter { $0.component.kind == .capability || $0.origins != [$0.component] }
            .map(\.component).sorted { $0.name < $1.name }
        for component in open.sorted(by: { $0.name < $1.name }) {
            guard let cause = shared.first(where: { dependencies(of: component).contains($0) }) else { continue }
            causes[cause]?.origins.insert(component)
            open.remove(component)
        }
        for cause in causes.values where shared.contains(cause.component) { open.subtract(cause.origins) }
        // One dependency may fail in several ways: with a code of its own for each of its users.
        open.formUnion(causes.keys.filter { !shared.contains($0) })
        guard let dependency = commonDependency(of: open) else { return }
        for component in open where dependencies(of: component).contains(dependency) {
            let codes = causes.removeValue(forKey: component)?.codes ?? [ErrorCode.circuitOpen.rawValue]
            causes[dependency, default: Cause(component: dependency)].add([component], codes)
        }
    }

    /// Adds causes for components that are slow and that no failure explains.
    private mutating func addSlowness(_ findings: [Problem], to causes: inout [ComponentDescriptor: Cause]) {
        var slow: Set<ComponentDescriptor> = []
        for finding in findings where finding.symptom == .slow {
            guard !causes.values.contains(where: { explains($0, finding) }) else { continue }
            slow.formUnion(subjects(finding).filter { $0.kind == .client })
        }
        guard let shared = commonDependency(of: slow) else { return }
        let explained = slow.filter { dependencies(of: $0).contains(shared) }
        causes[shared, default: Cause(component: shared)].origins.formUnion(explained)
    }

    /// The dependency that explains why these components fail or are slow: most of them use it, and most of its users
    /// are among them. It has fewer healthy users than any other such dependency, by a margin: else the evidence fits
    /// both, and naming one would be a guess. Of dependencies with the same users, the nearest one.
    private mutating func commonDependency(of failing: Set<ComponentDescriptor>) -> ComponentDescriptor? {
        let suspects = suspects(failing)
        guard let best = suspects.first, best.share > Self.specificity,
            best.explained >= Self.evidence || best.healthy == 0
        else { return nil }
        let other = suspects.first { $0.users != best.users }
        guard let other, other.healthy < best.healthy + Self.margin else { return best.dependency }
        return nil
    }

    /// The dependencies that most of the components use, those with the fewest healthy users first.
    private mutating func suspects(_ failing: Set<ComponentDescriptor>) -> [Suspect] {
        guard failing.count > 1 else { return [] }
        var found: [Suspect] = []
        for dependency in candidates(failing) {
            let users = users(of: dependency).filter { user in failing.contains { $0.kind == user.kind } }
            let explained = users.intersection(failing).count
            guard explained > 1, Double(explained) >= Self.coverage * Double(failing.count) else { continue }
            let distance = failing.reduce(0) { $0 + (dependencies(of: $1).firstIndex(of: dependency) ?? 0) }
            found.append(Suspect(dependency: dependency, users: users, explained: explained, distance: distance))
        }
        return found.sorted { ($0.healthy, $0.distance) < ($1.healthy, $1.distance) }
    }

    private mutating func candidates(_ failing: Set<ComponentDescriptor>) -> [ComponentDescriptor] {
        let all = failing.reduce(into: Set<ComponentDescriptor>()) { $0.formUnion(dependencies(of: $1)) }
        return all.subtracting(failing).sorted { $0.name < $1.name }
    }
}

extension Cause {
    fileprivate mutating func add(_ origins: Set<ComponentDescriptor>, _ codes: Set<String>) {
        self.origins.formUnion(origins)
        self.codes.formUnion(codes)
    }

    fileprivate mutating func add(_ origins: Set<ComponentDescriptor>, _ code: String) {
        add(origins, [code])
    }
}

// MARK: - Explaining findings

extension CauseFolding {
    private func subjects(_ finding: Problem) -> Set<ComponentDescriptor> {
        Set(finding.subjects.compactMap { nodes[$0] })
    }

    /// Whether a finding follows from a cause.
    private mutating func explains(_ cause: Cause, _ finding: Problem) -> Bool {
        let subjects = subjects(finding)
        guard !subjects.isEmpty else { return false }
        switch finding.symptom {
        case .failing(let code): return cause.codes.contains(code) && subjects.isSubset(of: cause.origins)
        case .circuit, .refusing: return subjects.isSubset(of: cause.origins.union([cause.component]))
        case .slow: return subjects.isSubset(of: affected(cause).union([cause.component]))
        case .other: return false
        }
    }

    /// The origins and all that depends on them.
    private mutating func affected(_ cause: Cause) -> Set<ComponentDescriptor> {
        cause.origins.reduce(into: []) { $0.formUnion(users(of: $1).union([$1])) }
    }

    /// All direct and indirect dependents.
    private mutating func users(of node: ComponentDescriptor) -> Set<ComponentDescriptor> {
        if let known = dependents[node] { return known }
        let found = graph.dependents(of: node).subtracting([node])
        dependents[node] = found
        return found
    }

    /// All direct and indirect dependencies, the nearest first.
    private mutating func dependencies(of node: ComponentDescriptor) -> [ComponentDescriptor] {
        if let known = reached[node] { return known }
        var (found, seen, next) = ([node], Set([node]), 0)
        while next < found.count {
            for target in graph.dependencies(of: found[next]) where seen.insert(target).inserted {
                found.append(target)
            }
            next += 1
        }
        reached[node] = Array(found.dropFirst())
        return found.dropFirst() + []
    }

    private mutating func problem(_ cause: Cause, _ symptoms: [Problem], _ components: ComponentIndex) -> Problem {
        let details = details(cause, symptoms).joined(separator: ", ")
        let name = cause.component.name
        return Problem(
            key: cause.key,
            isBad: symptoms.contains(where: \.isBad),
            panel: "components",
            component: components.id(named: name),
            text: "\(name) \(cause.isFailure ? "fails" : "is slow"): \(details)",
            past: "\(name) \(cause.isFailure ? "failed" : "was slow"): \(details)"
        )
    }

    /// The parts of the sentence: who fails, which circuits opened, who is affected.
    private mutating func details(_ cause: Cause, _ symptoms: [Problem]) -> [String] {
        var parts: [String] = []
        if cause.origins == [cause.component] {
            parts.append(cause.codes.sorted().joined(separator: ", "))
        } else {
            let kinds = Set(cause.origins.map(\.kind))
            let users = users(of: cause.component).filter { kinds.contains($0.kind) }
            let verb = cause.isFailure ? "fail" : "are slow"
            parts.append("\(cause.origins.count) of \(counted(users.count, Self.noun(kinds))) \(verb)")
        }
        let circuits = symptoms.count { $0.symptom == .circuit }
        if circuits > 0 { parts.append("\(counted(circuits, "circuit")) opened because of it") }
        let contexts = affected(cause).count { $0.kind == .context }
        if contexts > 0 { parts.append("\(counted(contexts, "context")) \(contexts == 1 ? "is" : "are") affected") }
        return parts
    }

    private static func noun(_ kinds: Set<ComponentKind>) -> String {
        kinds.count == 1 ? kinds.first?.rawValue ?? "component" : "component"
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }
}
