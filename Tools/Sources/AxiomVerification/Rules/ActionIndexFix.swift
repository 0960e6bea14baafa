// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// Writes `caseNames` and `caseIndex` into the enum of an action, as `@AxiomAction` does.
struct ActionIndexFix {
    let type: ProjectType
    let project: ProjectFacts

    private var declaration: Declaration { project.declaration(of: type) }

    /// Nil for cases under a condition, and for two cases of one name, which no pattern tells apart.
    var fix: Fix? {
        let cases = declaration.cases
        guard !cases.contains(where: \.isConditional), Set(cases.map(\.name)).count == cases.count else { return nil }
        let outer = String(repeating: " ", count: project.span(declaration.whole, in: type.file).start.column - 1)
        let inner = outer + "    "
        let branches = cases.enumerated().map { "\(inner)    case .\($1.writtenName): \($0)\n" }.joined()
        let text =
            "\n\(inner)\(caseNames)\n\n\(inner)\(access)var caseIndex: Int {\n\(inner)    switch self {\n"
            + branches + "\(inner)    }\n\(inner)}\n\(outer)"
        // Behind the last case: what stands before the brace stays.
        let end = Int(declaration.body.end) - 1
        return Fix("Declare caseNames and caseIndex", edits: [Edit(replacing: end..<end, with: text)], safety: .safe)
    }

    private var caseNames: String {
        let list = "[\(declaration.cases.map(\.name.debugDescription).joined(separator: ", "))]"
        return isGeneric(type.declaration, in: type.file)
            ? "\(access)static var caseNames: [String] { \(list) }" : "\(access)static let caseNames = \(list)"
    }

    /// The members that a protocol demands are as accessible as the type, which may have its access from the extension around.
    private var access: String {
        let levels: Set = ["public", "package", "internal", "fileprivate", "private"]
        let around = project.files[type.file].declarations.last {
            $0.body.contains(declaration.whole)
        }
        let given = around?.kind == .extension ? around?.modifiers : nil
        let level = (declaration.modifiers + (given ?? [])).first(where: levels.contains)
        return level.flatMap { ["public", "package"].contains($0) ? $0 + " " : nil } ?? ""
    }

    /// Whether a declaration or one around it is generic or stands in a function, as far as that is known: such a type has no
    /// stored static property.
    private func isGeneric(_ index: Int, in file: Int) -> Bool {
        let part = project.files[file].declarations[index]
        guard part.generics.isEmpty, !part.isLocal, let number = project.type(declaredBy: index, in: file) else {
            return true
        }
        let type = project.types[number]
        if part.kind == .extension { return isGeneric(type.declaration, in: type.file) }
        return project.site(around: type).declaration.map { isGeneric($0, in: file) } ?? false
    }
}

extension EnumCase {
    /// The name as the source has it, perhaps in back-ticks.
    fileprivate var writtenName: String {
        span.offsets.count == name.utf8.count + 2 ? "`\(name)`" : name
    }
}
