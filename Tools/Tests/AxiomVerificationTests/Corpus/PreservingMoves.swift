// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import SwiftSyntax

extension PreservingMutation {
    /// The same declarations at other places.
    static let moves = [
        PreservingMutation("members in another order", reorderMembers),
        PreservingMutation("declarations in another order", reorderDeclarations),
        PreservingMutation("a function in an extension of the same file") { moveFunction($0, &$1, toNewFile: false) },
        PreservingMutation("a function in an extension of another file") { moveFunction($0, &$1, toNewFile: true) },
        PreservingMutation("a conformance in an extension", moveConformance),
        PreservingMutation("a declaration in a new file") { moveDeclaration($0, &$1, to: nil) },
        PreservingMutation("a declaration in another file") { demo, generator in
            moveDeclaration(demo, &generator, to: demo.program.axiomPaths.randomElement(using: &generator))
        },
        PreservingMutation("a file with another name") { demo, generator in
            let (path, _) = demo.file(&generator)
            guard !path.hasSuffix("main.swift"), let text = demo.program.texts[path] else { return nil }
            return [path: nil, demo.newPath(beside: path, &generator): text]
        },
        PreservingMutation("imports in another order") { demo, generator in
            let (path, tree) = demo.file(&generator)
            let imports = tree.statements.compactMap { $0.item.as(ImportDeclSyntax.self) }
            return permuted(imports.map(Syntax.init), path, demo, &generator) { $0.bytes }
        },
        PreservingMutation("inherited types in another order") { demo, generator in
            let (path, tree) = demo.file(&generator)
            let clauses = tree.all(InheritanceClauseSyntax.self).filter { clause in
                // The superclass comes first.
                clause.inheritedTypes.count > 1 && clause.parent?.is(ClassDeclSyntax.self) == false
                    && clause.parent?.is(EnumDeclSyntax.self) == false
            }
            guard let clause = clauses.randomElement(using: &generator) else { return nil }
            return permuted(clause.inheritedTypes.map { Syntax($0.type) }, path, demo, &generator) { $0.bytes }
        },
    ]

    /// Puts nodes at each other's places.
    private static func permuted(
        _ nodes: [Syntax],
        _ path: String,
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64,
        _ bytes: (Syntax) -> Range<Int>
    ) -> [String: String?]? {
        guard nodes.count > 1, let text = demo.program.texts[path].map({ Array($0.utf8) }) else { return nil }
        let order = nodes.shuffled(using: &generator)
        guard order != nodes else { return nil }
        var edits = Edits(demo.program)
        for (place, node) in zip(nodes, order) {
            edits.replace(bytes(place), with: String(decoding: text[bytes(node)], as: UTF8.self), in: path)
        }
        return edits.texts
    }

    /// The order of stored properties decides about the initializer of a struct, that of cases about their indices.
    @Sendable private static func reorderMembers(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let blocks = tree.all(MemberBlockSyntax.self).filter { $0.all(IfConfigDeclSyntax.self).isEmpty }
        guard let block = blocks.randomElement(using: &generator) else { return nil }
        let isActorOrClass =
            block.parent?.is(ActorDeclSyntax.self) == true || block.parent?.is(ClassDeclSyntax.self) == true
        let members = Array(block.members).filter { member in
            if member.decl.is(EnumCaseDeclSyntax.self) { return false }
            guard let variable = member.decl.as(VariableDeclSyntax.self) else { return true }
            return isActorOrClass || variable.bindings.contains { $0.accessorBlock != nil }
        }
        return permuted(members.map(Syntax.init), path, demo, &generator) { $0.bytesWithTrivia }
    }

    @Sendable private static func reorderDeclarations(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let items = Array(tree.statements).filter { isNominal($0) }
        return permuted(items.map(Syntax.init), path, demo, &generator) { $0.bytesWithTrivia }
    }

    private static func isNominal(_ item: CodeBlockItemSyntax) -> Bool {
        item.item.is(StructDeclSyntax.self) || item.item.is(EnumDeclSyntax.self) || item.item.is(ActorDeclSyntax.self)
            || item.item.is(ClassDeclSyntax.self) || item.item.is(ExtensionDeclSyntax.self)
            || item.item.is(ProtocolDeclSyntax.self)
    }

