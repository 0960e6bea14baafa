// SPDX-License-Identifier: Apache-2.0

@_spi(RawSyntax) internal import SwiftSyntax

extension FactsReader {
    /// Notes where the closure under the walk returns or stores its first parameter, if a function lends it one.
    mutating func noteHandedOut(by node: SourceNode) {
        guard let closure = site.closure, let statements = node[.closureStatements],
            let call = facts.closures[closure].call, Closure.lenders.contains(facts.calls[call].name)
        else { return }
        let parameter = facts.closures[closure].parameters.first?.name
        // A closure that names its parameters has no `$0`.
        guard let name = parameter ?? (facts.closures[closure].hasSignature ? nil : "$0"), name != "_" else { return }
        var search = HandedOutSearch(name, reading)
        if let only = statements.children.only?[.item] { search.judge(branchOf: only) }
        search.visit(statements)
        facts.closures[closure].handedOut = search.result
    }
}

/// Searches the statements of a closure for its parameter as a value that outlives them.
private struct HandedOutSearch {
    /// Functions that keep their argument or pass it to another task.
    private static let keeping: Set = [
        "append", "insert", "updateValue", "yield", "resume", "store",
    ]

    private let reading: SyntaxReading
    /// The parameter, and the constants that are the same.
    private var names: Set<String>
    /// The variables of the closure.
    private var variables: Set<String> = []
    private var found: FactSpan?
    /// Where a task captures the instance, by the constant that is the task. One that the closure awaits does not outlive it.
    private var tasks: [String: FactSpan] = [:]
    /// The same for tasks that are awaited where they are made.
    private var awaited: [FactSpan] = []

    /// Where it is handed out first.
    var result: FactSpan? { found ?? tasks.values.min { $0.start < $1.start } }

    init(_ name: String, _ reading: SyntaxReading) {
        (self.reading, names) = (reading, [name])
    }

    /// Judges what a closure or a branch of it returns without `return`.
    mutating func judge(branchOf item: SourceNode) {
        let expression = item.kind == .expressionStmt ? item[.statementExpression] : item
        guard let expression else { return }
        switch reading.bare(expression).kind {
        case .ifExpr:
            for part in [expression[.ifBody], expression[.ifElse]] {
                guard let part else { continue }
                if part.kind == .ifExpr { judge(branchOf: part) }
                if let only = part.kind == .codeBlock ? part.list(.statements).only?[.item] : nil {
                    judge(branchOf: only)
                }
            }
        case .switchExpr:
            for clause in expression.list(.switchCases) where clause.kind == .switchCase {
                if let only = clause.list(.caseStatements).only?[.item] { judge(branchOf: only) }
            }
        default: judge(value: expression)
        }
    }

    /// Visits statements, but none of another closure or function: their `return` is their own.
    mutating func visit(_ node: SourceNode) {
        guard found == nil else { return }
        switch node.kind {
        case .closureExpr: return noteWaits(in: node)
        case .functionDecl, .structDecl, .classDecl, .enumDecl, .actorDecl: return
        case .returnStmt: if let value = node[.returned] { judge(value: value) }
        case .patternBinding: noteAlias(node)
        case .sequenceExpr: judge(sequence: node)
        case .functionCallExpr: judge(call: node)
        case .memberAccessExpr: judge(access: node)
        default: break
        }
        for child in node.children where child.kind != .token { visit(child) }
    }

    /// `let kept = net` is another name of the instance.
    private mutating func noteAlias(_ binding: SourceNode) {
        guard let pattern = binding[.pattern], pattern.kind == .identifierPattern else { return }
        let name = reading.name(pattern[.patternName])
        variables.insert(name)
        guard let value = binding[.initializer]?[.initialValue].map(reading.bare) else { return }
        if isInstance(value) { names.insert(name) }
        if let place = captured(byTask: value) { tasks[name] = place }
    }

    /// `saved = net`. What is assigned to a variable of the closure may stay in it, and is another name.
    private mutating func judge(sequence node: SourceNode) {
        let elements = Array(node.list(.sequence))
        guard elements.count > 2, elements[1].kind == .assignmentExpr, elements[0].kind != .discardAssignmentExpr else {
            return
        }
        if elements.count == 3, variables.contains(reading.path(elements[0])) {
            if isInstance(reading.bare(elements[2])) { names.insert(reading.path(elements[0])) }
            return
        }
        judge(parts: Array(elements[2...]))
    }

