// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Recipe {
    static let capabilityReferences = Recipe(
        "capability-refs",
        "Lets clients and capabilities hold references to capabilities, and call them through these."
    ) { project, changes in
        for type in changes.file.types where project.isOld(type.name) {
            guard let held = project.heldCapabilities(of: type.name), !held.isEmpty else { continue }
            for variable in type.variables {
                guard let capability = held[variable.name], let annotation = variable.type,
                    annotation.lastName == capability
                else { continue }
                changes.rename(annotation, to: "CapabilityRef<\(annotation.code)>")
            }
            for function in type.functions { changes.callReferences(in: function, held, project) }
        }
    }

    static let invalidateToTerminate = Recipe(
        "invalidate-to-terminate",
        "Renames what a capability did when it became invalid."
    ) { project, changes in
        for type in changes.file.types where project.capabilities.contains(type.name) && project.isOld(type.name) {
            for function in type.functions {
                switch function.name.text {
                case "invalidate" where type.function("terminate") == nil && takesNothing(function):
                    changes.rename(function.name, to: "terminate")
                    changes.addEffects(function)
                case "onBecomeAvailable", "onBecomeUnavailable":
                    changes.note(
                        function,
                        "Nothing calls \(function.name.text) any more: a capability is made again when its conditions change, "
                            + "so that initialize and terminate do what it did."
                    )
                default: break
                }
            }
            for call in type.node.all(FunctionCallExprSyntax.self) where type.function("terminate") == nil {
                guard let name = call.calledExpression.as(DeclReferenceExprSyntax.self),
                    name.baseName.text == "invalidate",
                    call.arguments.isEmpty
                else { continue }
                changes.rename(name, to: "terminate")
            }
        }
    }

    private static func takesNothing(_ function: FunctionDeclSyntax) -> Bool {
        function.signature.parameterClause.parameters.isEmpty && function.signature.returnClause == nil
    }
}

