// SPDX-License-Identifier: Apache-2.0

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
