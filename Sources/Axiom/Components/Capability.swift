// SPDX-License-Identifier: Apache-2.0

/// Access to something outside the application: a network, a file system, a device, a service.
///
/// Capabilities may depend on other capabilities and on nothing else; the orchestrator initialises them in the order
/// of those dependencies. When availability or permission changed, it replaces the instance, and the instances of the
/// capabilities that depend on it: they may have derived something from the old one.
public protocol Capability: Component, Actor {
    /// Whether the capability can be used now. Asked once and then cached by ``CapabilityRef``; has to answer within
    /// ``WaitLimits/availability``, which is 500 ms by default.
    var isAvailable: Bool { get async }

    /// How much of the capability works. ``DegradationLevel/full`` unless the type says otherwise.
    ///
    /// Read after ``initialize()``, after each question for ``isAvailable`` and after a change of configuration. A
    /// capability whose level changes in between reports it to ``CapabilityScope/status``.
    var degradationLevel: DegradationLevel { get async }

    /// Acquires what the capability needs. Called once, after every capability that it depends on was initialised. Has to
    /// return within ``WaitLimits/initialization``.
    ///
    /// - Throws: Whatever keeps the capability from working. A required capability that throws stops the start.
    func initialize() async throws

    /// Releases what the capability holds. Called once, before the capabilities that it depends on are terminated. Has
    /// to return within ``WaitLimits/termination``.
    func terminate() async
}

extension Capability {
    /// `true`: the capability is there as soon as it was initialised.
    public var isAvailable: Bool {
        get async { true }
    }

    /// Fully functional.
    public var degradationLevel: DegradationLevel {
        get async { .full }
    }

    /// Nothing to acquire.
    public func initialize() async throws {}

    /// Nothing to release.
    public func terminate() async {}
}

/// A capability that takes up a changed configuration while it works, instead of being replaced.
///
/// ```swift
/// extension HTTPNetwork: ReconfigurableCapability {
///     func configurationChanged() async throws { timeout = try settings.load().timeout }
/// }
/// ```
public protocol ReconfigurableCapability: Capability {
    /// Reads the configuration again. Called for ``CapabilityChange/configurationChanged``, not at the same time as
    /// ``Capability/initialize()``, ``Capability/terminate()`` or itself. Has to return within
    /// ``WaitLimits/initialization``.
    ///
    /// - Throws: What is wrong with the new configuration. The capability stays in service with the old one.
    func configurationChanged() async throws
}

/// How much of a capability works, from the most to the least.
public enum DegradationLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Everything works.
    case full
    /// The core works, perhaps more slowly: for example because an optional capability below it failed.
    case limited
    /// Only what is critical works; the person should be told.
    case minimal
    /// Nothing works.
    case unavailable

    /// Whether the left level works better than the right one.
    public static func < (left: DegradationLevel, right: DegradationLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// What it means for the application when a capability cannot be initialised.
public enum CapabilityRequirement: Sendable, Hashable {
    /// The application cannot start without it. When it is lost later, what depends on it is marked
    /// ``DegradationLevel/minimal``; when it works in part, what depends on it has the same level.
    case required
    /// The application starts without it. While it does not work in full, what depends on it is marked
    /// ``DegradationLevel/limited``.
    case optional
}

/// Why a capability has to be replaced or configured again.
public enum CapabilityChange: String, Sendable, Hashable, CaseIterable {
    /// A person granted the permission that the capability needs.
    case permissionGranted
    /// A person took the permission back.
    case permissionRevoked
    /// The service behind the capability came back.
    case serviceRestored
    /// The service behind the capability went away.
    case serviceLost
    /// The configuration changed. A ``ReconfigurableCapability`` hears of it and stays; any other is replaced.
    case configurationChanged
}
