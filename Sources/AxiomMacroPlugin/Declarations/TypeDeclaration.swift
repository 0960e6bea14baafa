// SPDX-License-Identifier: Apache-2.0

#if Macros
internal import SwiftSyntax
internal import SwiftSyntaxBuilder
internal import SwiftSyntaxMacros

/// A type to which a macro is attached, as far as the macro sees it: its declaration, without its extensions.
struct TypeDeclaration {
    let syntax: any DeclGroupSyntax
    let keyword: TokenSyntax
    let name: TokenSyntax
    let members: [DeclSyntax]

    init?(_ syntax: some DeclGroupSyntax) {
        guard let named = syntax.asProtocol((any NamedDeclSyntax).self) else { return nil }
        self.syntax = syntax
        keyword = syntax.introducer
        name = named.name
        members = syntax.memberBlock.members.declarations
    }

    var isEnum: Bool { keyword.tokenKind == .keyword(.enum) }
    var isStruct: Bool { keyword.tokenKind == .keyword(.struct) }
    var isClass: Bool { keyword.tokenKind == .keyword(.class) }
    var isActor: Bool { keyword.tokenKind == .keyword(.actor) }
    var text: String { name.plainText }

    /// What a member has to say to be as accessible as the type: `public `, `package ` or nothing.
    var access: String {
        for modifier in syntax.modifiers {
            switch modifier.name.tokenKind {
            case .keyword(.public), .keyword(.open): return "public "
            case .keyword(.package): return "package "
            default: continue
            }
        }
        return ""
    }

    func modifier(_ keyword: Keyword) -> DeclModifierSyntax? {
        syntax.modifiers.first { $0.name.tokenKind == .keyword(keyword) && $0.detail == nil }
    }

    func hasAttribute(_ name: String) -> Bool { syntax.attributes.named(name) != nil }

    /// The first token behind the attributes.
    var firstToken: TokenSyntax { syntax.modifiers.first?.name ?? keyword }

    /// The attributes `@available`, which an extension needs too.
    var availability: String {
        syntax.attributes.compactMap { $0.as(AttributeSyntax.self) }
            .filter { $0.baseName == "available" }
            .map { $0.trimmedDescription + "\n" }.joined()
    }

    var initializers: [InitializerDeclSyntax] { members.compactMap { $0.as(InitializerDeclSyntax.self) } }

    func function(_ name: String) -> FunctionDeclSyntax? {
        members.compactMap { $0.as(FunctionDeclSyntax.self) }.first { $0.name.plainText == name }
    }

    func functions(_ name: String) -> [FunctionDeclSyntax] {
        members.compactMap { $0.as(FunctionDeclSyntax.self) }.filter { $0.name.plainText == name }
    }

    /// The property of this name that belongs to the instance, or to the type.
    func property(_ name: String, isStatic: Bool = false) -> VariableDeclSyntax? {
        members.compactMap { $0.as(VariableDeclSyntax.self) }.first { declaration in
            declaration.isStatic == isStatic
                && declaration.bindings.contains {
                    $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText == name
                }
        }
    }

    /// Makes a struct or an actor of a class: neither can be `final` or `open`.
    func replacingKeyword(with word: String) -> Correction? {
        let title = "Replace '\(keyword.text)' with '\(word)'"
        let change = Correction.change(keyword, word)
        if let open = modifier(.open) {
            return Correction(title: title, changes: [Correction.change(open.name, "public"), change])
        }
        guard let final = modifier(.final)?.name, let next = final.nextToken(viewMode: .sourceAccurate) else {
            return Correction(title: title, changes: [change])
        }
        guard next.id != keyword.id else { return .replacing([final, keyword], with: word, title) }
        let removal = Correction.replacing([final, next], with: next.text, title)
        return Correction(title: title, changes: (removal?.changes ?? []) + [change])
    }

