// SPDX-License-Identifier: Apache-2.0

/// One client of a run. There is such an object for each client, so it holds only what every client needs.
@MainActor
class RegisteredClient {
    /// What its scope made.
    let stores: ClientStores

    init(_ stores: ClientStores) {
        self.stores = stores
    }

    final var component: ComponentDescriptor { stores.component }
    /// The type under which contexts resolve it.
    var type: ObjectIdentifier { ObjectIdentifier(Self.self) }
    /// The client, or the double that replaces it; nil if it has failed.
    var client: (any StatelessClient)? { nil }
    /// The number of the client; nil if the orchestrator did not make it.
    var id: UInt64? { nil }
    /// Binds the probes and signals of the client before a context resolves it, so that its series exist from the
    /// start.
    func bind() {}
}

/// A client that contexts cannot resolve.
final class FailedClient: RegisteredClient {
    let error: any Error
    private let registered: ObjectIdentifier
    private let number: UInt64?

    /// - Parameter earlier: The client before it failed; nil if none was made.
    init(
        _ type: ObjectIdentifier,
        _ component: ComponentDescriptor,
        _ error: any Error,
        replacing earlier: RegisteredClient?
    ) {
        self.error = error
        registered = type
        number = earlier?.id
        super.init(earlier?.stores ?? ClientStores(component, nil))
    }

    override var type: ObjectIdentifier { registered }
    override var id: UInt64? { number }
}

/// A client that contexts can resolve.
///
/// - Parameters:
///   - C: The registered type of the client.
///   - Seen: The type that contexts get: `any Client` or `any StatelessClient` of the types of `C`.
class ResolvableClient<C: StatelessClient, Seen>: RegisteredClient {
    final override var type: ObjectIdentifier { ObjectIdentifier(C.self) }

    /// The client for the contexts of one type.
    func client(for caller: ComponentDescriptor) -> Seen? { nil }
}

/// A client with state or its double, and what stands before it for contexts.
final class StatefulBinding<C: Client, Actual: Client<C.StateType, C.ActionType>>:
    ResolvableClient<C, any Client<C.StateType, C.ActionType>>
{
    private let actual: Actual
    private var front: ClientFront<C, Actual>

    init(_ actual: Actual, _ stores: ClientStores, _ environment: CallEnvironment) {
        self.actual = actual
        front = .unknown(environment)
        super.init(stores)
    }

    override var client: (any StatelessClient)? { actual }
    override var id: UInt64? { front.environment.number(of: actual) }
    override func bind() { front.bind(actual, component) }

    override func client(for caller: ComponentDescriptor) -> (any Client<C.StateType, C.ActionType>)? {
        front.client(for: caller, actual, stores).stateful
    }
}

final class StatelessBinding<C: StatelessClient, Actual: StatelessClient<C.ActionType>>:
    ResolvableClient<C, any StatelessClient<C.ActionType>>
{
    private let actual: Actual
    private var front: ClientFront<C, Actual>

    init(_ actual: Actual, _ stores: ClientStores, _ environment: CallEnvironment) {
        self.actual = actual
        front = .unknown(environment)
        super.init(stores)
    }

    override var client: (any StatelessClient)? { actual }
    override var id: UInt64? { front.environment.number(of: actual) }
    override func bind() { front.bind(actual, component) }

    override func client(for caller: ComponentDescriptor) -> (any StatelessClient<C.ActionType>)? {
        front.client(for: caller, actual, stores).stateless
    }
}

/// What stands before a client for contexts: one word for each client.
@MainActor
private enum ClientFront<C: StatelessClient, Actual: StatelessClient<C.ActionType>> {
    /// No context has resolved it yet.
    case unknown(CallEnvironment)
    /// Nothing is done around its actions, so all contexts share one client.
    case plain(UnobservedClient<Actual>)
    case wrapped(ClientWrappers<C, Actual>)

    var environment: CallEnvironment {
        switch self {
        case .unknown(let environment): environment
        case .plain(let client): client.environment
        case .wrapped(let wrappers): wrappers.environment
        }
    }

    mutating func bind(_ client: Actual, _ component: ComponentDescriptor) {
        guard environment.bindsEarly(C.self, component) else { return }
        self = .wrapped(ClientWrappers(client, component, environment))
    }

    mutating func client(
        for caller: ComponentDescriptor,
        _ client: Actual,
        _ stores: ClientStores
    ) -> ClientForm<Actual> {
        switch self {
        case .plain(let client): return .plain(client)
        case .wrapped(let wrappers): return wrappers.client(for: caller, client, stores.component)
        case .unknown(let environment):
            let wrappers = ClientWrappers<C, Actual>(client, stores.component, environment)
            self = wrappers.isPlain ? .plain(UnobservedClient(client, stores, environment)) : .wrapped(wrappers)
            return self.client(for: caller, client, stores)
        }
    }
}

/// The client that a context gets, by what is done around its actions.
enum ClientForm<Actual: StatelessClient> {
    case plain(UnobservedClient<Actual>)
    case observed(ObservedClient<Actual>)
    case intercepted(InterceptedClient<Actual, Actual.ActionType, Actual.ActionType.Answer>)

    /// As the contexts of a stateless client see it.
    var stateless: any StatelessClient<Actual.ActionType> {
        switch self {
        case .plain(let client): client
        case .observed(let client): client
        case .intercepted(let client): client
        }
    }
}

extension ClientForm where Actual: Client {
    /// As the contexts of a client with state see it.
    var stateful: any Client<Actual.StateType, Actual.ActionType> {
        switch self {
        case .plain(let client): client
        case .observed(let client): client
        case .intercepted(let client): client
        }
    }
}
