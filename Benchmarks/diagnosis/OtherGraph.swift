// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// One call that a call makes.
struct OtherEdge: Sendable {
    let part: Int
    /// Which of the calls of that part.
    let call: Int
    let probability: Double
    /// Whether the caller goes on without it if it fails.
    let isTolerant: Bool
}

/// One of the named calls of a capability, or one of the actions of a client, a context or a request handler.
struct OtherCall: Sendable {
    let work: OtherWork
    let edges: [OtherEdge]
}

/// A component of the second generator.
struct OtherPart: Sendable {
    let component: ComponentDescriptor
    var calls: [OtherCall] = []
    /// Whether it throws an error of its own, with that of its callee as the cause.
    var wrapsErrors = false
    /// Whether it makes its calls at the same time, and not one after the other.
    var isParallel = false
    /// The share of calls that fail in a healthy application.
    var failing = 0.0
    /// The share of attempts that are repeated in a healthy application.
    var repeated = 0.0
    /// The share of calls that its cache answers; 0 without a cache.
    var hits = 0.0
    var hasPool = false
    /// The usual size of the state, in bytes.
    var bytes = 0.0
    /// The seconds in which half of the state is filled at the start.
    var warmUp = 0.0
    /// How many instances of a context are opened in a second.
    var opened = 0.0
    /// How long instances of a context live on average, in seconds.
    var lifetime = 0.0
}

/// A random graph of components: each has a greater index than what it calls.
struct OtherGraph: Sendable {
    enum Shape: String, Sendable, CaseIterable {
        /// Contexts, clients, services, gateways and stores, each above the next.
        case layers
        /// All clients need one capability.
        case hub
        /// Capabilities that call one after the other.
        case chain
        /// Request handlers above clients that share gateways and stores.
        case backend
    }

    static let callNames: [StaticString] = ["get", "put", "list", "query"]

    let shape: Shape
    private(set) var parts: [OtherPart] = []
    private var names: [ComponentKind: [String]] = [:]

    init(_ dice: inout OtherDice) {
        shape = dice.pick(Shape.allCases) ?? .layers
        // A dictionary has no order that a seed repeats.
        for kind in ComponentKind.allCases { names[kind] = dice.mixed(Self.names[kind] ?? []) }
        switch shape {
        case .layers: addLayers(&dice)
        case .hub: addHub(&dice)
        case .chain: addChain(&dice)
        case .backend: addBackend(&dice)
        }
    }

    private mutating func addLayers(_ dice: inout OtherDice) {
        let stores = add(.capability, dice.number(1, 3), over: [], 0...0, &dice)
        let gateways = add(.capability, dice.number(1, 3), over: stores, 1...2, &dice)
        let services = add(.capability, dice.number(2, 4), over: gateways + stores.prefix(1), 1...2, &dice)
        let clients = add(.client, dice.number(3, 7), over: services, 1...2, &dice)
        _ = add(.context, dice.number(2, 5), over: clients, 1...3, &dice)
    }

    private mutating func addHub(_ dice: inout OtherDice) {
        let stores = add(.capability, dice.number(1, 2), over: [], 0...0, &dice)
        let hub = add(.capability, 1, over: stores, 1...1, &dice)
        let adapters = add(.capability, dice.number(0, 3), over: hub, 1...1, &dice)
        let clients = add(.client, dice.number(3, 9), over: hub + hub + adapters, 1...1, &dice)
        _ = add(.context, dice.number(2, 6), over: clients, 1...2, &dice)
    }

    private mutating func addChain(_ dice: inout OtherDice) {
        var top = add(.capability, 1, over: [], 0...0, &dice)
        for _ in 0..<dice.number(2, 5) { top = add(.capability, 1, over: top, 1...1, &dice) }
        let sides = add(.capability, dice.number(0, 2), over: [], 0...0, &dice)
        let clients = add(.client, dice.number(1, 4), over: top + top + sides, 1...2, &dice)
        _ = add(.context, dice.number(1, 3), over: clients, 1...2, &dice)
    }

