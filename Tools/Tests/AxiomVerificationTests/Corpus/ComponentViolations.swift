// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification

extension Violation {
    /// Scopes, identities, hidden dependencies, navigation, and how components are declared.
    static let components: [Violation] = [
        identity, scopeKept, hidden, navigates, mainActor, notConcurrent, declared,
    ].flatMap(\.self)

    private static let identity: [Violation] = [
        identity("identity = scope.identity", "identity = ⟦other.identity"),
        identity("identity = scope.identity", "identity = ⟦ComponentIdentity()"),
        identity("identity = scope.identity", "identity = ⟦Self.make()"),
        identity("identity = scope.identity", "identity = ⟦try other(scope).identity"),
        identity("identity = scope.identity", "self.identity = ⟦other.identity"),
        identity("let identity: ComponentIdentity", "var ⟦identity: ComponentIdentity { known }"),
        identity("let identity: ComponentIdentity", "let ⟦identity = ComponentIdentity()"),
    ]

    private static func identity(_ old: String, _ text: String) -> Violation {
        Violation("identity-not-stored", .component, .instead(old), text, where: \.takesScope)
    }

    private static let scopeKept: [Violation] = [
        Violation("scope-kept", .client, .member, "private let ⟦scope: ClientScope"),
        Violation("scope-kept", .context, .member, "private var ⟦scope: ContextScope?"),
        Violation("scope-kept", .capability, .member, "private var ⟦make: ((borrowing CapabilityScope) -> Int)?"),
        Violation("scope-kept", .component, .topLevel, "struct Holder: ~Copyable {\n    let ⟦scope: ContextScope\n}"),
        inInitializer(.client, "running = Task { try scope.⟦capability((any Network).self) }"),
        inInitializer(.client, "later = { try scope.⟦capability((any Network).self) }"),
        inInitializer(.capability, "running = Task.detached { _ = try scope.⟦capability(CAPABILITY.self) }"),
        inInitializer(.context, "running = Task { @MainActor in try scope.⟦context(CONTEXT.self) }"),
        inInitializer(.context, "other = try ⟦CONTEXT(scope, client: client)"),
        inInitializer(.context, "other = try ⟦CONTEXT(scope)"),
        inInitializer(.client, "other = try ⟦CLIENT(scope)"),
        inInitializer(.handler, "running = Task { try scope.⟦client(CLIENT.self) }"),
    ]

    private static func inInitializer(_ roles: Roles, _ text: String) -> Violation {
        Violation("scope-kept", roles, .statement(["init"]), text, where: \.takesScope)
    }

    private static let hidden: [Violation] = [
        Violation("hidden-dependency", .component, .member, "nonisolated(unsafe) static var ⟦count = 0"),
        Violation("hidden-dependency", .context, .elsewhere, "@MainActor static var ⟦recent: [String] = []"),
        use(.client, "UserDefaults.standard.set(1, forKey: \"count\")", imports: ["Foundation"]),
        use(.context, "NotificationCenter.default.post(name: .init(\"cart\"), object: nil)", imports: ["Foundation"]),
        use(.client, "_ = try await URLSession.shared.data(from: url)", imports: ["Foundation"]),
        use(.context, "let files = Foundation.FileManager.default", imports: ["Foundation"]),
        use(
            .component,
            "Registry.shared.count()",
            extra: "final class Registry: Sendable {\n    static let shared = Registry()\n    func count() {}\n}"
        ),
        use(.component, "raise()", extra: "func raise() { number += 1 }\nnonisolated(unsafe) var number = 0"),
        use(
            .component,
            "let sum = await Registry.kept.sum",
            extra:
                "@globalActor actor Registry {\n    static let kept = Registry()\n    static let shared = kept\n    var sum = 0\n}"
        ),
        use(
            .component,
            "await Registry.default.count()",
            extra: "actor Registry {\n    static let `default`: Registry = .init()\n    func count() {}\n}"
        ),
        use(
            .component,
            "let kept = Counts.total",
            extra: "enum Counts {\n    nonisolated(unsafe) static var total = 0\n}"
        ),
        use(.component, "total += 1", extra: "nonisolated(unsafe) var total = 0"),
        use(.component, "print(\"\\(⟦total)\")", extra: "nonisolated(unsafe) private var total = 0"),
    ]

