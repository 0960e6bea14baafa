// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a finding says about the components that it is about.
enum Symptom: Sendable, Hashable {
    /// A component fails with errors of this code.
    case failing(code: String)
    /// A circuit breaker of the component is not closed.
    case circuit
    /// A circuit breaker in shadow mode would be open.
    case shadowCircuit
    /// A circuit breaker refuses calls of the component.
    case refusing
    /// The component is slower than its budget or its baseline.
    case slow
    /// The component, a capability, does not work in full: because of itself, or of another one that it depends on.
    case degraded(isInherited: Bool)
    /// Something that is not caused by other components.
    case other

    var isCircuit: Bool { self == .circuit || self == .shadowCircuit }
}

/// Folds the findings of one moment into causes, along the component graph.
///
/// If the deepest cause of an error names the component that threw it, and those that fail depend on it, it is the cause.
/// Otherwise, if most components that use a dependency fail, the dependency is the cause: with the same code, or with
/// different codes and open circuits. If a single component fails, it is the cause itself. What follows from a failure belongs to the same
/// cause: the circuits that it opened, the calls that they refuse, and budgets and baselines that are missed by the
/// failing components or their dependents. A dependency is the cause of slowness only if its calls were measured and took
/// most of the time. Observations follow from causes and make none.
///
/// Cost: a few passes over the graph for each failing component; nothing while nothing is wrong.
struct CauseFolding {
    private var search: DependencySearch
    private let times: CallTimes

    init(_ edges: [ComponentDependency], _ times: CallTimes) {
        search = DependencySearch(edges)
        self.times = times
    }

    /// The findings, each with the key of its cause if it follows from one, and the causes. A cause with a single
    /// symptom is left out if the symptom says the same: if it names the component.
    mutating func fold(_ findings: [Problem], _ components: ComponentIndex) -> [Problem] {
        var causes = failures(findings)
        addCircuits(findings, to: &causes)
        let unexplained = addSlowness(findings, to: &causes)
        let ordered = causes.values.sorted { $0.component.name < $1.component.name }
        var (folded, symptoms) = (findings, [ComponentDescriptor: [Int]]())
        for (index, finding) in findings.enumerated() {
            let found = ordered.filter { explains($0, finding) }
            let named = found.first { $0.component.name == finding.root }
            guard let cause = named ?? found.first else { continue }
            symptoms[cause.component, default: []].append(index)
        }
        for cause in ordered {
            guard let indices = symptoms[cause.component], indices.count > 1 || cause.dependents.count > 1 else {
                continue
            }
            for index in indices { folded[index].cause = cause.key }
            folded.append(problem(cause, indices.map { findings[$0] }, components))
        }
        addCommonSlowness(unexplained, to: &folded)
        addDegradation(to: &folded)
        addRefusals(to: &folded)
        return folded
    }

    /// Slow clients of which no dependency is known to be the cause are one problem, which says what they share.
    private mutating func addCommonSlowness(_ slow: Set<ComponentDescriptor>, to findings: inout [Problem]) {
        guard let (shared, users) = search.shared(by: slow) else { return }
        let affected = affected(users)
        let symptoms = findings.indices.filter { index in
            findings[index].symptom == .slow && findings[index].cause == nil
                && isMost(subjects(findings[index]), of: affected)
        }
        guard let level = symptoms.map({ findings[$0].level }).min() else { return }
        let who = counted(users.count, "client")
        let cause = Problem(
            key: "cause/slow clients",
            level: level,
            kind: .slow,
            component: nil,
            text: "\(who) are slow; they share \(Self.listed(shared))",
            past: "\(who) were slow; they share \(Self.listed(shared))"
        )
        for index in symptoms { findings[index].cause = cause.key }
        findings.append(cause)
    }

    /// Such as `A, B, C and 2 more`.
    private static func listed(_ names: [String]) -> String {
        let last = names.count > 3 ? "\(names.count - 3) more" : names.last ?? ""
        let first = names.prefix(names.count > 3 ? 3 : names.count - 1)
        return first.isEmpty ? last : "\(first.joined(separator: ", ")) and \(last)"
    }

