// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let identityAndScopeInit = Recipe(
        "identity-and-scope-init",
        "Gives clients and capabilities an identity, and an initializer that takes a scope."
    ) { project, changes in
        for type in changes.file.types where type.kind == .actor && project.isOld(type.name) {
            if let client = project.clients[type.name] {
                let hasStore = type.variables.contains { $0.typeName == "StateStore" }
                changes.scopeInitializer(
                    type,
                    ScopePlan(
                        scope: "ClientScope",
                        resolve: { project.capabilities.contains($0) ? "scope.capability(\($0).self)" : nil },
                        state: hasStore ? client.initialState : nil,
                        stateType: hasStore ? client.state : nil
                    )
                )
            } else if project.capabilities.contains(type.name) {
                changes.scopeInitializer(
                    type,
                    ScopePlan(
                        scope: "CapabilityScope",
                        resolve: { project.capabilities.contains($0) ? "scope.capability(\($0).self)" : nil }
                    )
                )
            }
        }
    }
}

/// What an initializer takes from a scope.
struct ScopePlan {
    /// The type of the scope.
    let scope: String
    /// How a parameter of a type is resolved; nil for a parameter that stays.
    let resolve: (String) -> String?
    /// The initial state for the store.
    var state: String?
    /// The type of the state, if the type has a store, which each initializer has to set.
    var stateType: String?
    /// Parameters and properties that have nothing to do any more.
    var dropped: Set<String> = []
    /// Statements that an initializer without a body of its own needs, `name = value`.
    var assignments: [String] = []
}

extension Changes {
    /// Adds an identity, and lets the initializers of a type take a scope. Does nothing the second time.
    mutating func scopeInitializer(_ type: TypeNode, _ plan: ScopePlan) {
        guard !type.variables.contains(where: { $0.name == "identity" }) else { return }
        addFirst([type.access + "nonisolated let identity: ComponentIdentity"], to: type)
        guard !type.initializers.isEmpty else {
            return addInitializer(to: type, plan)
        }
        for initializer in type.initializers { rewrite(initializer, plan) }
    }

    /// Adds an initializer. It takes the initial state if callers of the base class gave it.
    private mutating func addInitializer(to type: TypeNode, _ plan: ScopePlan) {
        let given = plan.state == nil ? plan.stateType : nil
        let state = plan.state ?? given.map { _ in "initialState" }
        let store = state.map { ["store = scope.store(\($0))"] } ?? []
        let body = (["identity = scope.identity"] + store + plan.assignments).map { "    " + $0 }
        let `throws` = plan.assignments.isEmpty ? "" : " throws"
        let parameter = given.map { ", initialState: \($0)" } ?? ""
        let head = "\(type.access)init(_ scope: borrowing \(plan.scope)\(parameter))\(`throws`) {"
        add([head] + body + ["}"], to: type)
        guard given != nil else { return }
        note(
            type.keyword,
            "\(type.name) got its initial state from its callers: pass initialState where \(type.name) is registered."
        )
    }

    private mutating func rewrite(_ initializer: InitializerDeclSyntax, _ plan: ScopePlan) {
        let parameters = Array(initializer.signature.parameterClause.parameters)
        var resolved: [String: String] = [:]
        var kept: [FunctionParameterSyntax] = []
        for parameter in parameters {
            let name = (parameter.secondName ?? parameter.firstName).text
            if let type = parameter.type.lastName, let call = plan.resolve(type) {
                resolved[name] = call
            } else if !plan.dropped.contains(name) {
                kept.append(parameter)
            }
        }
        for modifier in initializer.modifiers
        where ["override", "convenience", "required"].contains(modifier.name.text) {
            removeWord(modifier)
        }
        rename(initializer.signature.parameterClause, to: clause(kept, plan))
        let changesBody = rewriteBody(of: initializer, resolved, plan)
        let needsTry = changesBody || !plan.assignments.isEmpty
        if needsTry, initializer.signature.effectSpecifiers?.throwsClause == nil {
            insert(
                " throws",
                after: initializer.signature.effectSpecifiers.map { Syntax($0) }
                    ?? Syntax(initializer.signature.parameterClause)
            )
        }
    }

    private func clause(_ kept: [FunctionParameterSyntax], _ plan: ScopePlan) -> String {
        let rest = kept.map { parameter in
            parameter.with(\.trailingComma, nil).code
        }
        return "(" + (["_ scope: borrowing \(plan.scope)"] + rest).joined(separator: ", ") + ")"
    }

    /// - Returns: Whether the body resolves something.
    private mutating func rewriteBody(
        of initializer: InitializerDeclSyntax,
        _ resolved: [String: String],
        _ plan: ScopePlan
    ) -> Bool {
        guard let body = initializer.body else { return false }
        let indentation = file.indentation(of: initializer) + "    "
        var first = ["identity = scope.identity"] + plan.assignments
        var resolves = false
        var hasStore = false
        for item in body.items {
            if let assignment = AssignmentNode(item), let property = assignment.property {
                if plan.dropped.contains(property) {
                    remove(item)
                } else if property == "state", assignment.sign == "=", plan.scope == "ClientScope" {
                    hasStore = true
                    replaceState(item, assignment)
                } else if let name = assignment.valueName, let call = resolved[name] {
                    rename(assignment.value[0], to: "try " + call)
                    resolves = true
                }
            } else if let call = item.item.as(FunctionCallExprSyntax.self),
                call.calledExpression.as(MemberAccessExprSyntax.self)?.base?.is(SuperExprSyntax.self) ?? false
            {
                if let state = call.arguments.first(where: { $0.label?.text == "initialState" }) {
                    hasStore = true
                    replace(item, with: "store = scope.store(\(state.expression.code))")
                } else {
                    remove(item)
                }
            }
        }
        if let state = plan.state, !hasStore { first.append("store = scope.store(\(state))") }
        if plan.stateType != nil, plan.state == nil, !hasStore, !delegates(body) {
            note(initializer, "This initializer sets no state: add store = scope.store(…) with the initial one.")
        }
        begin(body, with: first, indentation, outer: file.indentation(of: initializer))
        return resolves
    }

    /// Whether an initializer leaves its work to another one of its type.
    private func delegates(_ body: CodeBlockSyntax) -> Bool {
        body.all(FunctionCallExprSyntax.self).contains { call in
            guard let (_, base, name) = call.memberCall else { return false }
            return name == "init" && base.code == "self"
        }
    }

    /// Puts statements at the begin of a body, which gets lines of its own.
    private mutating func begin(_ body: CodeBlockSyntax, with lines: [String], _ indentation: String, outer: String) {
        let text = lines.map { "\n" + indentation + $0 }.joined()
        let isOneLine = file.line(of: body.leftBrace) == file.line(of: body.rightBrace)
        guard isOneLine else { return insert(text, after: body.leftBrace) }
        let (left, right) = (file.range(of: body.leftBrace).upperBound, file.start(of: body.rightBrace))
        guard let first = body.items.first, let last = body.items.last else {
            return replace(bytes: left..<right, with: text + "\n" + outer)
        }
        replace(bytes: left..<file.start(of: first), with: text + "\n" + indentation)
        replace(bytes: file.range(of: last).upperBound..<right, with: "\n" + outer)
    }

    private mutating func replaceState(_ item: CodeBlockItemSyntax, _ assignment: AssignmentNode) {
        guard let first = assignment.value.first, let last = assignment.value.last else { return }
        replace(bytes: file.start(of: item)..<file.start(of: first), with: "store = scope.store(")
        insert(")", after: last)
    }
}
