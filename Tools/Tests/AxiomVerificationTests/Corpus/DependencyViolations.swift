// SPDX-License-Identifier: Apache-2.0

import AxiomVerification

extension Violation {
    /// Dependencies that point the wrong way.
    static let dependencies: [Violation] = [
        clientHoldsClient, clientReachesUp, contextUsesCapability, capabilityReachesUp, presentationOneContext,
        madeByHand, escaped, handlers,
    ].flatMap(\.self)

    private static let clientHoldsClient: [Violation] = [
        Violation("client-holds-client", .client, .member, "private var other: ⟦CLIENT?"),
        Violation("client-holds-client", .client, .member, "private var other: (any ⟦Client<STATE, ACTION>)?"),
        Violation(
            "client-holds-client",
            .client,
            .member,
            "private var others: [String: any ⟦Client<STATE, ACTION>] = [:]"
        ),
        Violation("client-holds-client", .client, .member, "private var pair: (number: Int, ⟦CLIENT)?"),
        Violation("client-holds-client", .client, .member, "private var make: (@Sendable () -> ⟦CLIENT)?"),
        Violation("client-holds-client", .client, .member, "private var waiting: Set<Optional<⟦ActivityClient>> = []"),
        Violation(
            "client-holds-client",
            .client,
            .member,
            "private var partner: ⟦Partner?",
            extra: "typealias Partner = any Client<STATE, ACTION>"
        ),
        Violation(
            "client-holds-client",
            .client,
            .member,
            "private var domain: (any ⟦Domain)?",
            extra: "protocol Domain: StatelessClient where ActionType == ACTION {}"
        ),
        Violation(
            "client-holds-client",
            .client,
            .instead("_ scope: borrowing ClientScope"),
            "_ scope: borrowing ClientScope, _ a: ⟦CLIENT"
        ),
        Violation("client-holds-client", .client, .member, "func merge(_ other: some ⟦Client<STATE, ACTION>) async {}"),
        Violation("client-holds-client", .client, .member, "func merge<C: ⟦Client>(_ other: C) async {}"),
        Violation("client-holds-client", .client, .elsewhere, "func merge(_ other: isolated ⟦CLIENT) {}"),
        Violation(
            "client-holds-client",
            .client,
            .elsewhere,
            "var next: ⟦Axiom.StatelessClient<ActivityAction>? { nil }"
        ),
        Violation("client-holds-client", .client, .statement([]), "let other: ⟦CLIENT? = nil"),
        Violation(
            "client-holds-client",
            .action,
            .member,
            "case adopt(any ⟦Client<STATE, ACTION>)",
            where: { $0.kind == .enum }
        ),
        Violation(
            "client-holds-client",
            .action,
            .member,
            "case adopt(name: String, [⟦CLIENT])",
            where: { $0.kind == .enum }
        ),
    ]

    private static let clientReachesUp: [Violation] = [
        Violation("client-reaches-up", .client, .member, "private weak var shown: ⟦CONTEXT?"),
        Violation("client-reaches-up", .client, .member, "private unowned let orchestrator: ⟦Orchestrator"),
        Violation("client-reaches-up", .client, .member, "private var views: [⟦VIEW] = []"),
        Violation("client-reaches-up", .client, .member, "func show(in context: some ⟦Context) async {}"),
        Violation("client-reaches-up", .client, .member, "func show<C>(in context: C) async where C: ⟦Context {}"),
        Violation("client-reaches-up", .client, .elsewhere, "var shown: ⟦CONTEXT? { nil }"),
        Violation("client-reaches-up", .client, .elsewhere, "func host(_ host: ⟦PresentationHost) {}"),
        Violation("client-reaches-up", .client, .statement([]), "let context: ⟦CONTEXT? = nil"),
        Violation("client-reaches-up", .client, .statement([]), "_ = ⟦CONTEXT.componentName"),
        Violation("client-reaches-up", .client, .statement([]), "_ = await MainActor.run { ⟦Orchestrator() }"),
    ]

