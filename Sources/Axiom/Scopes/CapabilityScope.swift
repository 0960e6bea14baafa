// SPDX-License-Identifier: Apache-2.0

/// The input of a capability's factory: the identity to store, and access to other capabilities.
///
/// A scope cannot be copied or stored, so the dependencies of a capability are fixed when it is made.
public struct CapabilityScope: ~Copyable, Sendable {
    /// The identity that the new capability stores.
    public let identity: ComponentIdentity
    /// Accepts the new capability's reports of how much of it works. The capability may keep it.
    public let status: CapabilityStatus
    private let resolver: CapabilityResolver

    init(_ identity: ComponentIdentity, _ status: CapabilityStatus, _ resolver: CapabilityResolver) {
        self.identity = identity
        self.status = status
        self.resolver = resolver
    }

    /// A reference to another capability, which is initialised before the new one.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/notRegistered``.
    public func capability<C: Sendable>(_ type: C.Type) throws -> CapabilityRef<C> {
        try resolver.resolve(type, for: identity.descriptor)
    }
}