    private static func use(_ roles: Roles, _ text: String, imports: [String] = [], extra: String = "") -> Violation {
        let text = text.contains("⟦") ? text : "⟦" + text
        return Violation("hidden-dependency", roles, .statement([]), text, imports: imports, extra: extra)
    }

    private static let navigates: [Violation] = [
        navigation(.client, .member, "private var flow: ⟦NavigationFlow<ShopRoute>?"),
        navigation(.client, .member, "private var navigator: ⟦AxiomNavigation.Navigator<ShopRoute>?"),
        navigation(.client, .statement([]), "let flow: ⟦NavigationFlow<ShopRoute>? = nil"),
        navigation(.client, .elsewhere, "func open(_ flow: isolated ⟦NavigationFlow<ShopRoute>) {}"),
        navigation(.handler, .member, "private let flow: ⟦NavigationFlow<ShopRoute>"),
        navigation(.presentation, .member, "let flow: ⟦NavigationFlow<ShopRoute>"),
        navigation(.presentation, .member, "var orchestrator: ⟦Orchestrator?"),
        navigation(.presentation, .elsewhere, "func open(_ navigator: borrowing ⟦Navigator<ShopRoute>) async {}"),
        navigation(.presentation, .elsewhere, "func host() { _ = ⟦PresentationHost(context) }"),
    ]

    private static func navigation(_ roles: Roles, _ place: Place, _ text: String) -> Violation {
        Violation("client-navigates", roles, place, text, imports: ["AxiomNavigation"])
    }

    private static let mainActor: [Violation] = [
        Violation("main-actor-missing", "a conformance in the same file") { program, generator in
            late(program, &generator) { type, _ in (type.path, "\nextension \(type.name): Context {}\n") }
        },
        Violation("main-actor-missing", "a conformance in another file") { program, generator in
            let path = program.axiomPaths.randomElement(using: &generator) ?? ""
            return late(program, &generator) { type, _ in (path, "\nextension \(type.name): Axiom.Context {}\n") }
        },
        Violation("main-actor-missing", "a conformance through an alias") { program, generator in
            late(program, &generator) { type, _ in
                (type.path, "\ntypealias Part = Context & Sendable\nextension \(type.name): Part {}\n")
            }
        },
        Violation(
            "main-actor-missing",
            .context,
            .instead("@MainActor\n@Observable\nfinal class "),
            "@Observable\nnonisolated final class ⟦"
        ),
    ]

    /// A context without isolation of its own, whose conformance is an extension.
    private static func late(
        _ program: Program,
        _ generator: inout SplitMix64,
        _ conformance: (DemoType, Program) -> (path: String, text: String)
    ) -> [String: String]? {
        let contexts = program.types.filter { $0.roles.contains(.context) }
        guard let type = contexts.randomElement(using: &generator) else { return nil }
        let text = program.text(type.declaration.whole, in: type.path)
        let changed = text.replacingFirst("@MainActor\n", with: "")
            .replacingFirst("final class \(type.name): Context {", with: "final class ⟦\(type.name) {")
        guard changed.contains("⟦") else { return nil }
        let (path, added) = conformance(type, program)
        var edits = Edits(program)
        edits.replace(type.declaration.whole.offsets, with: changed, in: type.path)
        edits.append(added, to: path)
        return edits.texts
    }

