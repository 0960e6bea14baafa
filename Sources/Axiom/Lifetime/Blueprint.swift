// SPDX-License-Identifier: Apache-2.0

/// The registrations of an orchestrator. Each ``Orchestrator/start()`` makes components from them.
@MainActor
struct Blueprint {
    struct CapabilityPlan {
        let type: ComponentNames.Request
        let build: @MainActor (ComponentDescriptor, InstrumentationPort, inout CapabilityResolver) -> any CapabilityNode
    }

    struct ClientPlan {
        let type: ComponentNames.Request
        /// The state that the client owns, with its name; nil for a stateless client.
        let state: (type: ObjectIdentifier, name: String)?
        let make: @MainActor (ComponentDescriptor, ClientFactory) throws -> RegisteredClient
        let fail: @MainActor (ComponentDescriptor, ClientRegistry, any Error) -> Void
    }

    struct ContextPlan {
        let type: ComponentNames.Request
        let install: @MainActor (ComponentDescriptor, ContextFactory, InstrumentationPort) -> Void
        /// Makes a context without an input; nil for a context that takes one.
        let makeWithoutInput: (@MainActor @Sendable (ContextFactory, ComponentDescriptor) throws -> any Context)?
    }

    struct HandlerPlan {
        let type: ComponentNames.Request
        let endpoint: any OrchestratedEndpoint
    }

    private(set) var capabilities: [CapabilityPlan] = []
    private(set) var clients: [ClientPlan] = []
    private(set) var contexts: [ContextPlan] = []
    private(set) var handlers: [HandlerPlan] = []
    var middleware = MiddlewareTable()
    /// By the type under which they are resolved.
    private(set) var services: [ObjectIdentifier: ServicePlan] = [:]
    /// The sources of changes to monitor in each run.
    var monitors: [MonitorPlan] = []
    private(set) var mistakes: [CompositionError] = []
    /// Those of ``note(_:)``, each once.
    private var noted: Set<CompositionError> = []
    /// For each type of plan the index in its list, by the type under which a component is resolved.
    private var indices: [ObjectIdentifier: [ObjectIdentifier: Int]] = [:]
    /// By the type of a state: the indices of the clients that own it or did before they were replaced, in order.
    private var owners: [ObjectIdentifier: [Int]] = [:]

    mutating func note(_ mistake: CompositionError?) {
        if let mistake, noted.insert(mistake).inserted { mistakes.append(mistake) }
    }

    mutating func add(_ plan: CapabilityPlan, replacing: Bool) {
        add(plan, to: \.capabilities, replacing: replacing)
    }

    mutating func add(_ plan: ClientPlan, replacing: Bool) {
        if let state = plan.state, let other = owner(of: state.type, otherThan: plan.type) {
            mistakes.append(
                CompositionError(
                    .stateOwnedTwice,
                    "\(plan.type.preferred) and \(other.preferred) both own the state \(state.name).",
                    "Give each client a state type of its own, or let one client own it."
                )
            )
        }
        add(plan, to: \.clients, replacing: replacing)
        guard let state = plan.state?.type, let index = index(of: plan) else { return }
        if owners[state]?.last.map({ $0 < index }) ?? true {
            owners[state, default: []].append(index)
        } else if owners[state]?.contains(index) == false {
            owners[state]?.append(index)
            owners[state]?.sort()
        }
    }

    mutating func add(_ plan: ContextPlan, replacing: Bool) {
        add(plan, to: \.contexts, replacing: replacing)
    }

    mutating func add(_ plan: HandlerPlan) { add(plan, to: \.handlers, replacing: false) }

    mutating func add(_ plan: ServicePlan, replacing: Bool) {
        let key = plan.key
        if services[key] != nil, !replacing { mistakes.append(.registeredTwice(plan.name, plan.name)) }
        services[key] = plan
    }

    /// The types of the capabilities, and those under which they are resolved.
    var capabilityTypes: Set<ObjectIdentifier> { Set(capabilities.flatMap { [$0.type.key, $0.type.type] }) }

    /// What sends requests to the handler of this type; nil if it is not registered.
    func endpoint(_ handler: ObjectIdentifier) -> (any OrchestratedEndpoint)? {
        indices[ObjectIdentifier(HandlerPlan.self)]?[handler].map { handlers[$0].endpoint }
    }

    /// The mistakes in the registrations and in the middleware.
    var allMistakes: [CompositionError] {
        mistakes + middleware.mistakes(registered: Set(clients.map(\.type.type)))
    }

    private func owner(of state: ObjectIdentifier, otherThan client: ComponentNames.Request) -> ComponentNames.Request?
    {
        owners[state]?.lazy.map { clients[$0] }.first { $0.state?.type == state && $0.type.type != client.type }?.type
    }

    /// The index in its list of the plan that is resolved as this one; nil if there is none.
    private func index<Plan: RegisteredPlan>(of plan: Plan) -> Int? {
        indices[ObjectIdentifier(Plan.self)]?[plan.type.key]
    }

