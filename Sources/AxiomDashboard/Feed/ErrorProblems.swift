// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

// Which errors are problems at one moment.
extension ObservedMoment {
    /// One critical error is a problem for five minutes, and any error that came five times in five minutes. Causes of one
    /// error that are too rare each are one problem if they are frequent together.
    var errorProblems: [Problem] {
        guard let report = observed.errors else { return [] }
        let recent = report.groups.map { RecentErrors($0, at: report.time) }
        let rare = Dictionary(grouping: recent.filter { !$0.isProblem && $0.count > 0 }, by: \.key)
        let together = rare.values.filter { $0.count > 1 }.map(RecentErrors.init).sorted { $0.key < $1.key }
        return (recent + together).filter(\.isProblem).map(problem)
    }

    private func problem(_ errors: RecentErrors) -> Problem {
        let (name, count) = (errors.component.name, Int(errors.count.rounded()))
        return Problem(
            key: errors.key + errors.detail,
            level: errors.severity == .warning ? .warning : .bad,
            kind: .error,
            component: id(named: name),
            text: "\(name): \(errors.text), \(count) \(count == 1 ? "error" : "errors") in 5 minutes",
            reason: errors.code,
            at: history.grid.seconds(errors.last),
            symptom: errors.symptom,
            subjects: [name],
            root: errors.root?.component?.name
        )
    }
}

/// The errors of a group in the last five minutes, or those of groups that differ only in their deepest cause.
private struct RecentErrors {
    let component: ComponentDescriptor
    let error: SpanError
    /// nil for several.
    let root: RootCause?
    let count: Double
    let severity: ErrorSeverity
    let last: Instant
    /// The chain of the causes, or how many there are.
    let text: String
    /// What distinguishes them from others with the same key.
    let detail: String

    var key: String { "error/\(component.name)/\(error.type)/\(error.codeOrType)" }
    var isProblem: Bool { count >= (severity == .critical ? 0.5 : 4.5) }

    /// Calls that an open circuit refused failed in no other way, whatever opened it.
    var symptom: Symptom {
        text.contains("AXIOM_CIRCUIT_") ? .refusing : .failing(code: code)
    }

    /// That of the deepest error that is known.
    var code: String { (root?.error ?? error).codeOrType }

    init(_ group: ErrorGroup, at time: Instant) {
        (component, error, root) = (group.component, group.fingerprint.error, group.root)
        count = group.rate(minutes: 5, at: time) * 300
        (severity, last) = (group.severity, group.lastSeen)
        text = group.codeOrChain
        detail = root.map { "/\($0.error.type)/\($0.error.codeOrType)/\($0.component?.name ?? "")" } ?? ""
    }

    /// - Parameter parts: Two at least, with the same component and error.
    init(_ parts: [RecentErrors]) {
        (component, error, root) = (parts[0].component, parts[0].error, nil)
        count = parts.reduce(0) { $0 + $1.count }
        severity = parts.map(\.severity).max() ?? .nonCritical
        last = parts.map(\.last).max() ?? parts[0].last
        text = "\(error.codeOrType) of \(parts.count) causes"
        detail = "/together"
    }
}
