// SPDX-License-Identifier: Apache-2.0

/// The stable code of an error, as in `AXIOM_CLIENT_001`: what programs compare and metrics are labelled with.
public struct ErrorCode: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The code as it is printed and as it labels metrics.
    public let rawValue: String

    /// Makes a code. Upper-case letters, digits and underscores by convention.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes a code from a literal.
    public init(stringLiteral value: String) {
        rawValue = value
    }
}

// The codes of the framework's own errors. A code is never given another meaning.
extension ErrorCode {
    /// A required capability could not be initialised.
    public static let capabilityInitializationFailed: ErrorCode = "AXIOM_CAPABILITY_001"
    /// A capability was used while there is no working instance of it.
    public static let capabilityUnavailable: ErrorCode = "AXIOM_CAPABILITY_002"

    /// A client's factory or its `activate()` threw when the application started.
    public static let clientNotStarted: ErrorCode = "AXIOM_CLIENT_001"

    /// A type was registered twice.
    public static let registeredTwice: ErrorCode = "AXIOM_COMPOSITION_001"
    /// A component asked for a type that nobody registered.
    public static let notRegistered: ErrorCode = "AXIOM_COMPOSITION_002"
    /// Two client types own one state type (rule 7).
    public static let stateOwnedTwice: ErrorCode = "AXIOM_COMPOSITION_003"
    /// Capabilities depend on each other in a circle (rule 3).
    public static let capabilityCycle: ErrorCode = "AXIOM_COMPOSITION_004"
    /// Contexts resolve each other in a circle (rule 8).
    public static let contextCycle: ErrorCode = "AXIOM_COMPOSITION_005"
    /// A component stores an identity that is not the one its scope gave it.
    public static let foreignIdentity: ErrorCode = "AXIOM_COMPOSITION_006"
    /// Something was asked of the orchestrator in a phase in which it cannot be done.
    public static let wrongPhase: ErrorCode = "AXIOM_COMPOSITION_007"
    /// A capability was registered under a protocol that it does not conform to.
    public static let notConforming: ErrorCode = "AXIOM_COMPOSITION_008"
    /// Several registrations are wrong; the message lists them all.
    public static let severalMistakes: ErrorCode = "AXIOM_COMPOSITION_009"

    /// A subscriber left 1,000 critical states untaken and one more came. What was pending was delivered before this
    /// error; subscribe anew to go on from the current state.
    public static let subscriberStalled: ErrorCode = "AXIOM_STATE_001"
    /// An iterator was asked for a state while an earlier call on it, or on a copy of it, still waits. Only the second
    /// call fails.
    public static let concurrentIteration: ErrorCode = "AXIOM_STATE_002"
    /// The body of an update called `update` on the same store. The inner change was discarded, and every stream of
    /// the store ends with this error.
    public static let reentrantUpdate: ErrorCode = "AXIOM_STATE_003"
}
