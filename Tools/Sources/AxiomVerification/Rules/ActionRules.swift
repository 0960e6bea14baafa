// SPDX-License-Identifier: Apache-2.0

internal import AxiomSyntax

/// An action is a constant value whose case has a name and an index.
enum ActionRules {
    static let all = [actionReference, actionNotIndexed, caseNamesMismatch]

    static let actionReference = Rule(
        id: "action-reference",
        summary: "An action carries a class or a closure, or has a variable.",
        rationale:
            "An action is a request that may be kept, retried and logged. What it says may not change on the way.",
        severity: .error,
        mended: """
            a variable of a struct that has a type that is not optional, and no value, observer, attribute or setter \
            of its own, if no code changes it. Not a class, and not a closure
            """
    ) { project, findings in
        for (index, type) in project.types(with: .action) {
            reportContents(of: type, project, &findings)
            guard type.kind == .struct else { continue }
            for (place, property) in project.properties(of: type)
            where property.isStored && property.isVariable && !property.isStatic {
                let name = project.displayName(of: type)
                findings.report(
                    at: project.span(property.span, in: place.file),
                    "`\(property.name)` of the action \(name) is a variable. Make it a constant.",
                    identity: "\(name).\(property.name)",
                    fix: project.isChanged([property.name], of: index)
                        ? nil : constantFix(property, project.declaration(place).properties)
                )
            }
        }
    }

    static let actionNotIndexed = Rule(
        id: "action-not-indexed",
        summary: "An action has no caseNames and caseIndex of its own.",
        rationale: """
            Without them each action is looked up by reflection, which costs about 0.3 µs. Off, because only frequent actions need \
            it.
            """,
        severity: .warning,
        isOnByDefault: false,
        mended: "an enum whose cases have different names and no condition"
    ) { project, findings in
        for (_, type) in project.types(with: .action) where type.kind == .enum {
            let declaration = project.declaration(of: type)
            let own = project.properties(of: type).map(\.property.name)
            guard !declaration.cases.isEmpty, !own.contains("caseNames"), !own.contains("caseIndex")
            else { continue }
            let name = project.displayName(of: type)
            findings.report(
                at: project.span(declaration.span, in: type.file),
                "The cases of \(name) are looked up by reflection. Declare `caseNames` and `caseIndex`.",
                identity: name,
                fix: ActionIndexFix(type: type, project: project).fix
            )
        }
    }

    static let caseNamesMismatch = Rule(
        id: "case-names-mismatch",
        summary: "The caseNames or caseIndex of an action disagree with its cases.",
        rationale: "Metrics and logs name each action by its case. With a wrong index they name another one.",
        severity: .error,
        mended: "names in a literal, with an index of one number for each case in the same file"
    ) { project, findings in
        for (_, type) in project.types(with: .action) where type.kind == .enum {
            let declaration = project.declaration(of: type)
            let properties = project.properties(of: type)
            guard let names = properties.first(where: { $0.property.name == "caseNames" }),
                let strings = names.property.initial?.strings, !declaration.cases.contains(where: \.isConditional)
            else { continue }
            let index = properties.first { $0.property.name == "caseIndex" }
            let cases = declaration.cases.map(\.name)
            guard let problem = problem(cases, strings, index?.property.branches ?? []) else { continue }
            let name = project.displayName(of: type)
            findings.report(
                at: project.span(names.property.span, in: names.place.file),
                "\(problem) in \(name). Give each case its name and its index.",
                identity: name,
                fix: rewrite(cases, names, index)
            )
        }
    }
}

extension ActionRules {
    private static func reportContents(of type: ProjectType, _ project: ProjectFacts, _ findings: inout Findings) {
        let name = project.displayName(of: type)
        for (member, reference, file, site) in project.contents(of: type) {
            // client-holds-client reports clients.
            guard !project.mentions(in: reference, file: file, at: site).contains(where: { $0.roles.contains(.client) })
            else { continue }
            var search = ReferenceSearch(project)
            guard let found = search.find(reference, file, site, path: [member]) else { continue }
            let isDirect = found.path.count == 1
            let what = isDirect ? found.description : "\(found.description) (in `\(found.path.joined(separator: "."))`)"
            findings.report(
                at: project.span(reference.span, in: file),
                "`\(member)` of the action \(name) carries \(what). Send a value, such as an identifier.",
                notes: isDirect ? [] : [.init("The reference", at: found.location)],
                identity: "\(name).\(member)"
            )
        }
    }

    /// Says `let`, if each property of the declaration `var a, b` may be a constant.
    private static func constantFix(_ property: Property, _ all: [Property]) -> Fix? {
        guard all.filter({ $0.keyword == property.keyword }).allSatisfy(\.mayBeConstant) else { return nil }
        let edit = Edit(replacing: property.keyword.offsets, with: "let")
        return Fix("Make it a constant", edits: [edit], safety: .review)
    }

    /// What is wrong, or nil. Names in another order are right if the indices fit.
    private static func problem(_ cases: [String], _ names: [String], _ branches: [SwitchBranch]) -> String? {
        if let extra = names.first(where: { !cases.contains($0) }) {
            return "`caseNames` has \"\(extra)\", which is no case"
        }
        for branch in branches {
            guard let value = branch.value, !branch.names.isEmpty else { continue }
            guard names.indices.contains(value) else {
                return "`caseIndex` returns \(value), which is not in `caseNames`"
            }
            if !branch.names.contains(names[value]) {
                return "`caseIndex` returns the index of \"\(names[value])\" for `\(branch.names[0])`"
            }
        }
        let covered = Set(branches.filter { $0.names.count > 1 }.flatMap(\.names))
        if let missing = cases.first(where: { !names.contains($0) && !covered.contains($0) }) {
            return "`caseNames` has no \"\(missing)\""
        }
        return nil
    }

    private static func rewrite(
        _ cases: [String],
        _ names: (place: ProjectType.Place, property: Property),
        _ index: (place: ProjectType.Place, property: Property)?
    ) -> Fix? {
        guard let array = names.property.initial else { return nil }
        let text = "[" + cases.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
        var edits = [Edit(replacing: array.span.offsets, with: text)]
        if let index {
            guard index.place.file == names.place.file else { return nil }
            for branch in index.property.branches {
                guard branch.names.count == 1, let number = cases.firstIndex(of: branch.names[0]),
                    let span = branch.valueSpan
                else { return nil }
                edits.append(Edit(replacing: span.offsets, with: "\(number)"))
            }
        }
        edits.sort { $0.range.lowerBound < $1.range.lowerBound }
        return Fix("Write the names and indices of the cases", edits: edits, safety: .safe)
    }
}

extension Property {
    /// Whether `let` may stand instead of `var`: a constant has no observers and no wrapper, and neither an initial value nor
    /// nil as its default may be replaced in an initializer.
    fileprivate var mayBeConstant: Bool {
        let access: Set = ["public", "package", "internal", "fileprivate", "private", "nonisolated"]
        return initial == nil && accessors == nil && attributes.isEmpty && type?.name != "Optional"
            && modifiers.allSatisfy(access.contains)
    }
}
