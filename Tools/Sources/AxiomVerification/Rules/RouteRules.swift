// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) internal import AxiomNavigation
internal import AxiomSyntax

/// Rules about routes and deep links. Patterns that are computed are unknown, and not judged.
enum RouteRules {
    static let all = [routeDuplicate, routeShadowed, routeUnreachable]

    static let routeDuplicate = Rule(
        id: "route-duplicate",
        summary: "Two links match the same URLs, or two routes have the same identifier.",
        rationale: """
            A URL leads to one screen, and an identifier labels one route. The table of links throws for such patterns, and `start()` \
            for such routes.
            """,
        severity: .error,
        mayBeBaselined: false
    ) { project, findings in
        report(.duplicate, in: project, &findings, "match the same URLs")
        for (_, type) in project.types(with: .route) { reportIdentifiers(of: type, in: project, &findings) }
    }

    static let routeShadowed = Rule(
        id: "route-shadowed",
        summary: "Some URLs match two links of one table.",
        rationale: """
            Which of the two links opens such a URL would depend on their order, so the table throws. Make the patterns differ, or give \
            the table `overlaps: .literalFirst` if the more exact one is meant.
            """,
        severity: .error,
        mayBeBaselined: false
    ) { project, findings in
        report(.shadowed, in: project, &findings, "both match some URLs")
    }

    static let routeUnreachable = Rule(
        id: "route-unreachable",
        summary: "A link matches no URL that an earlier link of the table does not match.",
        rationale:
            "No URL opens such a link. Put the link that requires more items of the query into the closure of the other.",
        severity: .error,
        mayBeBaselined: false
    ) { project, findings in
        report(.unreachable, in: project, &findings, "are in this order, so the second is never reached")
    }

    private static func report(
        _ conflict: LinkConflict.Kind,
        in project: ProjectFacts,
        _ findings: inout Findings,
        _ problem: String
    ) {
        for table in LinkTables(project).tables {
            for found in table.conflicts where found.kind == conflict {
                let (first, second) = (found.first, found.second)
                findings.report(
                    at: project.span(second.span, in: second.file),
                    "The links \(first.pattern) and \(second.pattern) \(problem), such as \(found.example).",
                    notes: [.init("The link \(first.pattern)", at: project.span(first.span, in: first.file))],
                    identity: "\(first.pattern)/\(second.pattern)"
                )
            }
        }
    }

    private static func reportIdentifiers(of type: ProjectType, in project: ProjectFacts, _ findings: inout Findings) {
        var first: [String: (names: String, span: FactSpan)] = [:]
        for (place, property) in project.properties(of: type) where property.name == "identifier" {
            for branch in property.branches {
                guard let text = branch.text else { continue }
                let names = branch.names.joined(separator: ", ")
                guard let earlier = first[text] else {
                    first[text] = (names, branch.span)
                    continue
                }
                let name = project.displayName(of: type)
                findings.report(
                    at: project.span(branch.span, in: place.file),
                    "The routes \(earlier.names) and \(names) of \(name) have the same identifier \"\(text)\". Give each its own.",
                    notes: [.init("The route \(earlier.names)", at: project.span(earlier.span, in: place.file))],
                    identity: "\(name).\(text)"
                )
            }
        }
    }
}

/// A pattern of a deep link in the source.
struct LinkFact {
    let pattern: URLPattern
    let file: Int
    let span: FactSpan
}

/// Two links of one table that cannot be told apart.
struct LinkConflict {
    enum Kind {
        case duplicate, shadowed, unreachable
    }

    let kind: Kind
    let first: LinkFact
    let second: LinkFact
    /// A URL that both match.
    let example: String
}

/// The links of one table, in their order.
struct LinkTable {
    var links: [LinkFact] = []
    /// Whether the table prefers a literal to a capture.
    var prefersLiterals = false

    var conflicts: [LinkConflict] {
        links.indices.flatMap { second in
            links[..<second].compactMap { conflict($0, links[second]) }
        }
    }

    private func conflict(_ first: LinkFact, _ second: LinkFact) -> LinkConflict? {
        guard let example = first.pattern.overlap(with: second.pattern) else { return nil }
        let hasShape = first.pattern.hasShape(of: second.pattern)
        guard hasShape || !prefersLiterals else { return nil }
        let kind: LinkConflict.Kind =
            if !hasShape || !first.pattern.covers(second.pattern) {
                .shadowed
            } else if second.pattern.covers(first.pattern) {
                .duplicate
            } else {
                .unreachable
            }
        return LinkConflict(kind: kind, first: first, second: second, example: example)
    }
}

/// The tables of links of a project, as far as the source shows what belongs together: the links that one type makes for one
/// type of routes. If it makes several tables, the links of one function belong together.
struct LinkTables {
    private struct Owner: Hashable {
        let module: String
        let type: String
        let routes: String
        let function: String
    }

    private(set) var tables: [LinkTable] = []

    init(_ project: ProjectFacts) {
        var counts: [String: Int] = [:]
        var preferring: Set<String> = []
        for (file, call) in Self.calls("DeepLinkTable", in: project) {
            let type = Self.type(of: call, in: file, project)
            counts[type, default: 0] += 1
            if call.arguments.contains(where: { $0.hasSuffix(".literalFirst") }) { preferring.insert(type) }
        }
        var order: [Owner] = []
        var found: [Owner: LinkTable] = [:]
        for (file, call) in Self.calls("DeepLink", in: project) {
            let type = Self.type(of: call, in: file, project)
            let owner = Owner(
                module: project.files[file].module,
                type: type,
                routes: call.made?.arguments.first?.name ?? "",
                function: counts[type, default: 0] > 1 ? project.name(of: call.site, file) : ""
            )
            if found[owner] == nil { order.append(owner) }
            for text in call.texts where text.label.isEmpty {
                guard let pattern = try? URLPattern(text.text) else { continue }
                found[owner, default: LinkTable()].links.append(LinkFact(pattern: pattern, file: file, span: text.span))
            }
            found[owner]?.prefersLiterals = preferring.contains(type)
        }
        tables = order.compactMap { found[$0] }
    }

    /// The calls that make a type of AxiomNavigation.
    private static func calls(_ name: String, in project: ProjectFacts) -> [(Int, Call)] {
        project.files.indices.flatMap { index -> [(Int, Call)] in
            guard project.sees("AxiomNavigation", index), !project.files[index].isTest,
                project.files[index].module != "AxiomNavigation"
            else { return [] }
            return project.files[index].calls.filter { call in
                guard let made = call.made, made.name == name else { return false }
                guard case .project(let type) = project.resolve(made, in: index, at: call.site) else { return true }
                return project.types[type].module == "AxiomNavigation"
            }.map { (index, $0) }
        }
    }

    /// The type in which a call stands, or its file.
    private static func type(of call: Call, in file: Int, _ project: ProjectFacts) -> String {
        project.type(declaredBy: call.site.declaration, in: file).map { project.displayName(of: project.types[$0]) }
            ?? project.files[file].path
    }
}
