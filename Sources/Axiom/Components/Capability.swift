// SPDX-License-Identifier: Apache-2.0

/// Access to something outside the application: a network, a file system, a device, a service.
///
/// Capabilities may depend on other capabilities and on nothing else; the orchestrator initialises them in the order
/// of those dependencies, and makes a new one when availability or permission changed.
public protocol Capability: Component, Actor {
    /// Whether the capability can be used now. Asked once and then cached by ``CapabilityRef``; up to 10 ms.
    var isAvailable: Bool { get async }

    /// How much of the capability works. ``DegradationLevel/full`` unless the type says otherwise.
    var degradationLevel: DegradationLevel { get async }

    /// Acquires what the capability needs. Called once, after every capability that it depends on was initialised.
    ///
    /// - Throws: Whatever keeps the capability from working. A required capability that throws stops the start.
    func initialize() async throws

    /// Releases what the capability holds. Called once, before the capabilities that it depends on are terminated.
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
    /// The application cannot start without it.
    case required
    /// The application starts without it, and what depends on it is marked ``DegradationLevel/limited``.
    case optional
}

/// Why a capability has to be made anew.
public enum CapabilityChange: String, Sendable, Hashable, CaseIterable {
    /// A person granted the permission that the capability needs.
    case permissionGranted
    /// A person took the permission back.
    case permissionRevoked
    /// The service behind the capability came back.
    case serviceRestored
    /// The service behind the capability went away.
    case serviceLost
    /// The configuration that the capability was made with changed.
    case configurationChanged
}
