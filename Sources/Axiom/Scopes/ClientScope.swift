// SPDX-License-Identifier: Apache-2.0

/// What the factory of a client is given: the identity to store, access to capabilities, and the state store.
///
/// A scope cannot be copied or stored, so what a client depends on is settled when it is made. It resolves no
/// clients and no contexts: rules 1, 5 and 6 hold because there is no way to write the contrary.
public struct ClientScope: ~Copyable, Sendable {
    /// The identity that the new client stores.
    public let identity: ComponentIdentity
    private let resolver: CapabilityResolver

    init(_ identity: ComponentIdentity, _ resolver: CapabilityResolver) {
        self.identity = identity
        self.resolver = resolver
    }

    /// A reference to a capability.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/notRegistered``.
    public func capability<C: Sendable>(_ type: C.Type) throws -> CapabilityRef<C> {
        try resolver.resolve(type, for: identity.descriptor)
    }

    /// The store of the state that the new client owns, observed under the client's name.
    public func store<S: OwnedState>(_ initial: S) -> StateStore<S> {
        #if Instrumented
        let store = StateStore(initial, probe: Hooks.stateProbe(for: identity), clock: identity.port.clock)
        identity.addStore(bytes: store.frameworkBytes)
        return store
        #else
        StateStore(initial, probe: nil, clock: identity.port.clock)
        #endif
    }
}
