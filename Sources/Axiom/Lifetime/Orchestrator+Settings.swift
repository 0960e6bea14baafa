// SPDX-License-Identifier: Apache-2.0

extension Orchestrator {
    /// Puts new settings of a capability into force.
    ///
    /// While the application runs, the instance is configured in place; it is not replaced. Before the start and after
    /// a shutdown, the settings are kept, and each new instance is configured with them before its
    /// ``Capability/initialize()``. Settings that equal those in force change nothing.
    ///
    /// Runs in the order of all changes of the capability, never concurrently with its ``Capability/initialize()``, its
    /// ``Capability/terminate()`` or another configuration. A capability that has no working instance is initialised
    /// again with the new settings.
    ///
    /// If the capability refuses the settings, those in force stay, and the error ends at ``errorBoundary`` as that of
    /// ``capabilityChanged(_:_:)`` does.
    ///
    /// - Parameter type: The capability's own type.
    /// - Throws: The capability's own error if it refuses the settings. ``CompositionError`` if the type is not
    ///   registered, or the application is starting or stopping. Otherwise as ``capabilityChanged(_:_:)``.
    public func configure<C: Configurable>(_ type: C.Type, _ new: C.Settings) async throws {
        switch phase {
        case .configuring, .stopped: return settings.put(new, for: type)
        case .starting, .running, .stopping: break
        }
        let run = try expectRunning(for: "configure")
        let (components, capabilities) = (Set(run.names.capabilities(type)), run.capabilities)
        guard !components.isEmpty else {
            throw CompositionError(
                .notRegistered,
                "There are settings for the capability \(type), but it is not registered.",
                "Register it before start(), and name the capability's own type."
            )
        }
        try await change(components, capabilities) { [settings] queued in
            try await capabilities.carryOut(queued) { affected in
                let old = settings.inForce(for: type)
                if old == new, capabilities.works(components) { return [] }
                let offer = SettingsTable.offer(new, for: type)
                // Already in force for a new instance, in case there is none to configure.
                let failures = try await capabilities.configure(components, offer, affecting: affected) {
                    settings.put(new, for: type)
                }
                let isRefused = failures.contains { components.contains($0.component) && $0.phase != .termination }
                settings.put(isRefused ? old : new, for: type)
                return failures
            }
        }
    }

    /// Whether ``configure(_:_:)`` does not throw because of the phase.
    package var acceptsSettings: Bool { phase != .starting && phase != .stopping }

    /// Ends an error of a module at the orchestrator's boundary.
    package func report(_ error: any Error) async { await end(error, in: identity.descriptor) }

    /// The values of the application, which all contexts see unless a context above overrides them. May be changed at
    /// any time: what reads a value that changed is rendered again.
    public var values: AppValues {
        get { AppValues(inherited: contexts.values.root.current) }
        set {
            let changed = contexts.values.root.replace(with: newValue)
            flags.override(with: contexts.values.root.current, changed)
            for plan in blueprint.handlers { plan.endpoint.inherit(contexts.values.root.current) }
        }
    }

    /// The feature flags of the application. Capabilities and clients resolve them as a service:
    /// `scope.service(FeatureFlags.self)`.
    public var flags: FeatureFlags { contexts.values.flags }
}

extension CapabilityLifecycle {
    /// Configures capabilities with new settings. Those that have no working instance are initialised again, after
    /// `prepare`.
    ///
    /// - Returns: The failures. A capability that refused its settings works as before.
    /// - Throws: ``CapabilityError`` if the application was shut down.
    func configure(
        _ components: Set<ComponentDescriptor>,
        _ offer: @escaping SettingsOffer,
        affecting affected: Set<ComponentDescriptor>,
        prepare: () -> Void
    ) async throws -> [Failure] {
        try refuse(components)
        let (configured, failures) = await reconfigure(components, offer)
        guard configured.isDisjoint(with: components) else { return failures }
        prepare()
        return failures + (await replace(affected, because: CapabilityChange.configurationChanged.rawValue))
    }

    /// Configures those capabilities in place that permit it.
    ///
    /// - Parameter offer: New settings; nil to apply those in force again.
    /// - Returns: The capabilities that were configured or refused, and the failures of those that refused. A
    ///   capability that refused works as before.
    func reconfigure(
        _ components: Set<ComponentDescriptor>,
        _ offer: SettingsOffer? = nil
    ) async -> (Set<ComponentDescriptor>, [Failure]) {
        var (notified, failures): (Set<ComponentDescriptor>, [Failure]) = ([], [])
        for node in order where components.contains(node.descriptor) {
            do {
                if try await node.reconfigure(offer) { notified.insert(node.descriptor) }
            } catch {
                notified.insert(node.descriptor)
                failures.append(
                    Failure(
                        component: node.descriptor,
                        requirement: node.requirement,
                        phase: .configuration,
                        error: error
                    )
                )
            }
        }
        spreadDegradation()
        return (notified, failures)
    }
}

/// Configures one capability with settings of its type.
typealias Configuring = @Sendable () async throws -> Void

/// New settings: configures a capability with them; nil if they belong to another type.
typealias SettingsOffer = @Sendable (any Capability) -> Configuring?

/// The settings in force of the capabilities of one orchestrator, by capability type.
///
/// They outlive an instance and a run: each new instance is configured with them before it is initialised.
@MainActor
final class SettingsTable {
    private var settings: [ObjectIdentifier: any Sendable] = [:]

    func inForce<C: Configurable>(for type: C.Type) -> C.Settings? {
        settings[ObjectIdentifier(type)] as? C.Settings
    }

    /// Replaces the settings in force; nil removes them.
    func put<C: Configurable>(_ new: C.Settings?, for type: C.Type) {
        settings[ObjectIdentifier(type)] = new
    }

    /// Configures `capability` with the settings in force; nil if it has none.
    func configuring(_ capability: any Capability) -> Configuring? {
        guard let capability = capability as? any Configurable else { return nil }
        return settingsInForce(of: capability)
    }

    private func settingsInForce<C: Configurable>(of capability: C) -> Configuring? {
        guard let settings = inForce(for: C.self) else { return nil }
        return { try await capability.configure(settings) }
    }

    /// Offers `settings` to capabilities of one type.
    static func offer<C: Configurable>(_ settings: C.Settings, for type: C.Type) -> SettingsOffer {
        { capability in
            guard let capability = capability as? C else { return nil }
            return { try await capability.configure(settings) }
        }
    }
}
