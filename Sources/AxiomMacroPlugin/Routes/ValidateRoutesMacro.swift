// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@ValidateRoutes`: checks what the declaration of the routes shows, and writes `validateRoutes()` for the rest.
///
/// It is an extension and not a member, because the compiler expands a member of an enum only when code uses it. Otherwise it does
/// not report the diagnostics.
struct ValidateRoutesMacro: ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let routes = TypeDeclaration(declaration) else { return [] }
        let misuses = RouteDeclaration(type: routes).misuses
        misuses.report(in: context)
        guard routes.isEnum, routes.functions("validateRoutes").isEmpty,
            !misuses.contains(where: { $0.id == .nameTaken })
        else { return [] }
        return [
            try ExtensionDeclSyntax(
                """
                \(raw: routes.availability)extension \(type.trimmed) {
                    \(raw: routes.access)static func validateRoutes() throws {
                        try AxiomNavigation.RouteValidator.validate(Self.self)
                    }
                }
                """
            )
        ]
    }
}

private struct RouteDeclaration {
    let type: TypeDeclaration

    /// The routes that exist: code cannot make a sample of an unavailable one.
    private var cases: [EnumCaseElementSyntax] { type.cases.filter { !$0.isUnavailable } }

    /// Whether the function is written by hand.
    var isWritten: Bool { !type.functions("validateRoutes").isEmpty }

    var misuses: [Misuse] {
        guard type.isEnum else {
            let text = "'@ValidateRoutes' checks the cases of an enum"
            return [Misuse(.routeNotEnum, at: type.keyword, text)]
        }
        return payloads + identifiers + metadata + samples
            + type.takenNames(isWritten ? [] : ["validateRoutes"], isStatic: true, modules: ["AxiomNavigation"])
    }

    private var payloads: [Misuse] {
        type.payloadMisuses(.routeParameter) {
            "The parameters of a route are values that can be sent, and \($0) is a reference"
        }
    }

    // MARK: - Identifiers

    private var identifiers: [Misuse] {
        guard let property = type.property("identifier") else { return [missingIdentifier] }
        guard let routes = property.switchCases else { return [] }
        var misuses = routes.defaultMisuse(.routeIdentifier, "each route has an identifier of its own")
        var first: [String: (route: String, literal: ExprSyntax)] = [:]
        for (labels, value) in routes.map({ ($0.caseLabels, $0.value) }) {
            guard let labels, let value, let text = value.staticText else { continue }
            if !text.isIdentifier { misuses.append(Self.invalid(value, text)) }
            for label in labels {
                if let known = first[text] {
                    misuses.append(
                        Self.duplicate(text, label, known, at: labels.count > 1 ? Syntax(label.node) : Syntax(value))
                    )
                } else {
                    first[text] = (label.name, value)
                }
            }
        }
        return misuses
    }

    private static func invalid(_ value: ExprSyntax, _ text: String) -> Misuse {
        let rule = "[a-zA-Z][a-zA-Z0-9_]* of at most 64 characters"
        return Misuse(
            .routeIdentifier,
            at: value,
            "The identifier \(text.quoted) is a label of metrics, and not \(rule)"
        )
    }

    private static func duplicate(
        _ text: String,
        _ label: CaseLabel,
        _ known: (route: String, literal: ExprSyntax),
        at token: Syntax
    ) -> Misuse {
        var misuse = Misuse(
            .routeDuplicate,
            at: token,
            "The routes '\(known.route)' and '\(label.name)' have the same identifier, \(text.quoted)"
        )
        let id = MessageID(domain: "AxiomMacros", id: MisuseID.routeDuplicate.rawValue)
        let message = Message(text: "'\(known.route)' has it here", id: id, severity: .note)
        misuse.notes = [Note(node: Syntax(known.literal), message: message)]
        return misuse
    }

    private var missingIdentifier: Misuse {
        let lines = cases.map { "    case .\($0.name.text): \($0.name.plainText.quoted)" }
        let member = ["\(type.access)var identifier: String {", "    switch self {"] + lines + ["    }", "}"]
        return Misuse(
            .routeIdentifier,
            at: type.name,
            "'\(type.text)' has no 'identifier'; a macro does not see extensions, so write it in the enum itself",
            cases.isEmpty ? nil : type.appending(member, "Add 'identifier' with the names of the cases")
        )
    }

    // MARK: - Metadata and samples

    /// A default hides that a new route has no metadata of its own.
    private var metadata: [Misuse] {
        guard let routes = type.property("metadata")?.switchCases,
            let fallback = routes.first(where: { $0.caseLabels == nil })
        else { return [] }
        let named = Set(routes.compactMap(\.caseLabels).joined().map(\.name))
        let rest = cases.filter { !named.contains($0.name.plainText) }.map { ".\($0.name.text)" }
        guard case .default(let label) = fallback.label else { return [] }
        return [
            Misuse(
                .routeMetadata,
                at: label.defaultKeyword,
                "Name the routes: a default hides that a new route has no metadata of its own",
                rest.isEmpty
                    ? nil
                    : .replacing(
                        label.defaultKeyword,
                        with: "case \(rest.joined(separator: ", "))",
                        "Replace 'default' with the other routes"
                    )
            )
        ]
    }

