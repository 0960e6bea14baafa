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
    /// Binds the probes and signals of the client before a context resolves it, so that its series exist from the start.
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
class ClientBinding<C: StatelessClient, Seen>: RegisteredClient {
    final override var type: ObjectIdentifier { ObjectIdentifier(C.self) }

    /// The client for the contexts of one type.
    func client(for caller: ComponentDescriptor) -> Seen? { nil }
}

/// A client with state, or its double.
///
/// This class and ``StatelessBinding`` have the same body. Swift cannot say of two generic types that one converts to the other,
/// so the conversion to what contexts see is written where both are known. One class for both would pass `any Client<S, A>` as
/// `any StatelessClient<A>`, which crashes with Swift 6.3.1.
final class StatefulBinding<C: Client, Actual: Client>: ClientBinding<C, any Client<C.StateType, C.ActionType>>
where Actual.StateType == C.StateType, Actual.ActionType == C.ActionType {
    private let actual: Actual
    private let environment: CallEnvironment
    /// Set if nothing is done around the client's actions. All contexts share it.
    private var plain: UnobservedClient<Actual>?
    private var wrappers: ClientWrappers<C, Actual, any Client<C.StateType, C.ActionType>>?

    init(_ actual: Actual, _ stores: ClientStores, _ environment: CallEnvironment) {
        self.actual = actual
        self.environment = environment
        super.init(stores)
    }

    override var client: (any StatelessClient)? { actual }
    override var id: UInt64? { environment.number(of: actual) }

    override func bind() {
        if environment.bindsEarly(C.self, component) { wrappers = ClientWrappers(actual, component, environment) }
    }

    override func client(for caller: ComponentDescriptor) -> (any Client<C.StateType, C.ActionType>)? {
        if let plain { return plain }
        let wrappers = wrappers ?? ClientWrappers(actual, component, environment)
        if wrappers.isPlain {
            let client = UnobservedClient(actual, stores)
            plain = client
            return client
        }
        self.wrappers = wrappers
        return wrappers.client(for: caller, actual, component, environment) {
            $0
        } intercepted: {
            $0
        }
    }
}

/// A client without state, or its double.
final class StatelessBinding<C: StatelessClient, Actual: StatelessClient>: ClientBinding<
    C, any StatelessClient<C.ActionType>
>
where Actual.ActionType == C.ActionType {
    private let actual: Actual
    private let environment: CallEnvironment
    /// Set if nothing is done around the client's actions. All contexts share it.
    private var plain: UnobservedClient<Actual>?
    private var wrappers: ClientWrappers<C, Actual, any StatelessClient<C.ActionType>>?

    init(_ actual: Actual, _ stores: ClientStores, _ environment: CallEnvironment) {
        self.actual = actual
        self.environment = environment
        super.init(stores)
    }

    override var client: (any StatelessClient)? { actual }
    override var id: UInt64? { environment.number(of: actual) }

    override func bind() {
        if environment.bindsEarly(C.self, component) { wrappers = ClientWrappers(actual, component, environment) }
    }

    override func client(for caller: ComponentDescriptor) -> (any StatelessClient<C.ActionType>)? {
        if let plain { return plain }
        let wrappers = wrappers ?? ClientWrappers(actual, component, environment)
        if wrappers.isPlain {
            let client = UnobservedClient(actual, stores)
            plain = client
            return client
        }
        self.wrappers = wrappers
        return wrappers.client(for: caller, actual, component, environment) {
            $0
        } intercepted: {
            $0
        }
    }
}
