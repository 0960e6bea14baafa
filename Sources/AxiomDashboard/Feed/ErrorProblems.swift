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
    var symptom: Symptom { text.contains("AXIOM_CIRCUIT_") ? .refusing : .failing(code: code) }

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

// What held the main actor.
extension ObservedMoment {
    /// The hangs of the main actor in five minutes are one problem, while one lasts and for a minute after the last one.
    /// One cause makes many hangs, and for a few of them another operation is blamed. A hang without a processor is none.
    var hangProblems: [Problem] {
        let hangs = history.mainActor.hangs.filter { hang in
            let age = history.at - history.grid.seconds(hang.end)
            let isRecent = history.isExplained(hang) && age < RecentCounts.window
            return hang.cause != .process && (hang.isLasting || isRecent)
        }
        guard let last = hangs.last, let longest = hangs.map(\.seconds).max(),
            last.isLasting || history.grid.seconds(last.end) > history.at - History.window
        else { return [] }
        let shares = shares(of: hangs)
        var text = "held for \(QuantityText.seconds(longest)) by \(shares[0].hang.subject)"
        if hangs.count > 1 {
            let named = shares.prefix(3).map { "\($0.count) by \($0.hang.subject)" }
            let others = hangs.count - shares.prefix(3).reduce(0) { $0 + $1.count }
            let all = (named + (others > 0 ? ["\(others) by others"] : [])).joined(separator: ", ")
            text = "held \(hangs.count) times in 5 minutes, for \(QuantityText.seconds(longest)) at most"
            text += shares.count == 1 ? ", by \(shares[0].hang.subject)" : ": \(all)"
        }
        return [
            Problem(
                key: "hang",
                level: last.isLasting || longest >= 1 ? .bad : .warning,
                kind: .mainActor,
                component: shares[0].hang.culprit.flatMap { id(named: $0.component.name) },
                text: "Main actor \(last.isLasting ? "is" : "was") \(text)",
                past: "Main actor was \(text)",
                symptom: .held,
                seconds: longest
            )
        ]
    }

    /// One hang of each cause and how many there are: the most frequent first, of equals one of an operation. An operation
    /// is only likely if it was never seen.
    private func shares(of hangs: [MainActorHang]) -> [(hang: MainActorHang, count: Int)] {
        let groups = Dictionary(grouping: hangs) { hang in
            hang.culprit.map { "\($0.component).\($0.name)" } ?? hang.subject
        }
        let shares = groups.values.map { ($0.first { $0.culprit?.isSure == true } ?? $0[0], $0.count) }
        func order(_ share: (hang: MainActorHang, count: Int)) -> (Int, Int, String) {
            (-share.count, share.hang.culprit == nil ? 1 : 0, share.hang.subject)
        }
        return shares.sorted { order($0) < order($1) }
    }
}