    private static let contextUsesCapability: [Violation] = [
        Violation("context-uses-capability", .context, .member, "private var network: ⟦CapabilityRef<any Network>?"),
        Violation("context-uses-capability", .context, .member, "private var own: ⟦CAPABILITY?"),
        Violation(
            "context-uses-capability",
            .context,
            .member,
            "private var tasks: ⟦BackgroundTasks?",
            imports: ["AxiomStorage"]
        ),
        Violation("context-uses-capability", .context, .member, "private var network: (any ⟦Network)?"),
        Violation(
            "context-uses-capability",
            .context,
            .member,
            "private var storage: (any ⟦KeyValueStorage)?",
            imports: ["AxiomStorage"]
        ),
        Violation(
            "context-uses-capability",
            .context,
            .instead("_ scope: borrowing ContextScope"),
            "_ scope: borrowing ContextScope, _ a: ⟦CAPABILITY"
        ),
        Violation(
            "context-uses-capability",
            .context,
            .elsewhere,
            "func fill(_ own: ⟦CapabilityRef<CAPABILITY>) async {}"
        ),
        Violation("context-uses-capability", .context, .elsewhere, "func read<N: ⟦Network>(_ network: N) {}"),
        Violation("context-uses-capability", .context, .statement([]), "let own: ⟦CAPABILITY? = nil"),
    ]

    private static let capabilityReachesUp: [Violation] = [
        Violation("capability-reaches-up", .capability, .member, "private var user: ⟦CLIENT?"),
        Violation("capability-reaches-up", .capability, .member, "private var user: (any ⟦Client<STATE, ACTION>)?"),
        Violation("capability-reaches-up", .capability, .member, "private weak var shown: ⟦CONTEXT?"),
        Violation("capability-reaches-up", .capability, .member, "private var shown: [any ⟦Presentation] = []"),
        Violation("capability-reaches-up", .capability, .elsewhere, "func stop(_ orchestrator: ⟦Orchestrator) {}"),
        Violation("capability-reaches-up", .capability, .elsewhere, "func tell(_ contexts: any Sequence<⟦CONTEXT>) {}"),
        Violation("capability-reaches-up", .capability, .statement([]), "let user: ⟦CLIENT? = nil"),
        Violation("capability-reaches-up", .capability, .statement([]), "_ = ⟦CLIENT.componentName"),
    ]

    /// What a request handler may not have, and what may not have one.
    private static let handlers: [Violation] = [
        Violation("client-reaches-up", .handler, .member, "private let shown: ⟦CONTEXT?"),
        Violation("client-reaches-up", .handler, .member, "private let views: [⟦VIEW]"),
        Violation("client-reaches-up", .handler, .elsewhere, "func show(in context: some ⟦Context) async {}"),
        Violation("client-reaches-up", .handler, .statement([]), "let orchestrator: ⟦Orchestrator? = nil"),
        Violation(
            "client-reaches-up",
            .handler,
            .member,
            "private let next: ⟦Next?",
            extra: "typealias Next = Endpoint<ReturnHandler>\nfinal class ReturnHandler: RequestHandler {}"
        ),
        Violation("client-reaches-up", .client, .member, "private var requests: ⟦Endpoint<HANDLER>?"),
        Violation("client-reaches-up", .client, .elsewhere, "func answer<H: ⟦RequestHandler>(_ handler: H) {}"),
        Violation("capability-reaches-up", .capability, .member, "private var requests: [⟦Endpoint<HANDLER>] = []"),
        Violation("context-uses-capability", .handler, .member, "private let network: ⟦CapabilityRef<any Network>"),
        Violation("context-uses-capability", .handler, .elsewhere, "func read(_ own: ⟦CAPABILITY) async {}"),
        Violation("context-uses-handler", .context, .member, "private let requests: ⟦Endpoint<HANDLER>?"),
        Violation("context-uses-handler", .context, .statement([]), "let handler: (any ⟦RequestHandler)? = nil"),
        Violation("context-uses-handler", .presentation, .member, "let requests: ⟦Endpoint<HANDLER>"),
        Violation("context-uses-handler", .presentation, .elsewhere, "func send(to requests: ⟦Endpoint<HANDLER>) {}"),
        Violation(
            "state-reference",
            .state,
            .member,
            "var routes: ⟦Routes?",
            extra: "struct Routes: Hashable, Sendable {\n    var requests: [Endpoint<HANDLER>]\n}",
            where: { $0.kind == .struct }
        ),
        Violation(
            "action-reference",
            .action,
            .member,
            "case answer(to: ⟦Endpoint<HANDLER>)",
            where: { $0.kind == .enum }
        ),
        Violation(
            "component-made-by-hand",
            .component,
            .topLevel,
            "let made = [1, 2].map { number in try? ⟦ScanHandler(number, limit: 3) }"
        ),
    ]