    private static let notConcurrent: [Violation] = [
        Violation("handler-not-concurrent", .handler, .instead("final class "), "@MainActor final class ⟦"),
        Violation("handler-not-concurrent", .handler, .instead(": RequestHandler"), ": ⟦@MainActor RequestHandler"),
        Violation("handler-not-concurrent", .handler, .instead("func handle"), "@MainActor func ⟦handle"),
        Violation("handler-not-concurrent", .handler, .member, "private nonisolated(unsafe) var ⟦count = 0"),
        Violation(
            "handler-not-concurrent",
            .component,
            .topLevel,
            "enum Desk {\n    final class Other {\n        var ⟦count = 0\n    }\n}\nextension Desk.Other: RequestHandler {}"
        ),
        Violation(
            "handler-not-concurrent",
            .component,
            .topLevel,
            "typealias Serves = RequestHandler & Sendable\n@MainActor final class ⟦Other: Serves {}"
        ),
    ]

    private static let declared: [Violation] = [
        Violation("final-missing", .context, .instead("final class "), "class ⟦"),
        Violation("final-missing", .context, .instead("final class "), "public class ⟦"),
        clash(
            "enum Old {\n    actor ⟦NAME: StatelessClient, Component {\n        nonisolated let identity: ComponentIdentity\n    }\n}"
        ),
        clash("extension Habits {\n    final class ⟦NAME: Context {}\n}"),
        clash("enum Old {\n    struct ⟦NAME: Presentation {}\n}"),
        Violation("unchecked-sendable", .component, .elsewhere, "}\nextension SELF: ⟦@unchecked Sendable {"),
        Violation("unchecked-sendable", .state, .instead(": OwnedState"), ": OwnedState, ⟦@unchecked Sendable"),
        Violation("unchecked-sendable", .action, .instead(": Action"), ": ⟦@unchecked Swift.Sendable, Action"),
        Violation(
            "unchecked-sendable",
            .presentation,
            .instead(": Presentation"),
            ": Presentation, ⟦@unchecked Sendable"
        ),
        Violation("unchecked-sendable", .context, .instead(": Context"), ": Context, ⟦@unchecked Sendable"),
        Violation("suppression-unused", .component, .member, "⟦// axiom:ignore final-missing nobody inherits"),
        Violation(
            "suppression-unused",
            .component,
            .statement([]),
            "let a = 1  ⟦// axiom:ignore hidden-dependency it is old"
        ),
        Violation("suppression-unused", .component, .topLevel, "⟦// axiom:ignore no-such-rule it is old\nlet a = 1"),
        Violation(
            "suppression-without-reason",
            .context,
            .instead("final class "),
            "⟦// axiom:ignore final-missing\nclass "
        ),
        Violation(
            "suppression-without-reason",
            .component,
            .member,
            "⟦// axiom:ignore hidden-dependency\nnonisolated(unsafe) static var count = 0"
        ),
    ]

    /// NAME is a component of the demo that other files see and that has no name of its own. Either of the two is named.
    private static func clash(_ text: String) -> Violation {
        Violation("component-name-clash", text) { program, generator in
            let parts = program.types.filter { type in
                (type.roles.contains(.component) || type.roles.contains(.presentation))
                    && !type.declaration.isFilePrivate && !type.declaration.isConditional
                    && !program.text(type.declaration.whole, in: type.path).contains("componentName")
            }
            let others = program.types.filter { !$0.roles.contains(.component) }.map(\.name)
            guard let type = parts.randomElement(using: &generator),
                let path = program.axiomPaths.randomElement(using: &generator), !others.contains("Old")
            else { return nil }
            var edits = Edits(program)
            edits.insert("⟦", at: type.declaration.span.start, in: type.path)
            edits.append("\n\(text.replacing("NAME", with: type.name))\n", to: path)
            return edits.texts
        }
    }
}

extension DemoType {
    var takesScope: Bool {
        functions.contains { function in
            function.kind == .initializer && function.parameters.contains { $0.type?.name.hasSuffix("Scope") ?? false }
        }
    }
}