    /// Inserts a member at the end, with the indentation of the type.
    func appending(_ lines: [String], _ title: String) -> Correction {
        let brace = syntax.memberBlock.rightBrace
        let outer = keyword.indentationOfLine
        let text = lines.map { "\(outer)    \($0)\n" }.joined() + outer + "}"
        guard brace.leadingTrivia.contains(where: \.isNewline) else {
            return .replacing(brace, with: "\n" + text, title)
        }
        // The indentation of the brace is there already.
        return .replacing(brace, with: String(text.dropFirst(outer.count)), title)
    }

    /// The extension that adds conformances to protocols of Axiom; none if the type has them all.
    func conformance(to protocols: [TypeSyntax], of type: some TypeSyntaxProtocol) throws -> [ExtensionDeclSyntax] {
        guard !protocols.isEmpty else { return [] }
        let list = protocols.map(\.ofAxiom).joined(separator: ", ")
        return [try ExtensionDeclSyntax("\(raw: availability)extension \(type.trimmed): \(raw: list) {}")]
    }
}

extension MemberBlockItemListSyntax {
    /// The declarations, also those between `#if` and `#endif`.
    var declarations: [DeclSyntax] {
        flatMap { item -> [DeclSyntax] in
            guard let condition = item.decl.as(IfConfigDeclSyntax.self) else { return [item.decl] }
            return condition.clauses.flatMap { clause -> [DeclSyntax] in
                guard case .decls(let members) = clause.elements else { return [] }
                return members.declarations
            }
        }
    }
}

extension VariableDeclSyntax {
    var isStatic: Bool {
        modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
    }
}

extension FunctionDeclSyntax {
    var isStatic: Bool {
        modifiers.contains { [.keyword(.static), .keyword(.class)].contains($0.name.tokenKind) }
    }
}

extension MacroExpansionContext {
    /// Whether the declaration is in another type or in an extension, which may be less accessible.
    var isNested: Bool { !lexicalContext.isEmpty }
}

extension AttributeSyntax {
    /// The name without the module.
    var baseName: String { attributeName.baseName ?? "" }

    var argumentList: [LabeledExprSyntax] {
        guard case .argumentList(let list) = arguments else { return [] }
        return Array(list)
    }
}

extension AttributeListSyntax {
    func named(_ name: String) -> AttributeSyntax? {
        lazy.compactMap { $0.as(AttributeSyntax.self) }.first { $0.baseName == name }
    }
}

extension TypeSyntax {
    /// The name of a protocol with its module: the application may have a type of the same name.
    fileprivate var ofAxiom: String {
        self.is(IdentifierTypeSyntax.self) ? "Axiom.\(trimmedDescription)" : trimmedDescription
    }

    /// The name of a type without its module and without its generic arguments; nil for a type without a name.
    var baseName: String? {
        if let type = self.as(IdentifierTypeSyntax.self) { return type.name.plainText }
        return self.as(MemberTypeSyntax.self)?.name.plainText
    }

    /// The text of the only generic argument, as in `ClientOf<CartClient>`.
    var onlyArgument: String? {
        let clause =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        guard let clause, clause.arguments.count == 1 else { return nil }
        return clause.arguments.first?.argument.trimmedDescription
    }

    /// The type after `any`, without its parentheses.
    var existential: TypeSyntax? {
        if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
            return tuple.elements.first?.type.existential
        }
        guard let type = self.as(SomeOrAnyTypeSyntax.self), type.someOrAnySpecifier.tokenKind == .keyword(.any)
        else { return nil }
        return type.constraint
    }
}

extension TokenSyntax {
    /// The text without back-ticks.
    var plainText: String {
        text.count > 2 && text.first == "`" && text.last == "`" ? String(text.dropFirst().dropLast()) : text
    }

    /// The spaces at the beginning of the token's line.
    var indentationOfLine: String {
        var token: TokenSyntax? = self
        while let current = token {
            if current.leadingTrivia.contains(where: \.isNewline)
                || current.previousToken(viewMode: .sourceAccurate) == nil
            {
                let pieces = current.leadingTrivia.reversed().prefix { !$0.isNewline }
                return Trivia(pieces: pieces.reversed().filter(\.isSpaceOrTab)).description
            }
            token = current.previousToken(viewMode: .sourceAccurate)
        }
        return ""
    }
}
#endif
