// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// How often a service is made.
public enum ServiceLifetime: Sendable, Hashable {
    /// Once for each run of the application, when it is first resolved. It ends with the run.
    case singleton
    /// Each time it is resolved.
    case transient
}

/// The registration of a service.
struct ServicePlan: Sendable {
    /// The type under which the service is resolved.
    let key: ObjectIdentifier
    let name: String
    let lifetime: ServiceLifetime
    let make: @Sendable (borrowing ServiceScope) throws -> any Sendable

    init<S: Sendable>(
        _ type: S.Type,
        _ lifetime: ServiceLifetime,
        _ make: @escaping @Sendable (borrowing ServiceScope) throws -> S
    ) {
        key = ObjectIdentifier(type)
        name = String(describing: type)
        self.lifetime = lifetime
        self.make = { try make($0) }
    }
}

/// Makes the services of one run, and keeps its singletons.
final class ServiceRegistry: Sendable {
    private let plans: [ObjectIdentifier: ServicePlan]
    /// Never held while a factory runs.
    private let singletons = Lock<[ObjectIdentifier: any Sendable]>([:])

    /// Makes a registry that provides `plans`, and the flags of the orchestrator.
    init(_ plans: [ObjectIdentifier: ServicePlan], _ flags: FeatureFlags) {
        let own = ServicePlan(FeatureFlags.self, .singleton) { _ in flags }
        self.plans = [own.key: own].merging(plans) { _, provided in provided }
    }

    /// - Parameters:
    ///   - user: What requires the service, for the error, as in `The client CartClient`.
    ///   - path: The services under construction, the outermost first.
    func resolve<S: Sendable>(_ type: S.Type, for user: String, path: [ServicePlan] = []) throws -> S {
        guard let plan = plans[ObjectIdentifier(type)] else {
            throw CompositionError(
                .notRegistered,
                "\(user) requires the service \(type), which is not provided.",
                "Provide it before start(): orchestrator.provide(\(type).self) { … }."
            )
        }
        if let known = singletons.withLock({ $0[plan.key] }) as? S { return known }
        if let start = path.firstIndex(where: { $0.key == plan.key }) {
            let cycle = (path[start...] + [plan]).map(\.name).joined(separator: " → ")
            throw CompositionError(
                .serviceCycle,
                "Services require each other in a cycle: \(cycle).",
                "Move the shared part to a service on which both depend."
            )
        }
        let made = try plan.make(ServiceScope(registry: self, path: path + [plan]))
        let kept = plan.lifetime == .transient ? made : keep(made, plan.key)
        guard let service = kept as? S else {
            // Not reachable: a plan makes the type under which it is filed.
            throw CompositionError(.notConforming, "The service \(type) has another type.", "Report this as a defect.")
        }
        return service
    }

    /// Keeps a singleton. If two threads made it at the same time, both get the one that was kept first.
    private func keep(_ made: any Sendable, _ key: ObjectIdentifier) -> any Sendable {
        singletons.withLock { singletons in
            if let first = singletons[key] { return first }
            singletons[key] = made
            return made
        }
    }
}

/// The input of a service's factory: access to other services.
///
/// Services resolve no components, so they add no dependency between them.
public struct ServiceScope: ~Copyable, Sendable {
    private let registry: ServiceRegistry
    private let path: [ServicePlan]

    init(registry: ServiceRegistry, path: [ServicePlan]) {
        self.registry = registry
        self.path = path
    }

    /// Another service.
    ///
    /// - Throws: ``CompositionError`` if it is not provided, or if services require each other in a cycle; any error of
    ///   its factory.
    public func service<S: Sendable>(_ type: S.Type) throws -> S {
        try registry.resolve(type, for: "The service \(path.last?.name ?? "")", path: path)
    }
}

/// A part of an application that another module adds to an orchestrator, such as a flow of navigation.
@MainActor
package protocol OrchestratorExtension: AnyObject {
    /// The mistakes that a start adds to its error. Makes no component.
    ///
    /// - Parameter contexts: The registered types of contexts.
    func mistakes(contexts: Set<ObjectIdentifier>) -> [CompositionError]

    /// What a dry run adds to the warnings of its report.
    var warnings: [ArchitectureViolation] { get }

    /// The application runs from now on.
    func runBegan()

    /// The run ends; its presentations are still mounted.
    func runWillEnd()

    /// The presentations of the run have been unmounted.
    func runEnded()
}

/// The parts that other modules added to an orchestrator, in their order. It does not retain them.
@MainActor
package final class ExtensionTable {
    private struct Reference {
        let key: ObjectIdentifier
        weak var part: (any OrchestratorExtension)?
    }

    private var references: [Reference] = []

    nonisolated init() {}

    /// All parts that were not released.
    package var all: [any OrchestratorExtension] { references.compactMap(\.part) }

    /// The parts that were added under the type `key`.
    package func all(under key: Any.Type) -> [any OrchestratorExtension] {
        references.compactMap { $0.key == ObjectIdentifier(key) ? $0.part : nil }
    }

    /// Adds a part under the type `key`, by which a scope finds it.
    package func add(_ part: any OrchestratorExtension, under key: Any.Type) {
        references.removeAll { $0.part == nil }
        references.append(Reference(key: ObjectIdentifier(key), part: part))
    }
}

extension ContextScope {
    /// The parts that other modules added to the orchestrator.
    package var extensions: ExtensionTable { factory.extensions }
}
