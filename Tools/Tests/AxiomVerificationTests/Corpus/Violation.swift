// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification

/// A way to break a rule. The seed chooses the type, the place in it, and the other types that the text names.
struct Violation: Sendable {
    enum Place: Sendable {
        /// A member of the type; of an extension of it in another file.
        case member, elsewhere
        /// A statement of a function of the type: of any one, or of those with a name.
        case statement([String])
        /// At the end of any file that imports Axiom.
        case topLevel
        /// Instead of a text in the declaration of the type, at a random place of it.
        case instead(String)
    }

    typealias Changes = @Sendable (Program, inout SplitMix64) -> [String: String]?

    let rule: RuleID
    let name: String
    let changes: Changes
    /// What a rule needs that is off, or that has settings.
    var configuration = VerifierConfiguration()

    /// - Parameters:
    ///   - text: With names in capitals for other types: see `Names`.
    ///   - extra: Declarations at the end of the same file that the text needs.
    ///   - types: Restricts the types.
    init(
        _ rule: RuleID,
        _ roles: Roles,
        _ place: Place,
        _ text: String,
        imports: [String] = [],
        extra: String = "",
        where types: @escaping @Sendable (DemoType) -> Bool = { _ in true }
    ) {
        self.init(rule, text) { program, generator in
            let all = program.types.filter { $0.declaration.scope.isEmpty && !$0.declaration.isFilePrivate }
            let candidates = all.filter { !$0.roles.isDisjoint(with: roles) && types($0) }
            guard let type = candidates.randomElement(using: &generator) else { return nil }
            let names = Names(type, all, &generator)
            var edits = Edits(program)
            let path = Self.edit(&edits, program, type, place, names.fill(text), &generator)
            guard let path else { return nil }
            edits.importModules(imports, in: path)
            if !extra.isEmpty { edits.append("\n" + names.fill(extra) + "\n", to: path) }
            return edits.texts
        }
    }

    init(_ rule: RuleID, _ name: String, changes: @escaping Changes) {
        self.rule = rule
        self.name = name
        self.changes = changes
    }

    /// The mutant of a seed; nil if the violation has no place there.
    func mutant(of program: Program, seed: UInt64) -> Mutant? {
        // Each violation has places of its own.
        let own = name.utf8.reduce(seed) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
        var generator = SplitMix64(seed: own)
        return changes(program, &generator).map { Mutant(rule: rule, name: name, seed: seed, marked: $0) }
    }
}

extension Violation {
    /// Makes the change and returns the path of the file.
    private static func edit(
        _ edits: inout Edits,
        _ program: Program,
        _ type: DemoType,
        _ place: Place,
        _ text: String,
        _ generator: inout SplitMix64
    ) -> String? {
        switch place {
        case .member:
            guard let offset = program.memberPlaces(of: type).randomElement(using: &generator) else { return nil }
            edits.insert(text.indented(by: "    ") + "\n", at: offset, in: type.path)
            return type.path
        case .elsewhere:
            let others = program.axiomPaths.filter { $0 != type.path }
            guard let path = others.randomElement(using: &generator) else { return nil }
            edits.append("\nextension \(type.name) {\n\(text.indented(by: "    "))\n}\n", to: path)
            return path
        case .statement(let names):
            let places = type.functions.filter {
                names.isEmpty ? [.function, .initializer].contains($0.kind) && !$0.isStatic : names.contains($0.name)
            }.flatMap { program.statementPlaces(in: $0, of: type.path) }
            guard let place = places.randomElement(using: &generator) else { return nil }
            edits.insert(text.indented(by: place.indent) + "\n", at: place.offset, in: type.path)
            return type.path
        case .topLevel:
            guard let path = program.axiomPaths.randomElement(using: &generator) else { return nil }
            edits.append("\n\(text)\n", to: path)
            return path
        case .instead(let old):
            let declared = program.text(type.declaration.whole, in: type.path)
            guard let range = declared.ranges(of: old).randomElement(using: &generator) else { return nil }
            let start = Int(type.declaration.whole.start) + declared[..<range.lowerBound].utf8.count
            edits.replace(start..<start + old.utf8.count, with: text, in: type.path)
            return type.path
        }
    }

    /// The names that a text may have: CLIENT, STATE and ACTION are of one client; SELF is the type itself.
    private struct Names {
        private var values: [(String, String)] = []

        init(_ type: DemoType, _ all: [DemoType], _ generator: inout SplitMix64) {
            func pick(_ role: Roles, _ generator: inout SplitMix64) -> String {
                all.filter { $0.roles.contains(role) && $0.stem != type.stem }.randomElement(using: &generator)?.name
                    ?? "?"
            }
            let client = pick(.stateOwner, &generator)
            let stem = client.dropLast("Client".count)
            values = [
                ("CLIENT", client), ("STATE", stem + "State"), ("ACTION", stem + "Action"),
                ("CONTEXT", pick(.context, &generator)), ("VIEW", pick(.presentation, &generator)),
                ("HANDLER", pick(.handler, &generator)), ("CAPABILITY", pick(.capability, &generator)),
                ("SELF", type.name),
                ("CLASS", ["ShopWindow", "Visitor", "Shopper"].randomElement(using: &generator) ?? ""),
            ]
        }

        func fill(_ text: String) -> String {
            values.reduce(text) { $0.replacing($1.0, with: $1.1) }
        }
    }
}

extension Program {
    /// The files that import Axiom.
    var axiomPaths: [String] {
        paths.filter { facts[$0]?.imports.contains { $0.module == "Axiom" } ?? false }
    }
}

extension String {
    func indented(by indent: String) -> String {
        split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : indent + $0 }
            .joined(separator: "\n")
    }
}