    private static let presentationOneContext: [Violation] = [
        Violation("presentation-one-context", .presentation, .member, "⟦let other: CONTEXT"),
        Violation("presentation-one-context", .presentation, .member, "⟦var other: CONTEXT?"),
        Violation("presentation-one-context", .presentation, .member, "⟦var others: [CONTEXT] = []"),
        Violation("presentation-one-context", .presentation, .member, "⟦var other: (any Context)?"),
        Violation("presentation-one-context", .presentation, .member, "⟦private weak var other: CONTEXT?"),
    ].map(\.withFirstContext)

    private static let escaped: [Violation] = [
        "_ = try await ref.call { ⟦$0 }", "let net = try await ref.call { net in ⟦net }",
        "try await ref.call { net in self.kept = ⟦net }", "_ = try await ref.call { (⟦$0, 1) }",
        "_ = try await ref.call { net in let kept = net; return [⟦kept] }",
    ].map { text in
        Violation("capability-escapes", .client, .statement([]), "let ref: CapabilityRef<Int> = other; " + text)
    }

    private static let madeByHand: [Violation] = [
        Violation(
            "component-made-by-hand",
            .client,
            .elsewhere,
            "⟦init(_ identity: ComponentIdentity) { self.identity = identity }"
        ),
        Violation("component-made-by-hand", .context, .statement([]), "let made = try ⟦CLIENT(other)"),
        Violation(
            "component-made-by-hand",
            .context,
            .statement(["handle"]),
            "_ = try CLIENT.⟦init(kept, logger: logger)"
        ),
        Violation("component-made-by-hand", .client, .statement([]), "_ = try ⟦CAPABILITY(other, port: 80)"),
        Violation(
            "component-made-by-hand",
            .presentation,
            .member,
            "var other: CONTEXT? { try? ⟦CONTEXT(kept, client: client) }"
        ),
        Violation(
            "component-made-by-hand",
            .presentation,
            .elsewhere,
            "func other() -> CONTEXT? { try? ⟦CONTEXT(kept) }"
        ),
        Violation(
            "component-made-by-hand",
            .component,
            .topLevel,
            "@MainActor func make(_ kept: Kept) throws -> CONTEXT {\n    try ⟦CONTEXT(kept)\n}"
        ),
        Violation(
            "component-made-by-hand",
            .component,
            .topLevel,
            "enum Factory {\n    static let made = try? ⟦CLIENT(Factory.kept)\n}"
        ),
        Violation(
            "component-made-by-hand",
            .component,
            .topLevel,
            "let made = [1, 2].map { number in try? ⟦CLIENT(number, limit: 3) }"
        ),
    ]

    /// A second context may be the one that is inserted or the one that was there.
    private var withFirstContext: Violation {
        Violation(rule, name) { program, generator in
            guard var texts = changes(program, &generator) else { return nil }
            for (path, text) in texts {
                let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
                guard let place = lines.firstIndex(where: { $0.contains("⟦") }) else { continue }
                let near = lines.indices.filter { lines[$0].hasPrefix("    let context: ") }
                guard let own = near.min(by: { abs($0 - place) < abs($1 - place) }) else { continue }
                var marked = lines
                marked[own] = "⟦" + lines[own]
                texts[path] = marked.joined(separator: "\n")
            }
            return texts
        }
    }
}
