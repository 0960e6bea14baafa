// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder

/// The kinds of components that macros complete.
enum ComponentRole: String {
    case capability, client, context

    /// The name in messages, with its article.
    var noun: String { "A \(rawValue)" }

    var scope: String {
        switch self {
        case .capability: "CapabilityScope"
        case .client: "ClientScope"
        case .context: "ContextScope"
        }
    }
}

/// A line of the initializer that sets a property from the scope.
struct DependencyResolution {
    let property: String
    let expression: String
    var canThrow = true

    /// The parameter is named `scope`.
    var assignment: String { "\(property == "scope" ? "self." : "")\(property) = \(expression)" }
}

/// What the three macros of components have in common: the identity, the initializer and their checks.
struct ComponentDeclaration {
    let type: TypeDeclaration
    let role: ComponentRole

    /// The property that stores the identity, unless it is written.
    var identity: [DeclSyntax] {
        guard type.property("identity") == nil else { return [] }
        return ["\(raw: type.access)nonisolated let identity: Axiom.ComponentIdentity"]
    }

    /// The initializer, unless one is written. It throws if it resolves something, as one would write it.
    ///
    /// - Parameter isValid: Whether it can set all properties. If it cannot, it says nothing more: there was a diagnostic.
    func initializer(_ resolutions: [DependencyResolution], isValid: Bool) -> [DeclSyntax] {
        guard type.initializers.isEmpty else { return [] }
        let throwing = resolutions.contains(where: \.canThrow) ? " throws" : ""
        let assignments = ["identity = scope.identity"] + resolutions.map(\.assignment)
        let lines = (isValid ? assignments : ["Swift.fatalError()"]).map { "    \($0)\n" }.joined()
        return [
            "\(raw: type.access)init(_ scope: borrowing Axiom.\(raw: role.scope))\(raw: throwing) {\n\(raw: lines)}"
        ]
    }

    /// Properties that the written initializer cannot set.
    ///
    /// - Parameter known: The names of the properties that it sets.
    func uninitialized(besides known: Set<String>) -> [Misuse] {
        guard type.initializers.isEmpty else { return [] }
        return type.storedProperties.compactMap { property in
            if property.isConditional, known.contains(property.text) { return missingValue(property, isMarked: true) }
            guard property.needsValue, property.text != "identity", !known.contains(property.text) else { return nil }
            return missingValue(property, isMarked: false)
        }
    }

    private func missingValue(_ property: StoredProperty, isMarked: Bool) -> Misuse {
        let text =
            isMarked
            ? "'\(property.text)' exists under a condition only: write the initializer by hand"
            : "Nothing gives '\(property.text)' a value: give it a default, mark it, or write the initializer by hand"
        let marker: Marker? =
            switch property.type?.baseName {
            case "CapabilityRef" where role != .context: .capability
            case "ClientOf" where role == .context: .client
            default: nil
            }
        return Misuse(
            .propertyNotInitialized,
            at: property.name,
            text,
            isMarked
                ? nil
                : marker.map { .inserting("@\($0.rawValue) ", before: property.firstToken, "Add '@\($0.rawValue)'") }
        )
    }

    // MARK: - Written initializers

    var initializerMisuses: [Misuse] {
        type.initializers.flatMap { [identityMisuse($0), accessMisuse($0)].compactMap(\.self) }
    }

    /// An initializer that takes the scope and does not store its identity.
    private func identityMisuse(_ initializer: InitializerDeclSyntax) -> Misuse? {
        guard let scope = initializer.parameter(ofType: role.scope), let body = initializer.body else { return nil }
        let search = IdentitySearch(scope: scope)
        search.walk(body)
        guard !search.delegates, !search.isStored else { return nil }
        let right = "\(scope).identity"
        if let wrong = search.wrongValue {
            return Misuse(
                .identityNotStored,
                at: wrong,
                "The identity is not that of the scope, so the orchestrator refuses the component",
                .replacing(wrong, with: ExprSyntax("\(raw: right)"), "Replace it with '\(right)'")
            )
        }
        return Misuse(
            .identityNotStored,
            at: initializer.initKeyword,
            "The initializer does not store '\(right)', so the orchestrator refuses the component",
            body.prepending("identity = \(right)", "Insert 'identity = \(right)'")
        )
    }

