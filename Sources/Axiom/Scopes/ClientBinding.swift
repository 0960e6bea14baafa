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

/// A client or its double, and what stands before it for contexts.
final class ClientBinding<C: StatelessClient, Actual: StatelessClient<C.ActionType>, Seen>: ResolvableClient<C, Seen> {
    /// What stands before the client.
    private enum Front {
        /// No context has resolved it yet.
        case unknown
        /// Nothing is done around its actions, so all contexts share one client.
        case plain(UnobservedClient<Actual>)
        case wrapped(ClientWrappers<C, Actual>)
    }

    private let actual: Actual
    private let environment: CallEnvironment
    private let seen: @MainActor (ClientForm<Actual>) -> Seen
    private var front = Front.unknown

    /// - Parameter seen: Converts the client to the type that contexts get. Swift cannot say of two generic types that
    ///   one converts to the other. A conversion of `any Client<S, A>` to `any StatelessClient<A>` crashes with Swift
    ///   6.3.1, so it is passed by the maker, who knows whether there is a state.
    init(
        _ actual: Actual,
        _ stores: ClientStores,
        _ environment: CallEnvironment,
        _ seen: @escaping @MainActor (ClientForm<Actual>) -> Seen
    ) {
        self.actual = actual
        self.environment = environment
        self.seen = seen
        super.init(stores)
    }

    override var client: (any StatelessClient)? { actual }
    override var id: UInt64? { environment.number(of: actual) }

    override func bind() {
        guard environment.bindsEarly(C.self, component) else { return }
        front = .wrapped(ClientWrappers(actual, component, environment))
    }

    override func client(for caller: ComponentDescriptor) -> Seen? {
        if case .unknown = front { front = makeFront() }
        switch front {
        case .unknown: return nil
        case .plain(let client): return seen(.plain(client))
        case .wrapped(let wrappers):
            return seen(wrappers.client(for: caller, actual, component, environment))
        }
    }

    private func makeFront() -> Front {
        let wrappers = ClientWrappers<C, Actual>(actual, component, environment)
        return wrappers.isPlain ? .plain(UnobservedClient(actual, stores)) : .wrapped(wrappers)
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
