// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification

extension Violation {
    /// Registrations, cycles and links, which need the whole project.
    static let graph: [Violation] = [
        Violation("registered-not", "a component that is not registered", changes: unregistered),
        Violation("registered-twice", "a component that is registered again", changes: registeredAgain),
        Violation("context-cycle", "a context that resolves one above it", changes: contextCycle),
        Violation("capability-cycle", "the network resolves the cache of its answers", changes: capabilityCycle),
        Violation("route-duplicate", "two routes with one identifier", changes: routes),
        link("route-duplicate", "shop://product/:id", "shop://product/:number"),
        link("route-duplicate", "shop://order/:id?tab=:tab", "shop://order/:number?tab=:page"),
        link("route-shadowed", "shop://:page", "shop://cart"),
        link("route-unreachable", "shop://cart", "shop://cart?mode=edit"),
    ]

    /// The calls whose argument is the type of a component, such as `scope.context(CartContext.self)`.
    private static func calls(
        _ names: Set<String>,
        of program: Program
    ) -> [(path: String, call: Call, type: String)] {
        program.paths.flatMap { path in
            (program.facts[path]?.calls ?? []).compactMap { call in
                guard names.contains(call.name), let type = call.types.first?.type.name else { return nil }
                return (path, call, type)
            }
        }
    }

    @Sendable private static func unregistered(
        _ program: Program,
        _ generator: inout SplitMix64
    ) -> [String: String]? {
        let resolved = calls(["context", "client", "capability"], of: program)
        let names = Set(resolved.map(\.type))
        // A type of another module, such as BackgroundTasks, may be registered there: no rule reports it.
        let own = Set(program.facts.values.flatMap(\.declarations).filter { $0.kind != .extension }.map(\.name))
        let registrations = calls(["register"], of: program).filter { names.contains($0.type) && own.contains($0.type) }
        guard let chosen = registrations.randomElement(using: &generator) else { return nil }
        var edits = Edits(program)
        edits.replace(chosen.call.span.offsets, with: "ignore", in: chosen.path)
        for use in resolved where use.type == chosen.type { edits.insert("⟦", at: use.call.span.start, in: use.path) }
        return edits.texts
    }

    @Sendable private static func registeredAgain(
        _ program: Program,
        _ generator: inout SplitMix64
    ) -> [String: String]? {
        let registrations = calls(["register"], of: program).filter { $0.path.hasSuffix("Shop.swift") }
        guard let chosen = registrations.randomElement(using: &generator) else { return nil }
        var edits = Edits(program)
        let start = program.lineStart(chosen.call.whole.start, in: chosen.path)
        let base = program.text(FactSpan(Int(chosen.call.whole.start), Int(chosen.call.span.start)), in: chosen.path)
        let exposed = chosen.call.types.dropFirst().first.map {
            "\($0.label): (\(program.text($0.type.span, in: chosen.path))).self"
        }
        let arguments = (["\(chosen.type).self"] + [exposed].compactMap(\.self)).joined(separator: ", ")
        edits.insert("        \(base)register(\(arguments)) { try \(chosen.type)($0) }\n", at: start, in: chosen.path)
        edits.insert("⟦", at: chosen.call.span.start, in: chosen.path)
        return edits.texts
    }

    @Sendable private static func contextCycle(
        _ program: Program,
        _ generator: inout SplitMix64
    ) -> [String: String]? {
        let contexts = program.types.filter { $0.roles.contains(.context) }
        let edges = calls(["context"], of: program).filter { edge in contexts.contains { $0.name == edge.type } }
        guard let edge = edges.randomElement(using: &generator),
            let below = contexts.first(where: { $0.name == edge.type }),
            let above = contexts.first(where: {
                $0.path == edge.path && $0.declaration.whole.contains(edge.call.span)
            }),
            let initializer = below.functions.first(where: { $0.kind == .initializer }),
            let place = program.statementPlaces(in: initializer, of: below.path).randomElement(using: &generator)
        else { return nil }
        var edits = Edits(program)
        let text = "above = try scope.⟦context(\(above.name).self)"
        edits.insert("\(place.indent)\(text)\n", at: place.offset, in: below.path)
        edits.insert("⟦", at: edge.call.span.start, in: edge.path)
        return edits.texts
    }

    @Sendable private static func capabilityCycle(
        _ program: Program,
        _ generator: inout SplitMix64
    ) -> [String: String]? {
        let types = program.types
        guard let network = types.first(where: { $0.name == "HTTPNetwork" }),
            let initializer = network.functions.first(where: { $0.kind == .initializer }),
            let place = program.statementPlaces(in: initializer, of: network.path).randomElement(using: &generator),
            let cache = types.first(where: { $0.name == "ResponseCache" })
        else { return nil }
        var edits = Edits(program)
        edits.insert(
            "\(place.indent)cache = try scope.⟦capability(ResponseCache.self)\n",
            at: place.offset,
            in: network.path
        )
        for use in program.facts[cache.path]?.calls ?? []
        where use.name == "capability" && cache.declaration.whole.contains(use.span) {
            edits.insert("⟦", at: use.span.start, in: cache.path)
        }
        return edits.texts
    }

    /// One identifier becomes that of another route. Either line is right.
    @Sendable private static func routes(_ program: Program, _ generator: inout SplitMix64) -> [String: String]? {
        guard let path = program.paths.first(where: { $0.hasSuffix("ShopRoute.swift") }),
            let text = program.texts[path]
        else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let identifiers = lines.indices.filter { lines[$0].wholeMatch(of: #/        case \.\w+: "\w+"/#) != nil }
        let chosen = identifiers.shuffled(using: &generator).prefix(2)
        guard let first = chosen.first, let second = chosen.last, first != second,
            let value = lines[first].split(separator: ":").last
        else { return nil }
        var changed = lines
        changed[second] = "⟦" + (lines[second].split(separator: ":").first ?? "") + ":" + value
        changed[first] = "⟦" + lines[first]
        return [path: changed.joined(separator: "\n")]
    }

    private static func link(_ rule: RuleID, _ first: String, _ second: String) -> Violation {
        let text = """
            enum MoreLinks {
                static func table() throws -> DeepLinkTable<ShopRoute> {
                    try DeepLinkTable([
                        ⟦DeepLink<ShopRoute>("\(first)") { _ in [.home] },
                        ⟦DeepLink<ShopRoute>("\(second)") { _ in [.cart] },
                    ])
                }
            }
            """
        return Violation(rule, .component, .topLevel, text, imports: ["AxiomNavigation"])
    }
}
