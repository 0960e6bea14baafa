// SPDX-License-Identifier: Apache-2.0

/// The input of a context's factory: the identity to store, and access to clients and downstream contexts.
///
/// A scope cannot be copied or stored, so the dependencies of a context are fixed when it is made. It resolves no
/// capabilities: rule 2 holds because code that breaks it cannot be written.
public struct ContextScope: ~Copyable, Sendable {
    /// The identity that the new context stores.
    public let identity: ComponentIdentity
    let path: ResolutionPath
    let owner: ContextRuntime
    let factory: ContextFactory

    init(_ identity: ComponentIdentity, path: ResolutionPath, owner: ContextRuntime, factory: ContextFactory) {
        self.identity = identity
        self.path = path
        self.owner = owner
        self.factory = factory
    }

    /// The client of this type. All contexts of the orchestrator share it.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/notRegistered``.
    @MainActor
    public func client<C: Client & Component>(_ type: C.Type) throws -> any Client<C.StateType, C.ActionType> {
        try factory.clients.resolve(type, for: identity.descriptor)
    }

    /// The stateless client of this type. All contexts of the orchestrator share it.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/notRegistered``.
    @MainActor
    public func client<C: StatelessClient & Component>(_ type: C.Type) throws -> any StatelessClient<C.ActionType> {
        try factory.clients.resolve(type, for: identity.descriptor)
    }

    /// A new downstream context. The context under construction owns it: it appears, disappears and ends with its
    /// owner.
    ///
    /// - Throws: ``CompositionError`` if the type is not registered or is already under construction further up
    ///   (rule 8); any error of its factory.
    @MainActor
    public func context<C: Context>(_ type: C.Type, _ input: C.Input) throws -> C {
        try factory.make(type, input, upstream: owner, path: path)
    }

    /// A new downstream context that takes no input.
    ///
    /// - Throws: As ``context(_:_:)``.
    @MainActor
    public func context<C: Context>(_ type: C.Type) throws -> C where C.Input == Void {
        try context(type, ())
    }
}

/// The input of a request handler's factory: the identity to store, and access to clients.
///
/// A scope cannot be copied or stored, so the dependencies of a handler are fixed when it is made. It resolves no
/// capabilities and no contexts: rule 2 holds because code that breaks it cannot be written.
public struct HandlerScope: ~Copyable {
    /// The identity that the new handler stores.
    public let identity: ComponentIdentity
    private let clients: ClientRegistry

    init(_ identity: ComponentIdentity, _ clients: ClientRegistry) {
        (self.identity, self.clients) = (identity, clients)
    }

    /// The client of this type, which all handlers and contexts of the orchestrator share.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/notRegistered``; ``ClientError`` if it did not start.
    public func client<C: Client & Component>(_ type: C.Type) throws -> any Client<C.StateType, C.ActionType> {
        let (clients, asker) = (clients, identity.descriptor)
        // The orchestrator runs factories on the main actor, and a scope that is borrowed and not Sendable stays there.
        return try MainActor.assumeIsolated { try clients.resolve(type, for: asker) }
    }

    /// The stateless client of this type, which all handlers and contexts of the orchestrator share.
    ///
    /// - Throws: As for a client with state.
    public func client<C: StatelessClient & Component>(_ type: C.Type) throws -> any StatelessClient<C.ActionType> {
        let (clients, asker) = (clients, identity.descriptor)
        return try MainActor.assumeIsolated { try clients.resolve(type, for: asker) }
    }
}

@available(*, unavailable)
extension HandlerScope: Sendable {}

/// The contexts under construction, from the mounted root to the innermost.
struct ResolutionPath: Sendable {
    /// A context that is registered as recursive may contain itself. Beyond this depth, the recursion is treated as
    /// infinite. Each level uses part of the main thread's stack.
    static let depthLimit = 256

    private(set) var components: [ComponentDescriptor] = []

    /// The path with `component` at its end.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/contextCycle`` if the path already contains the
    ///   component and it is not registered as recursive, or ``ErrorCode/contextsTooDeep`` if the path has
    ///   ``depthLimit`` components.
    func appending(_ component: ComponentDescriptor, recursive: Bool) throws -> ResolutionPath {
        if !recursive, let start = components.firstIndex(of: component) {
            throw CompositionError.contextCycle(ComponentGraph.Cycle(path: components[start...] + [component]))
        }
        if components.count == Self.depthLimit {
            let end = (components.suffix(3) + [component]).map(\.name).joined(separator: " → ")
            throw CompositionError(
                .contextsTooDeep,
                "More than \(Self.depthLimit) contexts contain each other, the last of them \(end).",
                "End the recursion in the factory, or make deeper levels when they are shown."
            )
        }
        var path = self
        path.components.append(component)
        return path
    }
}

extension ContextScope {
    /// A new downstream context with other values. They apply to it and to all contexts below it.
    ///
    /// - Parameter change: Sets values on top of those of the context under construction. It runs once: what it sets
    ///   does not follow later changes at the orchestrator.
    /// - Throws: As ``context(_:_:)``.
    @MainActor
    public func context<C: Context>(
        _ type: C.Type,
        _ input: C.Input,
        _ change: (inout AppValues) throws -> Void
    ) throws -> C {
        try factory.make(type, input, upstream: owner, path: path, values: owner.values?.overriding(change))
    }

    /// A new downstream context that takes no input, with other values.
    ///
    /// - Throws: As ``context(_:_:)``.
    @MainActor
    public func context<C: Context>(_ type: C.Type, _ change: (inout AppValues) throws -> Void) throws -> C
    where C.Input == Void {
        try context(type, (), change)
    }
}
