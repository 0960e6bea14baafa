// SPDX-License-Identifier: Apache-2.0

internal import SwiftSyntax

extension Changes {
    /// Lets a type conform to more protocols. Those that it names already are left out.
    mutating func conform(_ type: TypeNode, to protocols: [String]) {
        let missing = protocols.filter { !type.inherits($0) }
        guard !missing.isEmpty else { return }
        if let last = type.inheritance?.inheritedTypes.last {
            insert(", " + missing.joined(separator: ", "), after: last.type)
        } else {
            insert(": " + missing.joined(separator: ", "), after: type.head)
        }
    }

    /// Replaces one of the inherited types; without a new name it is removed, with its comma and the colon if it was alone.
    mutating func replaceInherited(_ type: TypeNode, _ old: String, with new: [String]) {
        guard let clause = type.inheritance, let index = type.inherited.firstIndex(where: { $0.name == old }) else {
            return
        }
        let node = type.inherited[index].node
        let missing = new.filter { !type.inherits($0) }
        if !missing.isEmpty { return rename(node.type, to: missing.joined(separator: ", ")) }
        let all = Array(clause.inheritedTypes)
        guard all.count > 1 else {
            let start = file.range(of: type.head).upperBound
            return replace(bytes: start..<file.range(of: clause).upperBound, with: "")
        }
        guard let place = all.firstIndex(of: node) else { return }
        if place + 1 < all.count {
            replace(bytes: file.start(of: node)..<file.start(of: all[place + 1]), with: "")
        } else if let comma = all[place - 1].trailingComma {
            replace(bytes: file.start(of: comma)..<file.range(of: node).upperBound, with: "")
        }
    }

    /// Adds members at the begin of a type, each on a line of its own.
    mutating func addFirst(_ members: [String], to type: TypeNode) {
        guard !members.isEmpty else { return }
        let indentation = file.indentation(of: type.block.rightBrace) + file.step(in: type.block)
        let text = members.map { "\n" + indentation + $0 }.joined()
        insert(text, after: type.block.leftBrace)
        closeLine(of: type.block)
    }

    /// Adds an initializer or a function behind the stored properties of a type.
    ///
    /// - Parameter lines: Its lines, indented relative to the member.
    mutating func add(_ lines: [String], to type: TypeNode) {
        let indentation = file.indentation(of: type.block.rightBrace) + file.step(in: type.block)
        let text = lines.map { "\n" + ($0.isEmpty ? "" : indentation + $0) }.joined()
        let stored = type.block.members.last { item in
            item.decl.as(VariableDeclSyntax.self).flatMap(VariableNode.init)?.isStored ?? false
        }
        if let stored {
            insert("\n" + text, afterLineOf: stored.decl)
        } else {
            // An empty line stands between these members and the next one.
            insert("\n" + text + (type.block.members.isEmpty ? "" : "\n"), after: type.block.leftBrace)
            closeLine(of: type.block)
        }
    }

    /// Puts the end of a type whose members stand in one line, or that has none, into a line of its own.
    private mutating func closeLine(of block: MemberBlockSyntax) {
        let (left, right) = (file.line(of: block.leftBrace), file.line(of: block.rightBrace))
        guard left == right, block.members.isEmpty else { return }
        insert("\n" + file.indentation(of: block.rightBrace), before: block.rightBrace)
    }

    /// Removes the `override` of a declaration.
    mutating func removeModifier(_ name: String, of modifiers: DeclModifierListSyntax) {
        for modifier in modifiers where modifier.name.text == name { removeWord(modifier) }
    }

    /// Makes a function `async` or `throws`, or both, if it is not.
    mutating func addEffects(_ function: FunctionDeclSyntax, throws isThrowing: Bool = false) {
        guard begins(function) else { return }
        let effects = function.signature.effectSpecifiers
        let (hasAsync, hasThrows) = (effects?.asyncSpecifier != nil, effects?.throwsClause != nil)
        if hasThrows, let clause = effects?.throwsClause {
            if !hasAsync { insert("async ", before: clause) }
        } else if let word = effects?.asyncSpecifier {
            if isThrowing { insert(" throws", after: word) }
        } else {
            insert(" async" + (isThrowing ? " throws" : ""), after: function.signature.parameterClause)
        }
    }

    /// Adds an import behind the last one, or at the begin of the file.
    mutating func addImport(_ module: String) {
        let imports = file.imports
        guard !imports.contains(where: { $0.module == module }) else { return }
        // The imports of a file are sorted more often than not.
        if let next = imports.first(where: { $0.module > module }),
            next.node.parent?.parent?.parent?.is(SourceFileSyntax.self) == true
        {
            insert("import \(module)\n", before: next.node)
        } else if let last = imports.last {
            insert("\nimport \(module)", after: last.node)
        } else if let first = file.tree.statements.first {
            insert("import \(module)\n\n", before: first)
        }
    }
}
