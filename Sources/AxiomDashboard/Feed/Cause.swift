// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A component, and the components that fail or are slow because of it.
struct Cause {
    let component: ComponentDescriptor
    /// The components that fail because of it, and itself if it fails with errors of its own.
    var origins: Set<ComponentDescriptor> = []
    /// The clients that are slow because of it.
    var slow: Set<ComponentDescriptor> = []
    var codes: Set<String> = []
    /// The codes of the deepest causes that it threw, as errors name it.
    var named: Set<String> = []

    var key: String { "cause/\(component.name)" }
    var isFailure: Bool { !codes.isEmpty }
    /// The codes of its own errors, sorted.
    var shown: [String] { (origins.contains(component) ? codes : named).sorted() }
    /// The components that fail or are slow because of another one.
    var dependents: Set<ComponentDescriptor> { origins.union(slow).subtracting([component]) }

    mutating func add(_ origins: Set<ComponentDescriptor>, _ codes: Set<String>) {
        self.origins.formUnion(origins)
        self.codes.formUnion(codes)
    }
}

// MARK: - The sentence

// What a cause says, such as `Database fails: DISK_FULL, 1 of 4 clients fails, 3 are slow`.
extension CauseFolding {
    /// A cause as a problem, as bad as the worst of its symptoms.
    mutating func problem(_ cause: Cause, _ symptoms: [Problem], _ components: ComponentIndex) -> Problem {
        let details = details(cause, symptoms).joined(separator: ", ")
        let name = cause.component.name
        let only = cause.isFailure || cause.slow.count > 1 ? nil : cause.slow.first
        let slow = only.map { $0 == cause.component ? "slow" : "slow for \($0.name)" } ?? "slow"
        func text(_ failing: String, _ verb: String) -> String {
            "\(name) \(cause.isFailure ? failing : "\(verb) \(slow)")\(details.isEmpty ? "" : ": \(details)")"
        }
        return Problem(
            key: cause.key,
            level: symptoms.map(\.level).min() ?? .warning,
            kind: cause.isFailure ? .failing : .slow,
            component: components.id(named: name),
            text: text("fails", "is"),
            reason: cause.shown.first ?? cause.codes.min() ?? "",
            past: text("failed", "was")
        )
    }

    /// The parts of the sentence: how it fails itself, who fails because of it, which circuits opened, who is affected.
    private mutating func details(_ cause: Cause, _ symptoms: [Problem]) -> [String] {
        var parts = [cause.shown.joined(separator: ", ")]
        if cause.isFailure || cause.dependents.count > 1 { parts.append(dependents(cause)) }
        let circuits = symptoms.count { $0.symptom == .circuit }
        if circuits > 0 { parts.append("\(Self.counted(circuits, "circuit")) opened because of it") }
        let flapping = symptoms.count { $0.symptom == .flapping }
        if flapping > 0 {
            parts.append("\(Self.counted(flapping, "circuit")) \(flapping == 1 ? "flaps" : "flap") because of it")
        }
        let shadows = symptoms.count { $0.symptom == .shadowCircuit }
        if shadows > 0 { parts.append("\(Self.counted(shadows, "circuit")) would open because of it") }
        if let times = symptoms.lazy.compactMap(\.symptom.repeats).first { parts.append("it is called again \(times)") }
        let actions = symptoms.count { $0.kind == .regression }
        if actions > 0 { parts.append("\(Self.counted(actions, "action")) slower than the baseline") }
        let affected = affected(cause)
        for (kind, noun) in [(ComponentKind.context, "context"), (.request, "request handler")] {
            let count = affected.count { $0.kind == kind }
            // All of them may be named already.
            let isNamed = count == cause.dependents.count && cause.dependents.allSatisfy { $0.kind == kind }
            guard count > 0, !isNamed else { continue }
            parts.append("\(Self.counted(count, noun)) \(count == 1 ? "is" : "are") affected")
        }
        return parts.filter { !$0.isEmpty }
    }

    /// Such as `5 of 7 clients fail`, or `1 of 4 clients fails, 3 are slow`.
    private mutating func dependents(_ cause: Cause) -> String {
        guard !cause.dependents.isEmpty else { return "" }
        let kinds = Set(cause.dependents.map(\.kind))
        let users = search.users(of: cause.component).filter { kinds.contains($0.kind) }
        let noun = kinds.count == 1 ? kinds.first?.rawValue ?? "component" : "component"
        let failing = cause.origins.subtracting([cause.component]).count
        let slow = cause.dependents.count - failing
        // The first part says of how many.
        var (parts, of) = ([String](), " of \(Self.counted(users.count, noun))")
        if failing > 0 {
            parts.append("\(failing)\(of) \(failing == 1 ? "fails" : "fail")")
            of = ""
        }
        if slow > 0 { parts.append("\(slow)\(of) \(slow == 1 ? "is" : "are") slow") }
        return parts.joined(separator: ", ")
    }

    /// Such as `1 client`, `3 clients` or `2 capabilities`.
    static func counted(_ count: Int, _ noun: String) -> String {
        let plural = noun.hasSuffix("y") ? "\(noun.dropLast())ies" : "\(noun)s"
        return "\(count) \(count == 1 ? noun : plural)"
    }

    /// Such as `A, B, C and 2 more`.
    static func listed(_ names: [String]) -> String {
        let last = names.count > 3 ? "\(names.count - 3) more" : names.last ?? ""
        let first = names.prefix(names.count > 3 ? 3 : names.count - 1)
        return first.isEmpty ? last : "\(first.joined(separator: ", ")) and \(last)"
    }
}

/// What a finding says about the components that it is about.
enum Symptom: Sendable, Hashable {
    /// A component fails with errors of this code.
    case failing(code: String)
    /// A circuit breaker of the component is not closed.
    case circuit
    /// A circuit breaker of the component opens and closes again and again.
    case flapping
    /// A circuit breaker in shadow mode would be open.
    case shadowCircuit
    /// A circuit breaker refuses calls of the component.
    case refusing
    /// The component is slower than its budget or its baseline.
    case slow
    /// More calls of the component fail than in the hour before.
    case failingShare
    /// The component, a capability, does not work in full: because of itself, or of another one that it depends on.
    case degraded(isInherited: Bool)
    /// The calls of the first subject, a capability, by the others are repeated so often each, such as `7.1 times a call`.
    case repeated(String)
    /// The process has no processors for its threads.
    case starved
    /// The main actor was held.
    case held
    /// Something that is not caused by other components.
    case other

    var isCircuit: Bool { isOpen || self == .shadowCircuit }
    /// Whether a circuit breaker refuses calls, now or again and again.
    var isOpen: Bool { self == .circuit || self == .flapping }

    /// How often each call is repeated.
    var repeats: String? { if case .repeated(let times) = self { times } else { nil } }
}