    /// A capability that does not work in full because of one that it depends on follows from that one.
    private mutating func addDegradation(to findings: inout [Problem]) {
        let degraded = findings.indices.filter { findings[$0].symptom == .degraded(isInherited: false) }
        for index in findings.indices where findings[index].symptom == .degraded(isInherited: true) {
            let below = Set(subjects(findings[index]).flatMap { search.dependencies(of: $0) })
            let origin = degraded.first { !subjects(findings[$0]).isDisjoint(with: below) }
            guard findings[index].cause == nil, let origin else { continue }
            findings[index].cause = findings[origin].cause ?? findings[origin].key
        }
    }

    /// Calls that an open circuit refuses follow from the circuit, if nothing else explains both.
    private func addRefusals(to findings: inout [Problem]) {
        let circuits = findings.filter { $0.symptom == .circuit && $0.cause == nil && !$0.subjects.isEmpty }
        for index in findings.indices where findings[index].symptom == .refusing && findings[index].cause == nil {
            findings[index].cause = circuits.first { $0.subjects == findings[index].subjects }?.key
        }
    }
}

// MARK: - Finding causes

/// A component, and the components that fail or are slow because of it.
private struct Cause {
    let component: ComponentDescriptor
    var origins: Set<ComponentDescriptor> = []
    var codes: Set<String> = []
    /// The codes of the deepest causes that it threw, as errors name it.
    var named: Set<String> = []

    var key: String { "cause/\(component.name)" }
    var isFailure: Bool { !codes.isEmpty }
    /// The codes of its own errors, sorted.
    var shown: [String] { (origins.contains(component) ? codes : named).sorted() }
    /// The components that fail or are slow because of another one.
    var dependents: Set<ComponentDescriptor> { origins.subtracting([component]) }
}

