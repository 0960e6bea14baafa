// SPDX-License-Identifier: Apache-2.0

#if Compatibility
public import Axiom

// Names of versions before 1.0 for the names of 1.0, so that a project can move file by file: the compiler warns at each use and
// offers the new name. Only names are here. What changed in meaning, such as initializers and registries, has none.

/// A client with a state.
@available(*, deprecated, renamed: "Client")
public typealias StatefulClient = Client

/// A capability whose availability changes.
@available(*, deprecated, renamed: "Capability")
public typealias ManagedCapability = Capability

extension StatelessClient {
    /// Processes an action.
    @available(*, deprecated, renamed: "process(_:)")
    public nonisolated(nonsending) func send(_ action: ActionType) async throws -> ActionType.Answer {
        try await process(action)
    }

    /// Processes an action. In the draft it neither waited nor failed.
    @available(*, deprecated, renamed: "process(_:)")
    public nonisolated(nonsending) func dispatch(_ action: ActionType) async throws -> ActionType.Answer {
        try await process(action)
    }
}

extension Client {
    /// The states of the client. Before 1.0 these were events.
    @available(*, deprecated, renamed: "stateStream")
    public nonisolated var stateUpdates: StateStream<StateType> { stateStream }
}

extension Context {
    /// A text that tells this context from all others of the process.
    @available(*, deprecated, message: "Use identity.")
    public var contextId: String { "\(identity.id)" }

    /// Runs when the context appears.
    @available(*, deprecated, renamed: "onAppear()")
    public func viewDidAppear() async throws { try await onAppear() }

    /// Runs when the context disappears.
    @available(*, deprecated, renamed: "onDisappear()")
    public func viewDidDisappear() async throws { try await onDisappear() }
}

extension Capability {
    /// Whether the capability is available.
    @available(*, deprecated, renamed: "isAvailable")
    public func checkAvailability() async -> Bool { await isAvailable }

    /// Releases what the capability holds.
    @available(*, deprecated, renamed: "terminate()")
    public func invalidate() async { await terminate() }
}
#endif