    /// `await task.value` waits for a task, and so does `await Task { … }.value`.
    private mutating func judge(access node: SourceNode) {
        guard ["value", "result"].contains(reading.name(node[.member]?[.referenceName])), let base = node[.memberBase]
        else { return }
        tasks[reading.path(base)] = nil
        if let place = captured(byTask: reading.bare(base)) { awaited.append(place) }
    }

    /// What a closure awaits, such as that of `withTaskCancellationHandler`, is awaited too.
    private mutating func noteWaits(in node: SourceNode) {
        if node.kind == .memberAccessExpr { judge(access: node) }
        for child in node.children where child.kind != .token { noteWaits(in: child) }
    }

    /// Where the closure of a new task uses the instance. Nil for other expressions.
    private func captured(byTask node: SourceNode) -> FactSpan? {
        guard node.kind == .functionCallExpr, let callee = node[.callee] else { return nil }
        let path = reading.path(callee)
        guard path == "Task" || path.hasPrefix("Task.") else { return nil }
        let arguments = node.list(.arguments).compactMap { $0[.argument] }
        let closures = (arguments + [node[.trailingClosure]].compactMap(\.self)).filter { $0.kind == .closureExpr }
        return closures.lazy.compactMap { use(in: $0) }.first
    }

    /// The first use of the instance in a closure. `$0` of a closure is its own.
    private func use(in node: SourceNode) -> FactSpan? {
        if isInstance(node), reading.name(node[.referenceName]) != "$0" { return reading.span(node) }
        return node.children.lazy.compactMap { use(in: $0) }.first
    }

    private mutating func judge(call node: SourceNode) {
        if let place = captured(byTask: node), !awaited.contains(place), !tasks.values.contains(place) { found = place }
        guard let callee = node[.callee].map(reading.bare), callee.kind == .memberAccessExpr,
            Self.keeping.contains(reading.name(callee[.member]?[.referenceName]))
        else { return }
        for argument in node.list(.arguments) { if let value = argument[.argument] { judge(value: value) } }
    }

    /// Notes the instance if the value is it, or is made of it.
    private mutating func judge(value: SourceNode) {
        guard found == nil else { return }
        let inner = reading.bare(value)
        if isInstance(inner) { found = reading.span(inner) }
        switch inner.kind {
        case .tupleExpr: for part in inner.list(.tupleElements) { judge(part: part[.argument]) }
        case .arrayExpr: for part in inner.list(.arrayElements) { judge(part: part[.arrayElement]) }
        case .dictionaryExpr:
            for part in inner[.dictionaryContent].map({ Array($0.children) }) ?? []
            where part.kind == .dictionaryElement {
                judge(part: part[.dictionaryElementKey])
                judge(part: part[.dictionaryElementValue])
            }
        case .sequenceExpr: judge(parts: Array(inner.list(.sequence)))
        case .functionCallExpr where makesValue(inner[.callee]):
            for part in inner.list(.arguments) { judge(part: part[.argument]) }
        default: break
        }
    }

    private mutating func judge(part: SourceNode?) { if let part { judge(value: part) } }

    /// The operands of `as`, `??` and `?:`. Other operators make something else of the instance.
    private mutating func judge(parts: [SourceNode]) {
        // The condition of `?:` is no value.
        if let index = parts.firstIndex(where: { $0.kind == .unresolvedTernaryExpr }) {
            judge(part: parts[index][.ternaryValue])
            return judge(parts: Array(parts[(index + 1)...]))
        }
        let others = parts.contains { part in
            part.kind == .unresolvedIsExpr
                || (part.kind == .binaryOperatorExpr && part[.binaryOperator].map(reading.text) != "??")
        }
        guard !others else { return }
        for part in parts { judge(value: part) }
    }

    /// Whether a call makes a value of its arguments: of a type, or a case such as `.some`.
    private func makesValue(_ callee: SourceNode?) -> Bool {
        guard let callee else { return false }
        if reading.made(by: callee) != nil { return true }
        let inner = reading.bare(callee)
        guard inner.kind == .memberAccessExpr else { return false }
        guard let base = inner[.memberBase] else { return true }
        // `Optional.some($0)` is a case, and so may be a static function of any type; that returns what it wants.
        return reading.type(of: base) != nil
            && ["some", "success"].contains(reading.name(inner[.member]?[.referenceName]))
    }

    private func isInstance(_ node: SourceNode) -> Bool {
        node.kind == .declReferenceExpr && names.contains(reading.name(node[.referenceName]))
    }
}
