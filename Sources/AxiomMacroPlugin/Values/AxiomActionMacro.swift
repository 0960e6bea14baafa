// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftDiagnostics
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// `@AxiomAction`: the conformance to `Action`, and the names and indices of the cases, which the default finds by
/// reflection.
struct AxiomActionMacro: MemberMacro, ExtensionMacro {
    static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let type = TypeDeclaration(declaration) else { return [] }
        let action = ActionDeclaration(type: type, isGeneric: context.isInGenericType || type.isGeneric)
        return type.isEnum ? action.members : []
    }

    static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard let declaration = TypeDeclaration(declaration) else { return [] }
        ActionDeclaration(type: declaration, isGeneric: false).misuses.report(in: context)
        guard declaration.isEnum, declaration.valueMisuses("An action").isEmpty else { return [] }
        return try declaration.conformance(to: protocols, of: type)
    }
}

private struct ActionDeclaration {
    let type: TypeDeclaration
    let isGeneric: Bool

    /// The cases that an action can be: no code makes an unavailable one, and an exhaustive `switch` does not need it.
    private var cases: [EnumCaseElementSyntax] { type.cases.filter { !$0.isUnavailable } }

    private var names: [String] { cases.map(\.name.plainText) }

    private var isConditional: Bool {
        type.syntax.memberBlock.members.contains { $0.decl.as(IfConfigDeclSyntax.self)?.hasCases ?? false }
    }

    // MARK: - Misuses

    var misuses: [Misuse] {
        guard type.isEnum else { return [kind] }
        let payloads = type.payloadMisuses(.actionReference) {
            "An action holds values only, and \($0) is a reference: it can change after the action was sent"
        }
        return type.valueMisuses("An action") + payloads + [mismatch, overload].compactMap(\.self)
            + (needsNames ? type.takenNames(["caseNames"], isStatic: true, modules: ["Swift"]) : [])
    }

    /// Two cases of one name, which only reflection tells apart.
    private var overload: Misuse? {
        var known: Set<String> = []
        let second = cases.first { !known.insert($0.name.plainText).inserted }
        return isConditional
            ? nil
            : second.map {
                Misuse(
                    .nameTaken,
                    at: $0.name,
                    "Two cases are named '\($0.name.plainText)': no pattern tells them apart, so reflection does",
                    severity: .warning
                )
            }
    }

    private var needsNames: Bool { type.property("caseNames", isStatic: true) == nil }

    private var kind: Misuse {
        guard type.isStruct else {
            return Misuse(.actionReference, at: type.keyword, "An action is a value: '\(type.text)' has to be an enum")
        }
        return Misuse(
            .actionNotEnum,
            at: type.keyword,
            "'@AxiomAction' writes the names of cases, which only an enum has; conform '\(type.text)' to 'Action' by hand"
        )
    }

    /// Names written by hand that differ from the cases.
    private var mismatch: Misuse? {
        guard !isConditional, let property = type.property("caseNames", isStatic: true),
            let array = property.bindings.first?.initializer?.value.as(ArrayExprSyntax.self),
            let texts = array.strings, texts != names,
            texts != type.cases.map(\.name.plainText)
        else { return nil }
        let right: ExprSyntax = "[\(raw: names.map(\.quoted).joined(separator: ", "))]"
        return Misuse(
            .caseNamesMismatch,
            at: array,
            "The names differ from the cases of '\(type.text)'",
            .replacing(array, with: right, "Replace them with the names of the cases")
        )
    }

    // MARK: - Members

    var members: [DeclSyntax] {
        guard overload == nil, type.takenNames(["caseNames"], isStatic: true, modules: ["Swift"]).isEmpty
        else { return [] }
        var members: [DeclSyntax] = []
        if needsNames { members.append(isConditional ? listed : caseNames) }
        if type.property("caseIndex") == nil { members.append(isConditional ? counted : caseIndex) }
        return members
    }