    private mutating func add<Plan: RegisteredPlan>(
        _ plan: Plan,
        to list: WritableKeyPath<Blueprint, [Plan]>,
        replacing: Bool
    ) {
        if let mistake = CompositionError.invalidName(plan.type) { mistakes.append(mistake) }
        guard let index = index(of: plan) else {
            indices[ObjectIdentifier(Plan.self), default: [:]][plan.type.key] = self[keyPath: list].count
            self[keyPath: list].append(plan)
            return
        }
        if replacing {
            self[keyPath: list][index] = plan
        } else {
            mistakes.append(.registeredTwice(self[keyPath: list][index].type.preferred, plan.type.preferred))
        }
    }
}

/// A plan of any kind, with the type that it makes.
@MainActor
protocol RegisteredPlan {
    var type: ComponentNames.Request { get }
}

extension Blueprint.CapabilityPlan: RegisteredPlan {}
extension Blueprint.ClientPlan: RegisteredPlan {}
extension Blueprint.ContextPlan: RegisteredPlan {}
extension Blueprint.HandlerPlan: RegisteredPlan {}

extension CompositionError {
    /// The error for a name that is blank or longer than 256 bytes; nil for a valid one.
    static func invalidName(_ type: ComponentNames.Request) -> Self? {
        let name = type.preferred
        guard name.allSatisfy(\.isWhitespace) || name.utf8.count > 256 else { return nil }
        return CompositionError(
            .invalidName,
            "The name of \(type.qualified.prefix(256)) is \(name.utf8.count > 256 ? "\(name.utf8.count) bytes long" : "blank").",
            "Give it a componentName of 1 to 256 bytes: metrics, errors and graphs show it."
        )
    }

    /// Two registrations in one slot: the same type twice, or two capabilities under the same protocol.
    static func registeredTwice(_ first: String, _ second: String) -> Self {
        CompositionError(
            .registeredTwice,
            first == second
                ? "\(first) is registered twice." : "\(first) and \(second) are registered as the same type.",
            "Register each type once; use override(…) to replace one in a test."
        )
    }
}

/// The names of one orchestrator's components, unique among them.
@MainActor
struct NameTable {
    /// The names that differ from the preferred ones.
    private var names: [ObjectIdentifier: String] = [:]
    /// By the capability's own type, which may be registered under several types, and by the type under which it is
    /// registered.
    private var capabilities: [ObjectIdentifier: [ComponentDescriptor]] = [:]
    private var presentations: [ObjectIdentifier: ComponentDescriptor] = [:]
    private let blueprint: Blueprint

    /// Names everything that was registered.
    init(_ blueprint: Blueprint) {
        var requests = ComponentNames()
        for plan in blueprint.capabilities { requests.add(plan.type) }
        for plan in blueprint.clients { requests.add(plan.type) }
        for plan in blueprint.contexts { requests.add(plan.type) }
        for plan in blueprint.handlers { requests.add(plan.type) }
        self.blueprint = blueprint
        let plans = blueprint.capabilities as [any RegisteredPlan] + blueprint.clients + blueprint.contexts
        let types = (plans + blueprint.handlers).map(\.type)
        let resolved = requests.resolved()
        for type in types where resolved[type.key] != type.preferred { names[type.key] = resolved[type.key] }
        for plan in blueprint.capabilities {
            let component = descriptor(of: plan.type, .capability)
            for key in Set([plan.type.key, plan.type.type]) { capabilities[key, default: []].append(component) }
        }
    }

    func descriptor(of type: ComponentNames.Request, _ kind: ComponentKind) -> ComponentDescriptor {
        ComponentDescriptor(kind: kind, name: names[type.key] ?? type.preferred)
    }

    /// The capabilities of this type, or the one that is registered under it.
    func capabilities<C>(_ type: C.Type) -> [ComponentDescriptor] {
        capabilities(ObjectIdentifier(type))
    }

    func capabilities(_ type: ObjectIdentifier) -> [ComponentDescriptor] {
        capabilities[type, default: []]
    }

    /// The presentation of this type. It gets its name on first use. Returns the descriptor, and whether it is new.
    mutating func presentation<P: Presentation>(_ type: P.Type) -> (component: ComponentDescriptor, isNew: Bool) {
        if let known = presentations[ObjectIdentifier(type)] { return (known, false) }
        let isTaken = taken.contains(P.componentName)
        let name = isTaken ? ComponentNames.qualifiedName(of: type) : P.componentName
        let free = ComponentNames.free(name, isTaken: taken.contains)
        let component = ComponentDescriptor(kind: .presentation, name: free)
        taken.insert(free)
        presentations[ObjectIdentifier(type)] = component
        return (component, true)
    }

    /// All names. Made for the first presentation, because an application without a screen has none.
    private lazy var taken: Set<String> = {
        var taken: Set<String> = []
        for plan in blueprint.capabilities { taken.insert(descriptor(of: plan.type, .capability).name) }
        for plan in blueprint.clients { taken.insert(descriptor(of: plan.type, .client).name) }
        for plan in blueprint.contexts { taken.insert(descriptor(of: plan.type, .context).name) }
        for plan in blueprint.handlers { taken.insert(descriptor(of: plan.type, .request).name) }
        return taken
    }()
}
