// SPDX-License-Identifier: Apache-2.0

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