    private var caseNames: DeclSyntax {
        let list = "[\(names.map(\.quoted).joined(separator: ", "))]"
        guard !isGeneric else { return "\(raw: type.access)static var caseNames: [Swift.String] { \(raw: list) }" }
        // Without a type, a literal has the one that the application may have named `StringLiteralType`.
        return "\(raw: type.access)static let caseNames: [Swift.String] = \(raw: list)"
    }

    private var caseIndex: DeclSyntax {
        let lines = cases.enumerated().map { "\n    case .\($1.name.text): \($0)" }.joined()
        return """
            \(raw: type.access)var caseIndex: Swift.Int {
                switch self {\(raw: lines)
                }
            }
            """
    }

    /// The names if some cases exist under a condition only: Swift has no `#if` inside of an array.
    private var listed: DeclSyntax {
        let lines = type.syntax.memberBlock.members.lines { ["names.append(\($0.name.plainText.quoted))"] }
        let body = (["var names: [Swift.String] = []"] + lines + ["return names"]).map { "    \($0)\n" }.joined()
        return isGeneric
            ? "\(raw: type.access)static var caseNames: [Swift.String] {\n\(raw: body)}"
            : "\(raw: type.access)static let caseNames: [Swift.String] = {\n\(raw: body)}()"
    }

    /// The index if some cases exist under a condition only: it counts the cases that exist.
    private var counted: DeclSyntax {
        let lines = type.syntax.memberBlock.members.lines {
            ["if case .\($0.name.text) = self { return index }", "index += 1"]
        }
        let body = (["var index = 0"] + lines + ["return index"]).map { "    \($0)\n" }.joined()
        return "\(raw: type.access)var caseIndex: Swift.Int {\n\(raw: body)}"
    }
}

extension MemberBlockItemListSyntax {
    /// Lines for each case, with the conditions around them.
    fileprivate func lines(_ lines: (EnumCaseElementSyntax) -> [String]) -> [String] {
        flatMap { item -> [String] in
            if let cases = item.decl.as(EnumCaseDeclSyntax.self) {
                return cases.elements.filter { !$0.isUnavailable }.flatMap(lines)
            }
            guard let condition = item.decl.as(IfConfigDeclSyntax.self), condition.hasCases else { return [] }
            let clauses = condition.clauses.flatMap { clause -> [String] in
                let head = [clause.poundKeyword.text, clause.condition?.trimmedDescription].compactMap(\.self)
                guard case .decls(let members) = clause.elements else { return [head.joined(separator: " ")] }
                return [head.joined(separator: " ")] + members.lines(lines)
            }
            return clauses + ["#endif"]
        }
    }
}

extension IfConfigDeclSyntax {
    fileprivate var hasCases: Bool {
        clauses.contains { clause in
            guard case .decls(let members) = clause.elements else { return false }
            return members.declarations.contains { $0.is(EnumCaseDeclSyntax.self) }
        }
    }
}

extension TypeDeclaration {
    fileprivate var isGeneric: Bool { syntax.as(EnumDeclSyntax.self)?.genericParameterClause != nil }
}

extension MacroExpansionContext {
    /// Whether a type around the declaration has generic parameters: such a type has no stored static properties.
    fileprivate var isInGenericType: Bool {
        lexicalContext.contains { $0.asProtocol((any WithGenericParametersSyntax).self)?.genericParameterClause != nil }
    }
}

extension ArrayExprSyntax {
    /// The texts of the elements; nil if one is not a literal.
    fileprivate var strings: [String]? {
        let texts = elements.map(\.expression.staticText)
        return texts.contains(nil) ? nil : texts.compactMap(\.self)
    }
}

extension ExprSyntax {
    /// The text of a string literal without interpolation and without escapes.
    var staticText: String? {
        guard let segments = self.as(StringLiteralExprSyntax.self)?.segments, segments.count == 1,
            case .stringSegment(let segment) = segments.first, !segment.content.text.contains("\\")
        else { return nil }
        return segment.content.text
    }
}

extension String {
    var quoted: String { debugDescription }
}
#endif
