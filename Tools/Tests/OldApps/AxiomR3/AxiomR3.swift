// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The protocols of revision 3 of the constraints, sections 3 and 8.

@_exported import Combine
import Foundation

public protocol Capability: AnyObject {
    var isAvailable: Bool { get }
    func checkAvailability() async -> Bool
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

public protocol StatelessClient: Client {}

@MainActor
public protocol Context: ObservableObject {
    associatedtype Action
    var orchestrator: Orchestrator { get }
    var downstreamContexts: [any Context] { get }
    func send(_ action: Action) async
    func onAppear() async
    func onDisappear() async
    func onBackground() async
    func onForeground() async
    func startObservation() async
    func stopObservation()
}

@MainActor
public protocol Orchestrator: ObservableObject {
    var rootContexts: [any Context] { get }
    var capabilityRegistry: CapabilityRegistry { get }
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