    private mutating func addBackend(_ dice: inout OtherDice) {
        let stores = add(.capability, 3, over: [], 0...0, &dice)
        let gateways = add(.capability, dice.number(1, 2), over: stores, 1...2, &dice)
        let clients = add(.client, dice.number(2, 6), over: gateways + stores.prefix(1), 1...2, &dice)
        _ = add(.request, dice.number(1, 3), over: clients, 1...2, &dice)
        _ = add(.context, dice.number(0, 1), over: clients, 1...2, &dice)
    }

    /// Adds components of a kind, each of whose calls makes some calls of `targets`.
    private mutating func add(
        _ kind: ComponentKind,
        _ count: Int,
        over targets: [Int],
        _ fan: ClosedRange<Int>,
        _ dice: inout OtherDice
    ) -> [Int] {
        (0..<count).map { _ in
            let name = names[kind]?.popLast() ?? "Spare\(parts.count)"
            var part = OtherPart(component: ComponentDescriptor(kind: kind, name: name))
            for _ in 0..<dice.number(1, 4) { part.calls.append(call(kind, targets, fan, &dice)) }
            describe(&part, isLeaf: targets.isEmpty, &dice)
            parts.append(part)
            return parts.count - 1
        }
    }

    private func call(
        _ kind: ComponentKind,
        _ targets: [Int],
        _ fan: ClosedRange<Int>,
        _ dice: inout OtherDice
    ) -> OtherCall {
        let work =
            switch (kind, targets.isEmpty) {
            case (.capability, true): OtherWork(2e-4, 0.12, &dice)
            case (.capability, false): OtherWork(2e-5, 5e-3, &dice)
            default: OtherWork(1e-5, 2e-3, &dice)
            }
        var edges: [OtherEdge] = []
        for target in dice.mixed(targets).prefix(dice.number(fan.lowerBound, fan.upperBound)) {
            let (isSure, isTolerant) = (dice.chance(0.6), dice.chance(0.1))
            let call = dice.number(0, parts[target].calls.count - 1)
            let probability = isSure ? 1 : dice.between(0.2, 1)
            edges.append(OtherEdge(part: target, call: call, probability: probability, isTolerant: isTolerant))
        }
        return OtherCall(work: work, edges: edges)
    }

    private func describe(_ part: inout OtherPart, isLeaf: Bool, _ dice: inout OtherDice) {
        part.wrapsErrors = dice.chance(0.4)
        part.isParallel = dice.chance(0.25)
        part.failing = dice.chance(0.5) ? dice.between(0, 0.01) : 0
        switch part.component.kind {
        case .capability:
            part.repeated = dice.chance(0.3) ? dice.between(0, 0.01) : 0
            part.hits = dice.chance(0.3) ? dice.between(0.7, 0.97) : 0
            part.hasPool = isLeaf && dice.chance(0.5)
        case .client:
            part.bytes = dice.scale(1_000, 500_000)
            part.warmUp = dice.chance(0.3) ? dice.between(10, 60) : 0
        case .context: (part.opened, part.lifetime) = (dice.scale(0.02, 0.5), dice.scale(10, 120))
        case .request, .orchestrator, .presentation: break
        }
    }

    /// Lets no call fail without a fault.
    mutating func neverFail() {
        for index in parts.indices { (parts[index].failing, parts[index].repeated) = (0, 0) }
    }

    /// Lets every component throw errors of its own.
    mutating func wrapAllErrors() {
        for index in parts.indices { parts[index].wrapsErrors = true }
    }

    private static let names: [ComponentKind: [String]] = [
        .capability: [
            "Gateway", "Database", "Keychain", "BlobStore", "Pricing", "Session", "Catalogue", "Geocoder", "Mailer",
            "Ledger", "Codec", "Transport", "Uplink", "Sensors", "Vault", "Thumbnails",
        ],
        .client: [
            "CartClient", "OrderClient", "SearchClient", "ProfileClient", "MapClient", "ChatClient", "FeedClient",
            "StockClient", "AlarmClient", "BillingClient",
        ],
        .context: ["HomeContext", "CheckoutContext", "BrowseContext", "AccountContext", "TripContext", "InboxContext"],
        .request: ["OrdersHandler", "SearchHandler", "AdminHandler"],
    ]
}
