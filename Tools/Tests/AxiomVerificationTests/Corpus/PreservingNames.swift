// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import SwiftSyntax

extension PreservingMutation {
    /// Other names for the same things.
    static let names = [
        PreservingMutation("a type with another name", renameType),
        PreservingMutation("a private member with another name", renameMember),
        PreservingMutation("a variable with another name", renameVariable),
        PreservingMutation("an alias of a type in the same file") { alias($0, &$1, inNewFile: false) },
        PreservingMutation("an alias of a type in another file") { alias($0, &$1, inNewFile: true) },
        PreservingMutation("an alias in an expression", aliasInExpression),
        PreservingMutation("a protocol with its module", qualify),
        PreservingMutation("Optional and Array instead of their signs", unsugar),
    ]

    /// Names say nothing about what a type is, so the new one has words of other roles.
    @Sendable private static func renameType(_ demo: ParsedProgram, _ generator: inout SplitMix64) -> [String: String?]?
    {
        guard let old = demo.typeNames.sorted().randomElement(using: &generator) else { return nil }
        let words = ["ClientContext", "StateView", "Capability", "Thing", "SharedStore", "OrchestratorAction"]
        let new = "\(words.randomElement(using: &generator) ?? "")\(demo.number(&generator))"
        var edits = Edits(demo.program)
        for (path, tree) in demo.trees {
            for token in tree.tokens(viewMode: .sourceAccurate) where token.identifier?.name == old {
                // `AxiomNavigation.Screen` is a type of another module.
                if token.previousToken(viewMode: .sourceAccurate)?.tokenKind == .period { return nil }
                edits.replace(token.bytes, with: new, in: path)
            }
        }
        return edits.texts
    }

    @Sendable private static func renameMember(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let variables = tree.all(VariableDeclSyntax.self).filter {
            $0.modifiers.contains { $0.name.text == "private" && $0.detail == nil }
        }
        .flatMap { $0.bindings.compactMap { $0.pattern.as(IdentifierPatternSyntax.self)?.identifier } }
        let functions = tree.all(FunctionDeclSyntax.self).filter { $0.modifiers.contains { $0.name.text == "private" } }
            .map(\.name)
        guard let token = (variables + functions).randomElement(using: &generator) else { return nil }
        return rename(token, in: Syntax(tree), path, demo, &generator)
    }

    @Sendable private static func renameVariable(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let functions = tree.all(FunctionDeclSyntax.self).filter { !$0.isInside(FunctionDeclSyntax.self) }
        guard let function = functions.randomElement(using: &generator), let body = function.body else { return nil }
        let patterns = body.all(IdentifierPatternSyntax.self).map(\.identifier)
        guard let token = patterns.randomElement(using: &generator) else { return nil }
        return rename(token, in: Syntax(function), path, demo, &generator)
    }

    /// Renames what a token declares, if each other token with its name is certain to mean it.
    private static func rename(
        _ declared: TokenSyntax,
        in scope: Syntax,
        _ path: String,
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64
    ) -> [String: String?]? {
        let new = "\(declared.text)Client\(demo.number(&generator))"
        var edits = Edits(demo.program)
        for token in scope.tokens(viewMode: .sourceAccurate) where token.identifier?.name == declared.identifier?.name {
            guard token.tokenKind != .identifier("_") else { return nil }
            if token.position != declared.position {
                guard let reference = token.parent?.as(DeclReferenceExprSyntax.self) else { return nil }
                let access = reference.parent?.as(MemberAccessExprSyntax.self)
                let isMember = access?.declName.id == reference.id
                let isOfSelf = access?.base?.trimmedDescription == "self"
                guard !isMember || isOfSelf, !reference.isInside(ClosureCaptureSyntax.self) else { return nil }
            }
            edits.replace(token.bytes, with: new, in: path)
        }
        return edits.texts
    }
}

// MARK: - Aliases

extension PreservingMutation {
    private static let knownNames: Set = [
        "String", "Int", "Bool", "Client", "StatelessClient", "Component", "Capability", "CapabilityRef", "Context",
        "Presentation", "OwnedState", "Action", "StateStore", "StateStream", "Orchestrator", "ClientScope",
        "ContextScope", "CapabilityScope", "Hashable", "Sendable", "Codable", "PersistentStore", "DurableStore",
    ]