    private var samples: [Misuse] {
        guard let property = type.property("samples", isStatic: true), let array = property.arrayLiteral else {
            return []
        }
        let known = Set(array.elements.compactMap { CaseLabel($0.expression)?.name })
        // An element that is not the name of a case: nothing is known.
        guard known.count == array.elements.count || array.elements.allSatisfy({ CaseLabel($0.expression) != nil })
        else { return [] }
        let missing = cases.filter { !known.contains($0.name.plainText) }
        guard !missing.isEmpty else { return [] }
        let names = missing.map { "'\($0.name.plainText)'" }.joined(separator: ", ")
        let separator = array.elements.isEmpty || array.elements.last?.trailingComma != nil ? "" : ", "
        let added = separator + missing.map(\.sample).joined(separator: ", ")
        return [
            Misuse(
                .routeSample,
                at: array,
                "No sample of \(names): the application is checked at its start with one sample of each route",
                .inserting(added, before: array.rightSquare, "Add the samples")
            )
        ]
    }
}

/// The name of a case in a pattern or an expression, such as `.product(let id)`.
private struct CaseLabel {
    let name: String
    let node: ExprSyntax

    init?(_ expression: ExprSyntax) {
        let callee = expression.as(FunctionCallExprSyntax.self)?.calledExpression ?? expression
        guard let access = callee.as(MemberAccessExprSyntax.self) else { return nil }
        (name, node) = (access.declName.baseName.plainText, expression)
    }

    init?(_ pattern: PatternSyntax) {
        if let binding = pattern.as(ValueBindingPatternSyntax.self) {
            self.init(binding.pattern)
        } else if let expression = pattern.as(ExpressionPatternSyntax.self)?.expression {
            self.init(expression)
        } else {
            return nil
        }
    }
}

extension SwitchCaseSyntax {
    /// The routes of the case; nil for `default`.
    fileprivate var caseLabels: [CaseLabel]? {
        guard case .case(let label) = label else { return nil }
        return label.caseItems.compactMap { CaseLabel($0.pattern) }
    }

    /// The value of the case, if it is one expression.
    fileprivate var value: ExprSyntax? {
        guard statements.count == 1, let item = statements.first?.item else { return nil }
        if case .expr(let expression) = item { return expression }
        guard case .stmt(let statement) = item else { return nil }
        return statement.as(ReturnStmtSyntax.self)?.expression
    }
}

extension [SwitchCaseSyntax] {
    fileprivate func defaultMisuse(_ id: MisuseID, _ reason: String) -> [Misuse] {
        compactMap { element in
            guard case .default(let label) = element.label else { return nil }
            return Misuse(id, at: label.defaultKeyword, "Name the routes: \(reason)")
        }
    }
}

extension VariableDeclSyntax {
    /// The cases of a computed property that is one `switch`.
    fileprivate var switchCases: [SwitchCaseSyntax]? {
        guard let item = onlyItem else { return nil }
        let expression: ExprSyntax? =
            switch item {
            case .expr(let expression): expression
            case .stmt(let statement):
                statement.as(ReturnStmtSyntax.self)?.expression ?? statement.as(ExpressionStmtSyntax.self)?.expression
            case .decl: nil
            }
        return expression?.as(SwitchExprSyntax.self)?.cases.compactMap { $0.as(SwitchCaseSyntax.self) }
    }

    /// The array that the property has as its value, or that it returns.
    fileprivate var arrayLiteral: ArrayExprSyntax? {
        if let value = bindings.first?.initializer?.value { return value.as(ArrayExprSyntax.self) }
        guard case .expr(let expression) = onlyItem else { return nil }
        return expression.as(ArrayExprSyntax.self)
    }

    private var onlyItem: CodeBlockItemSyntax.Item? {
        switch bindings.first?.accessorBlock?.accessors {
        case .getter(let items): items.count == 1 ? items.first?.item : nil
        case .accessors(let accessors):
            accessors.count == 1 && accessors.first?.body?.statements.count == 1
                ? accessors.first?.body?.statements.first?.item : nil
        case nil: nil
        }
    }
}

extension EnumCaseElementSyntax {
    /// A sample for a person to complete: `.product(<#Int#>)`.
    fileprivate var sample: String {
        guard let parameterClause else { return ".\(name.text)" }
        let values = parameterClause.parameters.map { parameter in
            let label = parameter.firstName.map { $0.tokenKind == .wildcard ? "" : "\($0.text): " } ?? ""
            return "\(label)<#\(parameter.type.trimmedDescription)#>"
        }
        return ".\(name.text)(\(values.joined(separator: ", ")))"
    }
}

extension String {
    /// Whether the text may be the identifier of a route.
    fileprivate var isIdentifier: Bool {
        guard let first = utf8.first, utf8.count <= 64, (0x61...0x7A).contains(first | 0x20) else { return false }
        return utf8.allSatisfy { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || $0 == 0x5F }
    }
}
#endif