    private static func moveFunction(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64,
        toNewFile: Bool
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let functions = tree.all(FunctionDeclSyntax.self).filter { function in
            guard let owner = owner(of: function) else { return false }
            return demo.typeNames.contains(owner) && !function.modifiers.contains { $0.name.text == "override" }
        }
        guard let function = functions.randomElement(using: &generator), let owner = owner(of: function) else {
            return nil
        }
        var edits = Edits(demo.program)
        let text = Array((demo.program.texts[path] ?? "").utf8)
        let moved = String(decoding: text[function.bytesWithTrivia], as: UTF8.self)
        edits.replace(function.bytesWithTrivia, with: "", in: path)
        guard toNewFile else {
            edits.append("\nextension \(owner) {\(moved)\n}\n", to: path)
            return edits.texts
        }
        guard let rest = edits.texts[path] else { return nil }
        let part = demo.imports(of: path) + "\nextension \(owner) {\(moved.withoutPrivate)\n}\n"
        return [path: rest.withoutPrivate, demo.newPath(beside: path, &generator): part]
    }

    /// The top-level type whose declaration contains a function; none for an extension and a protocol.
    private static func owner(of function: FunctionDeclSyntax) -> String? {
        guard let declaration = function.parent?.parent?.parent?.parent,
            declaration.parent?.parent?.is(CodeBlockItemSyntax.self) == true
                || declaration.parent?.is(CodeBlockItemSyntax.self) == true
        else { return nil }
        return declaration.as(ActorDeclSyntax.self)?.name.text ?? declaration.as(ClassDeclSyntax.self)?.name.text
            ?? declaration.as(StructDeclSyntax.self)?.name.text
    }

    /// Only for types that are isolated by an attribute of their own, or not at all.
    @Sendable private static func moveConformance(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let clauses = tree.all(InheritanceClauseSyntax.self).filter { clause in
            let isIsolated =
                clause.parent?.as(ClassDeclSyntax.self)?.attributes.description.contains("@MainActor") ?? true
            let names = clause.inheritedTypes.map(\.type.trimmedDescription)
            return isIsolated && clause.parent?.is(ExtensionDeclSyntax.self) == false
                && clause.parent?.is(ProtocolDeclSyntax.self) == false && !names.contains("Presentation")
                // A raw type and a superclass belong to the declaration.
                && !names.contains("String") && !names.contains("Int")
        }
        guard let clause = clauses.randomElement(using: &generator), let owner = clause.parent,
            let name = owner.as(ActorDeclSyntax.self)?.name.text ?? owner.as(ClassDeclSyntax.self)?.name.text
                ?? owner.as(StructDeclSyntax.self)?.name.text ?? owner.as(EnumDeclSyntax.self)?.name.text,
            demo.typeNames.contains(name)
        else { return nil }
        var edits = Edits(demo.program)
        edits.replace(clause.bytes, with: "", in: path)
        edits.append("\nextension \(name)\(clause.trimmedDescription) {}\n", to: path)
        return edits.texts
    }

    /// A file whose declarations are private to it keeps them.
    private static func moveDeclaration(
        _ demo: ParsedProgram,
        _ generator: inout SplitMix64,
        to target: String?
    ) -> [String: String?]? {
        let (path, tree) = demo.file(&generator)
        let items = Array(tree.statements).filter { isNominal($0) }
        guard items.count > 1, let item = items.randomElement(using: &generator), target != path,
            let text = demo.program.texts[path].map({ Array($0.utf8) })
        else { return nil }
        var edits = Edits(demo.program)
        edits.replace(item.bytesWithTrivia, with: "", in: path)
        guard let rest = edits.texts[path] else { return nil }
        let moved = String(decoding: text[item.bytesWithTrivia], as: UTF8.self).withoutPrivate
        guard let target, let other = demo.trees[target], let old = demo.program.texts[target] else {
            let part = demo.imports(of: path) + moved + "\n"
            return [path: rest.withoutPrivate, demo.newPath(beside: path, &generator): part]
        }
        let known = other.statements.compactMap { $0.item.as(ImportDeclSyntax.self)?.trimmedDescription }
        let missing = demo.imports(of: path).split(separator: "\n").filter { !known.contains(String($0)) }
        return [path: rest.withoutPrivate, target: missing.joined(separator: "\n") + "\n" + old + moved + "\n"]
    }
}
