// SPDX-License-Identifier: Apache-2.0

/// What an orchestrator consists of at one moment: a value, for tests, logs and tools.
///
/// ```swift
/// print(orchestrator.inspect().debugDescription)
/// ```
/// It contains names, numbers and counts. States, inputs of contexts, texts of errors and configurations, which can
/// contain secrets, are never part of it.
public struct Inspection: Codable, Sendable, Hashable {
    /// A registered capability.
    public struct Capability: Codable, Sendable, Hashable {
        /// The name of the component.
        public let name: String
        /// The number of the instance; nil if there is none.
        public let id: UInt64?
        /// `absent`, `constructed` or `initialised`.
        public let phase: String
        /// `required` or `optional`.
        public let requirement: String
        /// The level that is in effect, limited by the dependencies.
        public let level: String
        /// The level that the capability reported last.
        public let ownLevel: String
        /// The cached answer of the latest availability check; nil if there is none.
        public let isAvailable: Bool?
    }

    /// A registered client.
    public struct Client: Codable, Sendable, Hashable {
        /// A state store of the client. The state itself is not part of an inspection.
        public struct Store: Codable, Sendable, Hashable {
            /// The name of the type of the state.
            public let state: String
            /// How many subscriptions are open.
            public let subscribers: Int
            /// How many states the subscribers have not taken yet.
            public let pending: Int
        }

        /// The name of the component.
        public let name: String
        /// The number of the instance; nil if there is none, and for a test double.
        public let id: UInt64?
        /// `registered`, `active` or `failed`.
        public let phase: String
        /// The stores from the client's scope.
        public let stores: [Store]
        /// How many actions are under way; nil if nothing observes the orchestrator.
        public let actionsInFlight: Int?
    }

    /// A context instance that a presentation shows, or that such a context contains.
    public struct Context: Codable, Sendable, Hashable {
        /// The name of the component.
        public let name: String
        /// The number of the instance.
        public let id: UInt64
        /// `pending`, `appearing`, `visible`, `covering`, `covered`, `disappearing` or `gone`.
        public let phase: String
        /// The presentation that shows it; nil for a context inside another one.
        public let presentation: String?
        /// The number of the context that contains it; nil for the context of a presentation.
        public let upstream: UInt64?
        /// The numbers of the contexts that it contains, in the order of their creation.
        public let downstream: [UInt64]
        /// The actions and life cycle phases that are suspended.
        public let operationsInFlight: Int
        /// The observations of clients that are under way.
        public let observations: Int
        /// How many errors ended at its boundary.
        public let errors: Int
        /// How many errors its boundary recovered from.
        public let recovered: Int
    }

    /// A registered request handler.
    public struct Handler: Codable, Sendable, Hashable {
        /// The name of the component.
        public let name: String
        /// The number of the instance; nil if the application does not run, or the handler could not be made.
        public let id: UInt64?
        /// How many requests and sessions run.
        public let inFlight: Int
        /// How many requests and sessions wait for a place.
        public let waiting: Int
        /// How many errors ended at its boundary.
        public let errors: Int
        /// From how many errors it recovered.
        public let recovered: Int

        init(
            _ name: String,
            id: UInt64? = nil,
            inFlight: Int = 0,
            waiting: Int = 0,
            _ counts: (errors: Int, recovered: Int) = (0, 0)
        ) {
            (self.name, self.id, self.inFlight, self.waiting) = (name, id, inFlight, waiting)
            (errors, recovered) = counts
        }
    }

    /// The version of this format.
    public let format: Int
    /// The number of the orchestrator of this run.
    public let id: UInt64
    /// The phase of the orchestrator: `configuring`, `starting`, `running`, `stopping` or `stopped`.
    public let phase: String
    /// Whether the application is in the background.
    public let isInBackground: Bool
    /// How many errors ended at the boundary of the orchestrator.
    public let errors: Int
    /// All component types that are known, in the order in which they became known.
    public let components: [ComponentDescriptor]
    /// The dependencies that were resolved, in that order.
    public let dependencies: [ComponentDependency]
    /// The capabilities, each after its dependencies once the application has started.
    public let capabilities: [Capability]
    /// The clients, in the order of their registration.
    public let clients: [Client]
    /// The request handlers, in the order of their registration.
    public let handlers: [Handler]
    /// The registry of contexts: each before the contexts that it contains, in the order in which they were mounted.
    public let contexts: [Context]
    /// The limits of waits in seconds, by their names.
    public let limits: [String: Double]

    /// The contexts of the mounted presentations.
    public var rootContexts: [Context] { contexts.filter { $0.upstream == nil } }

    /// The context with this number; nil if it is not mounted.
    public func context(id: UInt64) -> Context? { contexts.first { $0.id == id } }

    /// The dependencies as a graph.
    public var graph: ComponentGraph {
        var graph = ComponentGraph()
        for component in components { graph.add(component) }
        for dependency in dependencies { graph.add(dependency) }
        return graph
    }
}
