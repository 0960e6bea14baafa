// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The protocols of revision 4 of the constraints, sections 3, 8 and 14.

@_exported import Combine
import Foundation

public protocol Capability: AnyObject {
    var isAvailable: Bool { get }
    func checkAvailability() async -> Bool
}

public protocol ManagedCapability: Capability {
    var availabilityPublisher: AsyncStream<Bool> { get }
    func onBecomeAvailable() async
    func onBecomeUnavailable() async
}

public protocol Client: Actor {
    associatedtype Action
    func send(_ action: Action) async throws
    func activate() async throws
    func deactivate() async
}

extension Client {
    public func activate() async throws {}
    public func deactivate() async {}
}

public protocol StatefulClient: Client {
    associatedtype State
    associatedtype StateUpdate
    var state: State { get async }
    nonisolated var stateUpdates: AsyncStream<StateUpdate> { get }
}

@MainActor
public protocol Context: ObservableObject {
    associatedtype Action
    var orchestrator: Orchestrator { get }
    var contextId: String { get }
    func send(_ action: Action) async
    func onAppear() async
    func onDisappear() async
    func onBackground() async
    func onForeground() async
    func startObservation() async
    func stopObservation()
}

extension Context {
    public var downstreamContexts: [any Context] { orchestrator.contextRegistry.children(of: contextId) }
}

@MainActor
public protocol Orchestrator: ObservableObject {
    var rootContexts: [any Context] { get }
    var capabilityRegistry: CapabilityRegistry { get }
    var contextRegistry: ContextRegistry { get }
    func createContext<T: Context>(_ type: T.Type, parent: (any Context)?) -> T
}

@MainActor
public final class CapabilityRegistry {
    private var capabilities: [ObjectIdentifier: any Capability] = [:]

    public init() {}

    public func register<T: Capability>(_ capability: T) { capabilities[ObjectIdentifier(T.self)] = capability }

    public func resolve<T: Capability>(_ type: T.Type) -> T {
        guard let capability = capabilities[ObjectIdentifier(type)] as? T else {
            fatalError("\(type) is not registered")
        }
        return capability
    }
}

@MainActor
public final class ContextRegistry {
    private var contexts: [String: any Context] = [:]
    private var edges: [String: [String]] = [:]

    public init() {}

    public func register(_ context: any Context) { contexts[context.contextId] = context }

    public func addRelationship(parent: any Context, child: any Context) {
        edges[parent.contextId, default: []].append(child.contextId)
    }

    func children(of id: String) -> [any Context] { (edges[id] ?? []).compactMap { contexts[$0] } }
}

public typealias ContextFactory = @MainActor (Orchestrator, (any Context)?) -> any Context

public enum AxiomError: Error, LocalizedError {
    case capabilityUnavailable(String)
    case stateInconsistency(String)
    case contextNotFound(String)
    case clientActionFailed(action: String, underlying: Error)

    public var errorDescription: String? {
        switch self {
        case .capabilityUnavailable(let name): "\(name) capability is not available"
        case .stateInconsistency(let details): "State inconsistency: \(details)"
        case .contextNotFound(let id): "Context not found: \(id)"
        case .clientActionFailed(let action, let error): "Client action '\(action)' failed: \(error)"
        }
    }
}
