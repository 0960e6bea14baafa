// SPDX-License-Identifier: Apache-2.0

/// The middleware that an application registered, by client type.
struct MiddlewareTable: Sendable {
    private struct Entry: Sendable {
        /// The name of the client type, for messages.
        let name: String
        var calls: [any Middleware<ActionCall, Void>] = []
        /// The middleware of the client's own actions: each is an `any Middleware<ActionType, ActionType.Answer>`.
        var actions: [any Sendable] = []
    }

    private var forAll: [any Middleware<ActionCall, Void>] = []
    private var entries: [ObjectIdentifier: Entry] = [:]

    mutating func add(_ middleware: any Middleware<ActionCall, Void>) { forAll.append(middleware) }

    mutating func add<C: StatelessClient>(_ middleware: any Middleware<ActionCall, Void>, calls client: C.Type) {
        entries[ObjectIdentifier(client), default: Entry(name: "\(client)")].calls.append(middleware)
    }

    mutating func add<C: StatelessClient>(
        _ middleware: any Middleware<C.ActionType, C.ActionType.Answer>,
        actions client: C.Type
    ) {
        entries[ObjectIdentifier(client), default: Entry(name: "\(client)")].actions.append(middleware)
    }

    /// The chains of a client, built once when the client is made.
    func chains<C: StatelessClient>(for client: C.Type) -> ActionChains<C.ActionType> {
        typealias Step = any Middleware<C.ActionType, C.ActionType.Answer>
        let entry = entries[ObjectIdentifier(client)]
        return ActionChains(
            calls: MiddlewareChain(forAll + (entry?.calls ?? [])),
            actions: MiddlewareChain(entry?.actions.compactMap { $0 as? Step } ?? [])
        )
    }

    /// The errors for middleware of client types that are not registered.
    func mistakes(registered: Set<ObjectIdentifier>) -> [CompositionError] {
        entries.filter { !registered.contains($0.key) }.map(\.value.name).sorted().map { name in
            CompositionError(
                .notRegistered,
                "A middleware is used for the client \(name), which is not registered.",
                "Register the client before start(), or name the type that it is registered as."
            )
        }
    }
}

/// The middleware chains of one client.
struct ActionChains<ActionType: Action>: Sendable {
    let calls: MiddlewareChain<ActionCall, Void>
    let actions: MiddlewareChain<ActionType, ActionType.Answer>

    /// Whether the actions pass other steps before the client: middleware or a validation.
    var isNeeded: Bool { !calls.isEmpty || !actions.isEmpty || ActionType.validates }
}
