// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

/// A statement of a context that reads the states or updates of a client until the context goes away.
struct ObservationSite {
    /// The property that holds the client.
    let client: String
    /// The name of a state in ``lines``.
    let parameter: String
    /// What is done with each state, for the closure of `observe`.
    let lines: [String]
    /// Whether the updates of the client were events, from which no states can be read with certainty.
    let isFromEvents: Bool

    /// Reads a statement; nil if it observes no client.
    init?(_ item: CodeBlockItemSyntax, _ context: ContextFacts, _ type: TypeFacts, _ project: MigrationFacts) {
        let text = ObservationText(context: context, type: type)
        if let loop = item.all(ForStmtSyntax.self).first(where: { $0.awaitKeyword != nil }) {
            self.init(loop, in: item, text, project)
        } else if let call = item.all(FunctionCallExprSyntax.self).first(where: { $0.memberCall?.name == "sink" }) {
            self.init(sink: call, text)
        } else {
            return nil
        }
    }

    private init?(
        _ loop: ForStmtSyntax,
        in item: CodeBlockItemSyntax,
        _ text: ObservationText,
        _ project: MigrationFacts
    ) {
        guard let stream = loop.sequence.withoutEffects.as(MemberAccessExprSyntax.self),
            let client = stream.base?.rootName,
            text.context.clients[client] != nil
        else { return nil }
        self.client = client
        switch stream.declName.baseName.text {
        case "stateStream":
            let name = loop.pattern.as(IdentifierPatternSyntax.self)?.identifier.text ?? "state"
            parameter = name
            lines = text.lines(loop.body.items, parameter: name)
            isFromEvents = false
        case "stateUpdates":
            isFromEvents = true
            if let (name, items) = Self.firstState(of: client, in: item) {
                (parameter, lines) = (name, text.lines(items, parameter: name))
            } else {
                (parameter, lines) = ("state", Self.matches(client, text.context, project))
            }
        default: return nil
        }
    }

    /// `client.$state.sink { [weak self] state in … }`.
    private init?(sink call: FunctionCallExprSyntax, _ text: ObservationText) {
        guard let base = call.memberCall?.base, let client = base.rootName, text.context.clients[client] != nil,
            base.all(MemberAccessExprSyntax.self).contains(where: { $0.declName.baseName.text == "$state" }),
            let closure = call.trailingClosure
        else { return nil }
        self.client = client
        var name: String?
        switch closure.signature?.parameterClause {
        case .simpleInput(let list): name = list.first?.name.text
        case .parameterClause(let clause): name = clause.parameters.first?.firstName.text
        case nil: break
        }
        parameter = name ?? "state"
        lines = text.lines(Array(closure.statements), parameter: parameter)
        isFromEvents = false
    }

    /// `let state = await client.state` before the loop, and the assignments that read it.
    private static func firstState(
        of client: String,
        in item: CodeBlockItemSyntax
    ) -> (name: String, items: [CodeBlockItemSyntax])? {
        for variable in item.all(VariableDeclSyntax.self).compactMap(VariableNode.init) {
            guard let member = variable.value?.withoutEffects.as(MemberAccessExprSyntax.self),
                member.declName.baseName.text == "state", member.base?.rootName == client
            else { continue }
            let readers = item.all(CodeBlockItemSyntax.self).filter {
                AssignmentNode($0)?.value.contains { $0.uses(variable.name) } ?? false
            }
            // The statement around all of them is an assignment too.
            return (variable.name, readers.filter { AssignmentNode($0)?.property != nil && $0.id != item.id })
        }
        return nil
    }

    /// The published properties that are named like properties of the state.
    private static func matches(_ client: String, _ context: ContextFacts, _ project: MigrationFacts) -> [String] {
        guard let name = context.clients[client], let state = project.clients[name]?.state,
            let type = project.types[state]
        else { return [] }
        return context.published.filter { type.property($0) != nil }.map { "context.\($0) = state.\($0)" }
    }
}

/// Writes statements of a task or a closure as statements of the closure of `observe`.
struct ObservationText {
    let context: ContextFacts
    let type: TypeFacts

    func lines(_ items: [CodeBlockItemSyntax], parameter: String) -> [String] {
        items.flatMap { item -> [String] in
            if let guarded = item.item.as(GuardStmtSyntax.self), isAboutTask(guarded) { return [] }
            if let expression = item.item.as(ExpressionStmtSyntax.self)?.expression.as(IfExprSyntax.self),
                expression.conditions.uses("Task")
            {
                return []
            }
            if let (call, base, name) = item.item.withoutEffects.memberCall, name == "run",
                base.lastName == "MainActor",
                let closure = call.trailingClosure
            {
                return lines(Array(closure.statements), parameter: parameter)
            }
            return text(item, parameter).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        }
    }

    /// `guard let self else { return }` and `guard !Task.isCancelled else { break }`.
    private func isAboutTask(_ node: GuardStmtSyntax) -> Bool {
        node.conditions.contains(.self) || node.conditions.uses("Task")
    }

    /// The text of a statement with `context` for `self`, indented as its first line.
    private func text(_ item: CodeBlockItemSyntax, _ parameter: String) -> String {
        var result = ""
        var skipsQuestion = false
        for token in item.tokens(viewMode: .sourceAccurate) {
            defer { skipsQuestion = token.tokenKind == .keyword(.self) }
            let (before, after) = (token.leadingTrivia.withoutComments, token.trailingTrivia.withoutComments)
            switch token.tokenKind {
            case .postfixQuestionMark where skipsQuestion: continue
            case .keyword(.self): result += before + "context" + after
            case .dollarIdentifier("$0") where parameter == "state": result += before + "state" + after
            default: result += before + (isOwn(token, parameter) ? "context." : "") + token.text + after
            }
        }
        let lines = result.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false)
        guard let first = lines.first(where: { !$0.allSatisfy(\.isWhitespace) }) else { return "" }
        let indentation = first.prefix { $0 == " " || $0 == "\t" }
        return lines.map { $0.hasPrefix(indentation) ? $0.dropFirst(indentation.count) : $0[...] }
            .joined(separator: "\n").trimmed
    }

    /// Whether a name is a property or a method of the context without `self.` before it.
    private func isOwn(_ token: TokenSyntax, _ parameter: String) -> Bool {
        guard token.text != parameter, let name = token.parent?.as(DeclReferenceExprSyntax.self) else { return false }
        if let member = name.parent?.as(MemberAccessExprSyntax.self), member.declName.id == name.id { return false }
        let names = type.properties.map(\.name) + type.methods.map(\.name)
        return names.contains(token.text)
    }
}