extension CauseFolding {
    /// The causes of failures: those that errors name, and guesses for the other errors. Each code is explained apart: two
    /// faults at the same time stay two causes.
    private mutating func failures(_ findings: [Problem]) -> [ComponentDescriptor: Cause] {
        var origins: [String: Set<ComponentDescriptor>] = [:]
        var causes: [ComponentDescriptor: Cause] = [:]
        for finding in findings {
            guard case .failing(let code) = finding.symptom else { continue }
            let failing = subjects(finding)
            if let root = root(of: finding, failing) {
                causes[root, default: Cause(component: root)].add(failing, code)
                causes[root]?.named.insert(code)
            } else {
                origins[code, default: []].formUnion(failing)
            }
        }
        let measured = causes.values
        for (code, failing) in origins.sorted(by: { $0.key < $1.key }) {
            let roots = measured.filter { $0.codes.contains(code) }.map(\.component)
            var rest = roots.count == 1 ? explain(failing, code, by: roots[0], &causes) : failing
            if let shared = search.commonDependency(of: rest) { rest = explain(rest, code, by: shared, &causes) }
            for component in rest { causes[component, default: Cause(component: component)].add([component], code) }
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
        causes[shared, default: Cause(component: shared)].add(explained, code)
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

    /// Adds causes for clients that are slow and that no failure explains: dependencies in which they spent their time.
    ///
    /// - Returns: The clients that are slow for another reason.
    private mutating func addSlowness(
        _ findings: [Problem],
        to causes: inout [ComponentDescriptor: Cause]
    ) -> Set<ComponentDescriptor> {
        var slow: Set<ComponentDescriptor> = []
        for finding in findings where finding.symptom == .slow && finding.level != .observation {
            guard !causes.values.contains(where: { explains($0, finding) }) else { continue }
            slow.formUnion(subjects(finding).filter { $0.kind == .client })
        }
        while let (dependency, explained) = search.slowDependency(of: slow, times) {
            causes[dependency, default: Cause(component: dependency)].origins.formUnion(explained)
            slow.subtract(explained)
        }
        return slow
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
        Set(finding.subjects.compactMap { search.nodes[$0] })
    }

    /// Whether a finding follows from a cause.
    private mutating func explains(_ cause: Cause, _ finding: Problem) -> Bool {
        let subjects = subjects(finding)
        guard !subjects.isEmpty else { return false }
        switch finding.symptom {
        case .failing(let code): return cause.codes.contains(code) && subjects.isSubset(of: cause.origins)
        case .circuit, .shadowCircuit, .refusing: return subjects.isSubset(of: cause.origins.union([cause.component]))
        case .slow:
            let affected = affected(cause.origins).union([cause.component])
            return cause.isFailure ? subjects.isSubset(of: affected) : isMost(subjects, of: affected)
        case .degraded: return cause.isFailure && subjects == [cause.component]
        case .other: return false
        }
    }

    /// Whether more than half of the subjects of a finding are affected: one budget may be missed by many components.
    private func isMost(_ subjects: Set<ComponentDescriptor>, of affected: Set<ComponentDescriptor>) -> Bool {
        subjects.intersection(affected).count * 2 > subjects.count
    }

    /// The origins and all that depends on them.
    private mutating func affected(_ origins: Set<ComponentDescriptor>) -> Set<ComponentDescriptor> {
        origins.reduce(into: []) { $0.formUnion(search.users(of: $1).union([$1])) }
    }

    private mutating func problem(_ cause: Cause, _ symptoms: [Problem], _ components: ComponentIndex) -> Problem {
        let details = details(cause, symptoms).joined(separator: ", ")
        let name = cause.component.name
        return Problem(
            key: cause.key,
            level: symptoms.map(\.level).min() ?? .warning,
            kind: cause.isFailure ? .failing : .slow,
            component: components.id(named: name),
            text: "\(name) \(cause.isFailure ? "fails" : "is slow"): \(details)",
            reason: cause.shown.first ?? cause.codes.min() ?? "",
            past: "\(name) \(cause.isFailure ? "failed" : "was slow"): \(details)"
        )
    }

    /// The parts of the sentence: how it fails itself, who fails because of it, which circuits opened, who is affected.
    private mutating func details(_ cause: Cause, _ symptoms: [Problem]) -> [String] {
        var parts: [String] = []
        parts.append(cause.shown.joined(separator: ", "))
        if !cause.dependents.isEmpty { parts.append(dependents(cause)) }
        let circuits = symptoms.count { $0.symptom == .circuit }
        if circuits > 0 { parts.append("\(counted(circuits, "circuit")) opened because of it") }
        let shadows = symptoms.count { $0.symptom == .shadowCircuit }
        if shadows > 0 { parts.append("\(counted(shadows, "circuit")) would open because of it") }
        let actions = symptoms.count { $0.kind == .regression }
        if actions > 0 { parts.append("\(counted(actions, "action")) slower than the baseline") }
        let contexts = affected(cause.origins).count { $0.kind == .context }
        if contexts > 0 { parts.append("\(counted(contexts, "context")) \(contexts == 1 ? "is" : "are") affected") }
        let handlers = affected(cause.origins).count { $0.kind == .request }
        if handlers > 0 {
            parts.append("\(counted(handlers, "request handler")) \(handlers == 1 ? "is" : "are") affected")
        }
        return parts.filter { !$0.isEmpty }
    }

    /// Such as `5 of 7 clients fail`.
    private mutating func dependents(_ cause: Cause) -> String {
        let kinds = Set(cause.dependents.map(\.kind))
        let users = search.users(of: cause.component).filter { kinds.contains($0.kind) }
        let isOne = cause.dependents.count == 1
        let verb = cause.isFailure ? (isOne ? "fails" : "fail") : (isOne ? "is slow" : "are slow")
        return "\(cause.dependents.count) of \(counted(users.count, Self.noun(kinds))) \(verb)"
    }

    private static func noun(_ kinds: Set<ComponentKind>) -> String {
        kinds.count == 1 ? kinds.first?.rawValue ?? "component" : "component"
    }

    private func counted(_ count: Int, _ noun: String) -> String {
        count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
    }
}
