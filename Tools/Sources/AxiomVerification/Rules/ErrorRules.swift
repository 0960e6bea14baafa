// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// An error ends at the boundary of a context or of a request handler, and nowhere else.
enum ErrorRules {
    static let all = [clientSwallowsError, contextSwallowsError]

    static let clientSwallowsError = Rule(
        id: "client-swallows-error",
        summary: "A client drops an error while it processes an action.",
        rationale: "An error that is not thrown reaches no boundary: nobody sees it, counts it or recovers from it.",
        severity: .warning,
        mended: "a `try?` whose result is not used, if the function throws any error. It does not change a `catch`"
    ) { project, findings in
        judge(.client, ["process", "activate"], project, &findings)
    }

    static let contextSwallowsError = Rule(
        id: "context-swallows-error",
        summary: "A context or a request handler drops an error of an action or of its lifecycle.",
        rationale: """
            The error boundary handles what is thrown: a context shows it, counts it, and retries; a request handler counts it, and \
            recovers or tells the caller.
            """,
        severity: .warning,
        mended: "a `try?` whose result is not used, if the function throws any error. It does not change a `catch`"
    ) { project, findings in
        let entries: Set = ["handle", "onAppear", "onDisappear", "onBackground", "onForeground"]
        judge([.context, .handler], entries, project, &findings)
    }

    private static func judge(
        _ role: Roles,
        _ entries: Set<String>,
        _ project: ProjectFacts,
        _ findings: inout Findings
    ) {
        for (index, type) in project.types(with: role) {
            let boundary = project.roles(of: index).contains(.handler) ? "handler" : "context"
            let functions = project.functions(reachedFrom: entries, of: type)
            let name = project.displayName(of: type)
            for (file, _, attempt) in project.facts(\.tries, of: type) {
                let function = project.name(of: attempt.site, file)
                // The only error of a sleep is a cancellation. Behind a failure, the failure itself is the one to report.
                guard functions.contains(function), !attempt.isForced, !attempt.isInCatch,
                    !attempt.callee.hasSuffix("sleep")
                else { continue }
                findings.report(
                    at: project.span(attempt.span, in: file),
                    "`try?` in `\(function)` of \(name) drops the error. Throw it: it ends at the boundary of the \(boundary).",
                    identity: "\(name).\(function)/try?/\(attempt.callee)",
                    fix: fix(attempt)
                )
            }
            for (file, _, clause) in project.facts(\.catches, of: type) {
                let function = project.name(of: clause.site, file)
                guard functions.contains(function), clause.isEmpty || clause.onlyPrints, !clause.isCancellation else {
                    continue
                }
                let what = clause.isEmpty ? "is empty" : "only prints"
                findings.report(
                    at: project.span(clause.span, in: file),
                    "The `catch` in `\(function)` of \(name) \(what). Throw the error: it ends at the boundary of the \(boundary).",
                    identity: "\(name).\(function)/catch \(clause.pattern)"
                )
            }
        }
    }

    /// Throws instead, where that compiles.
    private static func fix(_ attempt: OptionalTry) -> Fix? {
        guard attempt.mayThrow else { return nil }
        return Fix("Throw the error", edits: [Edit(replacing: attempt.span.offsets, with: "try")], safety: .review)
    }
}

extension CatchClause {
    /// A cancellation is no error.
    fileprivate var isCancellation: Bool { pattern.contains("CancellationError") }
}

extension ProjectFacts {
    /// The names of functions of a type that some functions of it call, directly or not, with these.
    func functions(reachedFrom entries: Set<String>, of type: ProjectType) -> Set<String> {
        var calls: [String: Set<String>] = [:]
        for (file, _, call) in facts(\.calls, of: type) where call.base.isEmpty {
            calls[name(of: call.site, file), default: []].insert(call.name)
        }
        let own = Set(type.places.flatMap { place in functions(place).map { files[place.file].functions[$0].name } })
        var reached = entries
        var waiting = Array(entries)
        while let next = waiting.popLast() {
            for callee in calls[next] ?? [] where own.contains(callee) && reached.insert(callee).inserted {
                waiting.append(callee)
            }
        }
        return reached
    }
}
