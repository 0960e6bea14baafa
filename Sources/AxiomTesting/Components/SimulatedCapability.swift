// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// A double of a capability that a test controls.
///
/// ```swift
/// actor FakeNetwork: Network, SimulatedCapability {
///     nonisolated let identity: ComponentIdentity
///     nonisolated let simulation: Simulation
///     init(_ scope: borrowing CapabilityScope, _ simulation: Simulation) {
///         (identity, self.simulation) = (scope.identity, simulation)
///         simulation.connect(scope)
///     }
///     func get(_ path: String) async throws -> String { try await simulation.answer(to: path) }
/// }
/// ```
public protocol SimulatedCapability: Capability {
    /// The control, stored unchanged.
    nonisolated var simulation: Simulation { get }

    /// Makes an instance. Store the identity and the simulation, and connect them: `simulation.connect(scope)`.
    init(_ scope: borrowing CapabilityScope, _ simulation: Simulation) throws
}

extension SimulatedCapability {
    /// What the test sets.
    public var isAvailable: Bool { get async { simulation.isAvailable } }
    /// What the test sets.
    public var degradationLevel: DegradationLevel { get async { simulation.level } }
    /// What the test sets, for every permission.
    public func permissionStatus(_ permission: Permission) async -> PermissionStatus { simulation.permission }
}

/// A simulated capability under the specification's name, with its reset.
public protocol MockCapability: SimulatedCapability {}

extension MockCapability {
    /// Returns to the first state.
    public nonisolated func reset() { simulation.reset() }
}

/// The states through which a test leads a simulated capability.
public enum SimulatedState: String, Sendable, Hashable, CaseIterable {
    /// Everything works.
    case full
    /// ``Axiom/DegradationLevel/limited``.
    case limited
    /// ``Axiom/DegradationLevel/minimal``.
    case minimal
    /// ``Axiom/DegradationLevel/unavailable``.
    case unavailable
    /// The availability check answers no.
    case notAvailable
    /// The user revoked the permission.
    case permissionRevoked
    /// The next call fails.
    case failing
    /// Calls wait until they are released.
    case hanging
    /// Calls take a second of manual time.
    case slow
}

extension Simulation {
    /// Puts the capability into one state, and only that.
    ///
    /// - Throws: As ``permission(_:)``.
    public func enter(_ state: SimulatedState) async throws {
        try await leaveStates(for: state)
        switch state {
        case .full: break
        case .limited: degrade(.limited)
        case .minimal: degrade(.minimal)
        case .unavailable: degrade(.unavailable)
        case .notAvailable: availability(false)
        case .permissionRevoked: try await permission(.denied)
        case .failing: fail(with: CapabilityError.unavailable(name, because: "the test lets the call fail"))
        case .hanging: hang()
        case .slow: delay(.seconds(1))
        }
    }

    /// Leads the capability through every state, and then back to the full one. Takes less than 10 ms besides `body`.
    ///
    /// - Parameter body: Checks the application in the state.
    /// - Throws: As ``enter(_:)``; the error of `body`.
    public func visitAllStates(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (SimulatedState) async throws -> Void = { _ in }
    ) async throws {
        for state in SimulatedState.allCases {
            try await enter(state)
            try await body(state)
        }
        try await enter(.full)
    }

    /// Ends the effects of other states. Answers and recorded calls stay.
    private func leaveStates(for next: SimulatedState) async throws {
        release()
        delay(.zero)
        dropFailures()
        if level != .full { degrade(.full) }
        if !isAvailable { availability(true) }
        if permission != .granted, next != .permissionRevoked { try await permission(.granted) }
    }
}
