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

    /// The service of this type; see ``Orchestrator/provide(_:_:_:)``.
    ///
    /// - Throws: ``CompositionError`` if it is not provided, or if services require each other in a cycle; any error of
    ///   its factory.
    public func service<S: Sendable>(_ type: S.Type) throws -> S {
        try resolver.services.resolve(type, for: "The \(identity.descriptor)")
    }

    /// Ends an error of the new capability that it cannot throw, such as one of a task of its own, at the boundary of the
    /// orchestrator. The capability may keep it. It does nothing after the end of the orchestrator.
    package var report: @Sendable (any Error) async -> Void {
        let (report, component) = (resolver.report, identity.descriptor)
        return { await report($0, component) }
    }
}
