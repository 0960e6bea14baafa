// SPDX-License-Identifier: Apache-2.0

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
    func configuration(of capability: any Capability) -> (any CapabilityConfiguration)? {
        guard let configurable = capability as? any Configurable else { return nil }
        return configuration(ofConfigurable: configurable)
    }

    private func configuration<C: Configurable>(ofConfigurable capability: C) -> (any CapabilityConfiguration)? {
        inForce(for: C.self).map { TypedConfiguration(capability: capability, settings: $0) }
    }
}

/// Settings and the capability that takes them, without their types.
protocol CapabilityConfiguration: Sendable {
    /// Configures the capability.
    func apply() async throws
}

private struct TypedConfiguration<C: Configurable>: CapabilityConfiguration {
    let capability: C
    let settings: C.Settings

    func apply() async throws { try await capability.configure(settings) }
}

/// New settings for a capability, without their type.
protocol SettingsOffer: Sendable {
    /// Configures `capability` with the settings; nil if they belong to another type.
    func configuration(of capability: any Capability) -> (any CapabilityConfiguration)?
}

/// New settings for capabilities of one type.
struct TypedSettingsOffer<C: Configurable>: SettingsOffer {
    private let settings: C.Settings

    init(_ settings: C.Settings, for type: C.Type) {
        self.settings = settings
    }

    func configuration(of capability: any Capability) -> (any CapabilityConfiguration)? {
        (capability as? C).map { TypedConfiguration(capability: $0, settings: settings) }
    }
}
