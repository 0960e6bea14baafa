// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension FactsReader {
    mutating func note(try node: SourceNode) {
        guard let mark = node[.tryMark], let expression = node[.tried] else { return }
        let inner = reading.bare(expression)
        let callee = inner.kind == .functionCallExpr ? inner[.callee] : nil
        let (begin, end) = (span(node[.tryKeyword], in: node).offsets.lowerBound, reading.place(of: mark).upperBound)
        facts.tries.append(
            OptionalTry(
                span: FactSpan(begin, end),
                site: site,
                isForced: reading.isText(mark, "!"),
                callee: callee.map(reading.path) ?? "",
                isInCatch: catches > 0,
                mayThrow: isUnused(node) && mayThrow()
            )
        )
    }

    /// Whether an expression is a statement, or its result goes to `_`.
    private func isUnused(_ node: SourceNode) -> Bool {
        guard let parent = ancestor() else { return false }
        switch parent.kind {
        case .codeBlockItem: return true
        case .exprList:
            let elements = Array(parent.children)
            guard elements.count == 3 else { return false }
            return elements[0].kind == .discardAssignmentExpr && elements[2] == node
        case .initializerClause:
            guard let binding = ancestor(1), binding.kind == .patternBinding else { return false }
            return binding[.pattern]?.kind == .wildcardPattern && binding[.bindingType] == nil
        default: return false
        }
    }

    /// Whether the function around the node under the walk throws any error, and no `defer` is between.
    private func mayThrow() -> Bool {
        for node in ancestors.reversed() {
            switch node.kind {
            case .deferStmt, .closureExpr: return false
            case .functionDecl, .initializerDecl:
                let effects = node.part(.functionSignature)?.part(.functionEffectSpecifiers)
                guard let clause = effects?.part(.throwsClause) else { return false }
                return clause.typePart == nil
            default: continue
            }
        }
        return false
    }

    mutating func note(catch node: SourceNode) {
        let statements = node[.catchBody]?.list(.statements).compactMap { $0[.item] } ?? []
        let items = node[.catchItems].flatMap { $0.children.isEmpty ? nil : $0 }
        facts.catches.append(
            CatchClause(
                span: span(node[.catchKeyword], in: node),
                site: site,
                isEmpty: statements.isEmpty,
                // To leave, after an error that the pattern names, is to handle it.
                onlyPrints: !statements.isEmpty && statements.allSatisfy { isReport($0) || leaves($0) }
                    && (items == nil || statements.contains(where: isReport)),
                pattern: items.map { reading.text($0) } ?? ""
            )
        )
    }

    /// Whether a statement leaves without a value, or drops the error.
    private func leaves(_ item: SourceNode) -> Bool {
        ["return", "break", "continue", "_ = error"].contains(reading.text(item))
    }

    /// Whether a statement prints or logs.
    private func isReport(_ item: SourceNode) -> Bool {
        let call = reading.bare(item)
        guard call.kind == .functionCallExpr, let called = call[.callee] else { return false }
        let parts = reading.path(called).split(separator: ".").map(String.init)
        guard let last = parts.last else { return false }
        if ["print", "debugPrint", "dump", "NSLog", "os_log", "fputs"].contains(last) { return true }
        guard parts.count >= 2 else { return false }
        let levels = ["trace", "debug", "info", "notice", "warning", "error", "critical", "fault", "log"]
        let receiver = parts[parts.count - 2].lowercased()
        return (receiver.hasSuffix("logger") || receiver.hasSuffix("log")) && levels.contains(last)
    }
}