extension MigrationFacts {
    /// The capabilities that a client or a capability holds, by property; nil for other types.
    func heldCapabilities(of name: String) -> [String: String]? {
        if let client = clients[name] { return client.capabilities }
        guard capabilities.contains(name), let type = types[name] else { return nil }
        let pairs = type.properties.filter(\.isStored).compactMap { property -> (String, String)? in
            let names = property.typeNames.union([property.type].compactMap(\.self))
            return names.first { capabilities.contains($0) }.map { (property.name, $0) }
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// A method of a type or of what it inherits from.
    func method(_ name: String, of type: String) -> TypeFacts.Method? {
        types[type]?.methods.first { $0.name == name }
    }
}

extension Changes {
    /// Calls capabilities through their references: `try await network.call { try await $0.request(path) }`.
    fileprivate mutating func callReferences(
        in function: FunctionDeclSyntax,
        _ held: [String: String],
        _ project: MigrationFacts
    ) {
        guard let body = function.body else { return }
        for name in body.all(DeclReferenceExprSyntax.self) {
            guard let capability = held[name.baseName.text], let use = CapabilityUse(name) else { continue }
            if use.isAvailability { readAvailability(use) } else { call(use, capability, project) }
            makeThrowing(function, at: name)
        }
    }

    private mutating func call(_ use: CapabilityUse, _ capability: String, _ project: MigrationFacts) {
        let expression = Syntax(use.expression)
        if expression.contains(.dollar) {
            return note(
                expression,
                "The call of \(use.property) is in a closure with $0: write \(use.property).call { … } by hand."
            )
        }
        let method = project.method(use.member, of: capability)
        let `throws` = use.isTried || (method?.throws ?? false)
        let inner = "$0" + text(from: use.reference, to: use.expression)
        let call = "\(use.base).call { \(`throws` ? "try " : "")await \(inner) }"
        addEffectWords(use)
        replace(bytes: file.range(of: use.expression), with: call)
    }

    /// The text of an expression behind the reference at its begin.
    private func text(from reference: Syntax, to expression: some SyntaxProtocol) -> String {
        let range = file.range(of: reference).upperBound..<file.range(of: expression).upperBound
        return file.source(range)
    }

    /// `isAvailable` and `checkAvailability()` are members of the reference too.
    private mutating func readAvailability(_ use: CapabilityUse) {
        if use.member == "isAvailable" {
            if !use.isAwaited { insert("await ", before: use.expression) }
        } else {
            addEffectWords(use)
        }
    }

    private mutating func addEffectWords(_ use: CapabilityUse) {
        switch (use.isTried, use.isAwaited) {
        case (true, true): break
        case (false, false): insert("try await ", before: use.expression)
        case (true, false): insert("await ", before: use.expression)
        case (false, true): if let word = use.awaitWord { insert("try ", before: word) }
        }
    }

    private mutating func makeThrowing(_ function: FunctionDeclSyntax, at name: DeclReferenceExprSyntax) {
        let effects = function.signature.effectSpecifiers
        let isCaught = name.enclosing(DoStmtSyntax.self).map { !$0.catchClauses.isEmpty } ?? false
        guard effects?.throwsClause == nil, !isCaught else {
            if effects?.asyncSpecifier == nil { addEffects(function) }
            return
        }
        // A recipe for actions does the same for these.
        guard function.name.text != "dispatch" else { return }
        let isTolerant = name.enclosing(TryExprSyntax.self)?.questionOrExclamationMark != nil
        guard !isTolerant else { return addEffects(function) }
        addEffects(function, throws: true)
        note(function, "\(function.name.text) throws now, because a capability may be gone: let its callers try.")
    }
}

/// A call or a read of a member of a capability.
private struct CapabilityUse {
    let property: String
    /// The reference to the capability: `network` or `self.network`.
    let reference: Syntax
    /// The reference as it stands in the text.
    var base: String { reference.code }
    let member: String
    /// The member with its arguments, which runs on the capability.
    let expression: ExprSyntax
    let isTried: Bool
    let awaitWord: AwaitExprSyntax?
    var isAwaited: Bool { awaitWord != nil }

    /// Whether the reference has the member too.
    var isAvailability: Bool { ["isAvailable", "checkAvailability"].contains(member) }

    init?(_ name: DeclReferenceExprSyntax) {
        property = name.baseName.text
        var reference = Syntax(name)
        if let member = name.parent?.as(MemberAccessExprSyntax.self), member.declName.id == name.id {
            guard member.base?.as(DeclReferenceExprSyntax.self)?.baseName.text == "self" else { return nil }
            reference = Syntax(member)
        }
        guard let access = reference.parent?.as(MemberAccessExprSyntax.self), access.base?.id == reference.id,
            access.declName.baseName.text != "call"
        else { return nil }
        self.reference = reference
        member = access.declName.baseName.text
        if let call = access.parent?.as(FunctionCallExprSyntax.self), call.calledExpression.id == access.id {
            expression = ExprSyntax(call)
        } else {
            expression = ExprSyntax(access)
        }
        let words = Self.words(around: Syntax(expression))
        (isTried, awaitWord) = words
    }

    /// The `try` and `await` that cover an expression.
    private static func words(around node: Syntax) -> (isTried: Bool, awaitWord: AwaitExprSyntax?) {
        var (isTried, word): (Bool, AwaitExprSyntax?) = (false, nil)
        var current = node.parent
        while let node = current, !node.is(CodeBlockItemSyntax.self), !node.is(ClosureExprSyntax.self) {
            if node.is(TryExprSyntax.self) { isTried = true }
            if word == nil { word = node.as(AwaitExprSyntax.self) }
            current = node.parent
        }
        return (isTried, word)
    }
}

private enum DollarSign { case dollar }

extension Syntax {
    /// Whether a short name of a parameter stands in it.
    fileprivate func contains(_ sign: DollarSign) -> Bool {
        tokens(viewMode: .sourceAccurate).contains { $0.text.hasPrefix("$") }
    }
}
