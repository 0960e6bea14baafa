// SPDX-License-Identifier: Apache-2.0

/// One client of a run. There is such an object for each client, so it holds only what every client needs.
@MainActor
class RegisteredClient {
    /// What its scope made.
    let stores: ClientStores

    init(_ stores: ClientStores) { self.stores = stores }

    final var component: ComponentDescriptor { stores.component }
    /// The type under which contexts resolve it.
    var type: ObjectIdentifier { ObjectIdentifier(Self.self) }
    /// The client, or the double that replaces it; nil if it has failed.
    var client: (any StatelessClient)? { nil }
    /// The number of the client; nil if the orchestrator did not make it.
    var id: UInt64? { nil }
    /// Binds the client's probes and signals before a context resolves it, so that its series exist from the start.
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
final class ClientBinding<C: StatelessClient, View: ClientView>: ResolvableClient<C, View.Seen>
where View.Actual: StatelessClient<C.ActionType> {
    /// What stands before the client.
    private enum Front {
        /// No context has resolved it yet.
        case unknown(CallEnvironment)
        /// Nothing is done around its actions, so all contexts share one client.
        case plain(UnobservedClient<View.Actual>, CallEnvironment)
        case wrapped(ClientWrappers<C, View.Actual>)
    }

    private let actual: View.Actual
    private var front: Front

    init(_ actual: View.Actual, _ stores: ClientStores, _ environment: CallEnvironment) {
        self.actual = actual
        front = .unknown(environment)
        super.init(stores)
    }

    private var environment: CallEnvironment {
        switch front {
        case .unknown(let environment), .plain(_, let environment): environment
        case .wrapped(let wrappers): wrappers.environment
        }
    }

    override var client: (any StatelessClient)? { actual }
    override var id: UInt64? { environment.number(of: actual) }

    override func bind() {
        guard environment.bindsEarly(C.self, component) else { return }
        front = .wrapped(ClientWrappers(actual, component, environment))
    }

    override func client(for caller: ComponentDescriptor) -> View.Seen? {
        switch front {
        case .plain(let client, _): return View.see(.plain(client))
        case .wrapped(let wrappers): return View.see(wrappers.client(for: caller, actual, component))
        case .unknown(let environment):
            let wrappers = ClientWrappers<C, View.Actual>(actual, component, environment)
            front = wrappers.isPlain ? .plain(UnobservedClient(actual, stores), environment) : .wrapped(wrappers)
            return client(for: caller)
        }
    }
}

/// The client that a context gets, by what is done around its actions.
enum ClientForm<Actual: StatelessClient> {
    case plain(UnobservedClient<Actual>)
    case observed(ObservedClient<Actual>)
    case intercepted(InterceptedClient<Actual, Actual.ActionType, Actual.ActionType.Answer>)
}

/// Converts a client to the type that contexts get. A type for each, because a closure for each client takes memory.
protocol ClientView<Actual, Seen> {
    associatedtype Actual: StatelessClient
    associatedtype Seen

    static func see(_ form: ClientForm<Actual>) -> Seen
}

enum StatelessView<Actual: StatelessClient>: ClientView {
    static func see(_ form: ClientForm<Actual>) -> any StatelessClient<Actual.ActionType> {
        switch form {
        case .plain(let client): client
        case .observed(let client): client
        case .intercepted(let client): client
        }
    }
}

enum StatefulView<Actual: Client>: ClientView {
    static func see(_ form: ClientForm<Actual>) -> any Client<Actual.StateType, Actual.ActionType> {
        switch form {
        case .plain(let client): client
        case .observed(let client): client
        case .intercepted(let client): client
        }
    }
}