    private func accessMisuse(_ initializer: InitializerDeclSyntax) -> Misuse? {
        guard initializer.parameter(ofType: role.scope) != nil,
            let modifier = initializer.modifiers.first(where: { $0.name.tokenKind == .keyword(.private) })
        else { return nil }
        return Misuse(
            .initializerPrivate,
            at: modifier,
            "The factory that is registered cannot call a private initializer",
            severity: .warning,
            .removing(modifier, "Remove 'private'")
        )
    }
}

/// Searches for `identity = scope.identity` in an initializer, also as part of a tuple.
private final class IdentitySearch: SyntaxVisitor {
    private let scope: String
    private(set) var isStored = false
    private(set) var delegates = false
    private(set) var wrongValue: ExprSyntax?
    private var locals: Set<String> = []

    init(scope: String) {
        self.scope = scope
        super.init(viewMode: .sourceAccurate)
    }

    override func visit(_ node: SequenceExprSyntax) -> SyntaxVisitorContinueKind {
        let parts = Array(node.elements)
        guard parts.count >= 3, parts[1].is(AssignmentExprSyntax.self) else { return .visitChildren }
        let (targets, values) = (parts[0].parts, parts.count == 3 ? parts[2].parts : [])
        guard let index = targets.firstIndex(where: \.isIdentity) else { return .visitChildren }
        if targets.count == values.count {
            let isRight = values[index].trimmedDescription == "\(scope).identity"
            // What a local constant holds is not visible here: the orchestrator checks it.
            let isLocal = locals.contains(values[index].trimmedDescription)
            if isRight || isLocal { isStored = true } else { wrongValue = values[index] }
        } else {
            // A value that is not a tuple, or an expression with operators: the orchestrator checks it.
            isStored = true
        }
        return .visitChildren
    }

    override func visit(_ node: IdentifierPatternSyntax) -> SyntaxVisitorContinueKind {
        locals.insert(node.identifier.text)
        return .visitChildren
    }

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if node.calledExpression.trimmedDescription == "self.init" { delegates = true }
        return .visitChildren
    }
}

extension ExprSyntax {
    /// The elements of a tuple, or the expression itself.
    fileprivate var parts: [ExprSyntax] {
        guard let tuple = self.as(TupleExprSyntax.self) else { return [self] }
        return tuple.elements.map(\.expression)
    }

    fileprivate var isIdentity: Bool { ["identity", "self.identity"].contains(trimmedDescription) }
}

extension InitializerDeclSyntax {
    /// The name of the parameter of this type.
    fileprivate func parameter(ofType name: String) -> String? {
        let parameter = signature.parameterClause.parameters.first { parameter in
            let type = parameter.type.as(AttributedTypeSyntax.self)?.baseType ?? parameter.type
            return type.baseName == name
        }
        return (parameter?.secondName ?? parameter?.firstName)?.text
    }
}

extension CodeBlockSyntax {
    /// Inserts a statement at the beginning, on a line of its own if the block has several.
    func prepending(_ statement: String, _ title: String) -> Correction {
        guard let first = statements.first?.firstToken(viewMode: .sourceAccurate) else {
            return .replacing(leftBrace, with: "{ \(statement) ", title)
        }
        guard first.leadingTrivia.contains(where: \.isNewline) else {
            return .inserting("\(statement); ", before: first, title)
        }
        return .inserting("\(statement)\n\(first.indentationOfLine)", before: first, title)
    }
}

extension StoredProperty {
    /// The first token behind the attributes.
    fileprivate var firstToken: TokenSyntax { declaration.modifiers.first?.name ?? declaration.bindingSpecifier }
}
#endif
