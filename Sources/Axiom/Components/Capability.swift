// SPDX-License-Identifier: Apache-2.0

public import AxiomResilience

/// Access to something outside the application: a network, a file system, a device, a service.
///
/// A capability may depend only on other capabilities. The orchestrator initialises capabilities in the order of these
/// dependencies. If availability or permission changes, it replaces the instance, and the instances of the capabilities
/// that depend on it, because they may hold something derived from the old one.
public protocol Capability: Component, Actor {
    /// Whether the capability can be used now. ``CapabilityRef`` asks once and caches the answer. The answer has to
    /// come within ``WaitLimits/availability``, which is 500 ms by default.
    var isAvailable: Bool { get async }

    /// How much of the capability works. Default: ``DegradationLevel/full``.
    ///
    /// Read after ``initialize()``, after each check of ``isAvailable`` and after a change of configuration. A
    /// capability whose level changes at another time reports it to ``CapabilityScope/status``.
    var degradationLevel: DegradationLevel { get async }

    /// Acquires the resources of the capability. Called once, after all capabilities that it depends on were
    /// initialised. It has to return within ``WaitLimits/initialization``.
    ///
    /// - Throws: Any error that keeps the capability from working. A required capability that throws stops the start.
    func initialize() async throws

    /// Releases the resources of the capability. Called once, before the capabilities that it depends on are
    /// terminated. It has to return within ``WaitLimits/termination``.
    func terminate() async

    /// What ``CapabilityRef/call(isolation:function:_:)`` does with an error of this capability. Default:
    /// ``CapabilityRecovery/propagate``. Called once for each failed attempt, on any thread. Not called for a
    /// cancellation. It should return at once: the specification allows 5 ms.
    static func recovery(for error: any Error) -> CapabilityRecovery
}

extension Capability {
    /// `true`: the capability is available as soon as it is initialised.
    public var isAvailable: Bool { get async { true } }

    /// Fully functional.
    public var degradationLevel: DegradationLevel { get async { .full } }

    /// Nothing to acquire.
    public func initialize() async throws {}

    /// Nothing to release.
    public func terminate() async {}

    /// Throws every error to the caller.
    public static func recovery(for error: any Error) -> CapabilityRecovery { .propagate }
}

/// A capability that takes new settings while it runs, instead of being replaced.
///
/// ```swift
/// actor HTTPNetwork: Configurable {
///     struct Settings: Sendable, Hashable { var timeout = 5.0 }
///     func configure(_ settings: Settings) throws {
///         guard settings.timeout > 0 else { throw ConfigurationError.refused("timeout", because: "it is not positive") }
///         timeout = settings.timeout
///     }
/// }
/// ```
/// ``Orchestrator/configure(_:_:)`` supplies the settings. The module AxiomConfiguration reads them from files, the
/// environment and arguments.
public protocol Configurable: Capability {
    /// The settings of the capability, a value.
    associatedtype Settings: Sendable & Hashable

    /// Takes the settings. Called before ``Capability/initialize()`` if there are settings, and after it whenever they
    /// change. Never called concurrently with ``Capability/initialize()``, ``Capability/terminate()`` or itself. It has
    /// to return within ``WaitLimits/initialization``.
    ///
    /// - Throws: An error if the settings cannot be used, such as ``ConfigurationError/refused(_:because:)``. The
    ///   capability stays in service with the old ones, so check all of them before you apply one.
    func configure(_ settings: Settings) async throws
}

/// How much of a capability works, from the most to the least.
public enum DegradationLevel: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Everything works.
    case full
    /// The core works, perhaps more slowly, for example because an optional capability below it failed.
    case limited
    /// Only critical functions work. The application should inform the user.
    case minimal
    /// Nothing works.
    case unavailable

    /// Whether the left level works better than the right one.
    public static func < (left: DegradationLevel, right: DegradationLevel) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The effect on the application if a capability cannot be initialised.
public enum CapabilityRequirement: Sendable, Hashable {
    /// The application cannot start without it. If it is lost later, its dependents are marked
    /// ``DegradationLevel/minimal``. If it works in part, its dependents get the same level.
    case required
    /// The application starts without it. While it does not work in full, its dependents are marked
    /// ``DegradationLevel/limited``.
    case optional
}

/// Why a capability has to be replaced or configured again.
public enum CapabilityChange: String, Sendable, Hashable, CaseIterable {
    /// The user granted the permission that the capability needs.
    case permissionGranted
    /// The user revoked the permission.
    case permissionRevoked
    /// The service behind the capability came back.
    case serviceRestored
    /// The service behind the capability went away.
    case serviceLost
    /// The configuration changed. A ``Configurable`` capability is configured again with the settings in force, if there
    /// are any, and stays; any other capability is replaced.
    case configurationChanged
}

/// What ``CapabilityRef/call(isolation:function:_:)`` does with an error of a capability.
///
/// A capability chooses it for each error:
/// ```swift
/// static func recovery(for error: any Error) -> CapabilityRecovery {
///     error is NetworkError ? .retry(attempts: 3, backoff: .exponential()) : .propagate
/// }
/// ```
public enum CapabilityRecovery: Sendable {
    /// Throws the error to the caller.
    case propagate
    /// Discards the error. The call returns nothing: `()`, or nil if its result is an optional. An error of a call with
    /// any other result is thrown.
    case ignore
    /// Repeats the call, up to `attempts` attempts in all, with the delays of `backoff` between them. The capability is
    /// asked again after each failure; the call ends if the answer is no longer a retry.
    case retry(attempts: Int, backoff: Backoff)
    /// Waits until the capability works again, and then repeats the call once: with the new instance, if it was replaced.
    /// Its level has to be ``DegradationLevel/limited`` or better. A capability that works at that level when the call
    /// fails is asked again at once. After that time, or if the second call fails too, the error is thrown.
    case whenAvailable(within: Duration)
    /// Repeats the call once, with this object instead of the capability. It has to be of the type under which the
    /// capability was registered; otherwise the error is thrown. An error of the substitute is thrown.
    case fallback(any Sendable)
}