    private static func alias(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64,
        inNewFile: Bool
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let names = demo.typeNames.union(knownNames)
        let types =
            tree.all(IdentifierTypeSyntax.self).map(TypeSyntax.init)
            + tree.all(SomeOrAnyTypeSyntax.self).filter { $0.someOrAnySpecifier.text == "any" }.map(TypeSyntax.init)
            + tree.all(OptionalTypeSyntax.self).map(TypeSyntax.init)
            + tree.all(ArrayTypeSyntax.self).map(TypeSyntax.init)
        let candidates = types.filter { type in
            let words = type.tokens(viewMode: .sourceAccurate).compactMap { $0.identifier?.name }
            // A generic type without its arguments, and a part of `any P`, `A.B` or an attribute, cannot have an alias here.
            let isPart =
                type.parent?.is(MemberTypeSyntax.self) == true || type.parent?.is(AttributeSyntax.self) == true
                || type.parent?.is(SomeOrAnyTypeSyntax.self) == true
            return words.allSatisfy(names.contains) && !isPart && !type.isInside(TypeAliasDeclSyntax.self)
                && (type.parent?.is(InheritedTypeSyntax.self) == false || !type.isInside(ProtocolDeclSyntax.self))
        }
        guard let type = candidates.randomElement(using: &generator) else { return nil }
        let name = "Alias\(demo.number(&generator))"
        let text = "typealias \(name) = \(type.trimmedDescription)\n"
        var edits = Edits(demo.program)
        edits.replace(type.bytes, with: name, in: path)
        if inNewFile {
            var texts = edits.texts
            texts[demo.newPath(beside: path, &generator)] = demo.imports(of: path) + text
            return texts
        }
        edits.append("\n" + text, to: path)
        return edits.texts
    }

    @Sendable private static func aliasInExpression(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let uses = tree.all(DeclReferenceExprSyntax.self).filter { demo.typeNames.contains($0.baseName.text) }
        guard let use = uses.randomElement(using: &generator) else { return nil }
        let name = "Alias\(demo.number(&generator))"
        var edits = Edits(demo.program)
        edits.replace(use.bytes, with: name, in: path)
        edits.append("\ntypealias \(name) = \(use.baseName.text)\n", to: path)
        return edits.texts
    }

    @Sendable private static func qualify(_ demo: ParsedProgram, _ generator: inout SplitMix64) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let modules = [
            "Client": "Axiom", "StatelessClient": "Axiom", "Component": "Axiom", "Capability": "Axiom",
            "CapabilityRef": "Axiom", "Context": "Axiom", "Presentation": "Axiom", "OwnedState": "Axiom",
            "Action": "Axiom", "StateStore": "Axiom", "PersistentStore": "AxiomStorage", "ContextScope": "Axiom",
            "Data": "Foundation", "String": "Swift", "Int": "Swift", "Sendable": "Swift", "ClientScope": "Axiom",
        ]
        let types = tree.all(IdentifierTypeSyntax.self).filter {
            modules[$0.name.text] != nil && $0.parent?.is(MemberTypeSyntax.self) == false
        }
        guard let type = types.randomElement(using: &generator), let module = modules[type.name.text] else {
            return nil
        }
        var edits = Edits(demo.program)
        edits.insert("\(module).", at: type.bytes.lowerBound, in: path)
        return edits.texts
    }

    @Sendable private static func unsugar(_ demo: ParsedProgram, _ generator: inout SplitMix64) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        // A variable of type `T?` begins as nil, one of type `Optional<T>` does not.
        let optional = tree.all(OptionalTypeSyntax.self).filter {
            $0.parent?.is(TypeAnnotationSyntax.self) == false
        }.map {
            ($0.bytes, "Optional<\($0.wrappedType.trimmedDescription)>")
        }
        let arrays = tree.all(ArrayTypeSyntax.self).map { ($0.bytes, "Array<\($0.element.trimmedDescription)>") }
        guard let (bytes, text) = (optional + arrays).randomElement(using: &generator) else { return nil }
        var edits = Edits(demo.program)
        edits.replace(bytes, with: text, in: path)
        return edits.texts
    }
}
