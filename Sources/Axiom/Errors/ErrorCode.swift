// SPDX-License-Identifier: Apache-2.0

/// The stable code of an error, as in `AXIOM_CLIENT_001`, for comparisons in programs and for metric labels.
///
/// The framework's own codes are declared here; ``ErrorCatalog`` has an entry for each. An application adds its own in
/// an extension.
public struct ErrorCode: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The code as it is printed and as it labels metrics.
    public let rawValue: String

    /// Makes a code. By convention, it consists of upper-case letters, digits and underscores.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Makes a code from a literal.
    public init(stringLiteral value: String) {
        rawValue = value
    }

    /// The code of any error: that of an ``AxiomError``, otherwise the name of the error's type.
    public init(of error: any Error) {
        rawValue = (error as? any AxiomError)?.code.rawValue ?? String(describing: type(of: error))
    }
}

// The meaning of a code never changes. A test checks that the comment of each code here begins with the meaning in its
// catalogue entry. Public are the codes of errors that an application can handle while it runs; the others report
// mistakes in a program.
extension ErrorCode {
    /// A required capability could not be initialised.
    public static let capabilityInitializationFailed: ErrorCode = "AXIOM_CAPABILITY_001"
    /// A capability was used while there is no working instance of it.
    public static let capabilityUnavailable: ErrorCode = "AXIOM_CAPABILITY_002"
    /// A capability did not answer in time.
    public static let capabilityTimedOut: ErrorCode = "AXIOM_CAPABILITY_003"

    /// A subscriber did not take 1,000 critical states, and another one followed. The pending states were delivered
    /// before this error. Subscribe again to continue from the current state.
    public static let subscriberStalled: ErrorCode = "AXIOM_STATE_001"
    /// An iterator was called while an earlier call on it, or on a copy of it, still waits. Only the second call fails.
    package static let concurrentIteration: ErrorCode = "AXIOM_STATE_002"
    /// The body of an update called `update` on the same store. The inner change was discarded.
    package static let reentrantUpdate: ErrorCode = "AXIOM_STATE_003"
    /// A change would leave a state that violates an invariant of its type.
    public static let stateInconsistent: ErrorCode = "AXIOM_STATE_004"

    /// A client's factory or its `activate()` threw when the application started.
    public static let clientNotStarted: ErrorCode = "AXIOM_CLIENT_001"
    /// A client was disabled by a partial shutdown.
    public static let clientDisabled: ErrorCode = "AXIOM_CLIENT_002"
    /// A client publishes a state store that its scope did not make. It works, but its state is not observed.
    package static let storeOutsideScope: ErrorCode = "AXIOM_CLIENT_003"

    /// An action was refused because the application runs in emergency mode without this context.
    public static let emergencyMode: ErrorCode = "AXIOM_CONTEXT_001"
    /// A failed operation cannot be run again because its context is gone.
    public static let contextGone: ErrorCode = "AXIOM_CONTEXT_002"
    /// An action was sent to a context that had disappeared, and was not handled.
    public static let contextDisappeared: ErrorCode = "AXIOM_CONTEXT_003"

    /// A route has no known destination.
    public static let unknownRoute: ErrorCode = "AXIOM_NAVIGATION_001"
    /// The fallback destination of an error could not be shown.
    public static let navigationFallbackFailed: ErrorCode = "AXIOM_NAVIGATION_002"

    /// There is no connection.
    public static let noConnection: ErrorCode = "AXIOM_NETWORK_001"
    /// No answer came in time.
    public static let networkTimeout: ErrorCode = "AXIOM_NETWORK_002"
    /// A server answered with an error status.
    public static let serverError: ErrorCode = "AXIOM_NETWORK_003"
    /// The answer of a server could not be decoded.
    public static let invalidResponse: ErrorCode = "AXIOM_NETWORK_004"

    /// A required value is missing.
    public static let missingValue: ErrorCode = "AXIOM_VALIDATION_001"
    /// A value does not have the required format.
    public static let invalidFormat: ErrorCode = "AXIOM_VALIDATION_002"
    /// A value is outside its range.
    public static let outOfRange: ErrorCode = "AXIOM_VALIDATION_003"

    /// No user is signed in.
    public static let notSignedIn: ErrorCode = "AXIOM_AUTHORIZATION_001"
    /// The signed-in user has no permission for this.
    public static let forbidden: ErrorCode = "AXIOM_AUTHORIZATION_002"
    /// The session has ended.
    public static let sessionExpired: ErrorCode = "AXIOM_AUTHORIZATION_003"

    /// A circuit breaker refused a call because too many earlier calls failed.
    public static let circuitOpen: ErrorCode = "AXIOM_CIRCUIT_001"
    /// A circuit breaker refused a call because an operator opened it.
    public static let circuitForcedOpen: ErrorCode = "AXIOM_CIRCUIT_002"
    /// A half-open circuit breaker refused a call because its probes have not ended.
    public static let circuitProbing: ErrorCode = "AXIOM_CIRCUIT_003"

    /// An operation exceeded its limit, was cancelled and is no longer awaited.
    public static let limitExpired: ErrorCode = "AXIOM_LIFECYCLE_001"
    /// An operation would wait for itself: another operation that it waits for waits for it.
    public static let waitsForItself: ErrorCode = "AXIOM_LIFECYCLE_002"

    /// A type was registered twice.
    package static let registeredTwice: ErrorCode = "AXIOM_COMPOSITION_001"
    /// A component requested a type that is not registered.
    package static let notRegistered: ErrorCode = "AXIOM_COMPOSITION_002"
    /// Two client types own one state type (rule 7).
    package static let stateOwnedTwice: ErrorCode = "AXIOM_COMPOSITION_003"
    /// Capabilities depend on each other in a cycle (rule 3).
    package static let capabilityCycle: ErrorCode = "AXIOM_COMPOSITION_004"
    /// Contexts resolve each other in a cycle (rule 8).
    package static let contextCycle: ErrorCode = "AXIOM_COMPOSITION_005"
    /// A component stores an identity that did not come from its scope.
    package static let foreignIdentity: ErrorCode = "AXIOM_COMPOSITION_006"
    /// A method of the orchestrator was called in the wrong phase of its life cycle.
    package static let wrongPhase: ErrorCode = "AXIOM_COMPOSITION_007"
    /// A capability was registered under a protocol that it does not conform to.
    package static let notConforming: ErrorCode = "AXIOM_COMPOSITION_008"
    /// Several registrations are wrong; the message lists them all.
    package static let severalMistakes: ErrorCode = "AXIOM_COMPOSITION_009"
    /// The limit of a wait is zero or negative.
    package static let invalidLimit: ErrorCode = "AXIOM_COMPOSITION_010"
    /// The name of a component is blank or longer than 256 bytes.
    package static let invalidName: ErrorCode = "AXIOM_COMPOSITION_011"
    /// A client without state made a state store.
    package static let storeInStatelessClient: ErrorCode = "AXIOM_COMPOSITION_012"
    /// A state or an action is a class (rules 17 and 18).
    package static let referenceType: ErrorCode = "AXIOM_COMPOSITION_013"
    /// Contexts are nested more than 256 levels deep.
    package static let contextsTooDeep: ErrorCode = "AXIOM_COMPOSITION_014"

    /// Two telemetries use one registry.
    package static let registryTaken: ErrorCode = "AXIOM_TELEMETRY_001"
    /// The leak threshold of contexts is negative.
    package static let invalidLeakThreshold: ErrorCode = "AXIOM_TELEMETRY_002"
    /// The limit of groups of the error monitor is not positive.
    package static let invalidErrorGroupLimit: ErrorCode = "AXIOM_TELEMETRY_003"
    /// The configuration of a circuit breaker is invalid, or a component has two.
    package static let invalidBreaker: ErrorCode = "AXIOM_TELEMETRY_004"
    /// Two watched strategies of one kind have the same name.
    package static let strategyNameTaken: ErrorCode = "AXIOM_TELEMETRY_005"
    /// The options for regressions are invalid, or do not fit the baseline.
    package static let invalidRegressions: ErrorCode = "AXIOM_TELEMETRY_006"
    /// A profile was requested, but none was recorded.
    package static let noProfile: ErrorCode = "AXIOM_TELEMETRY_007"
    /// A rule names a performance budget that does not exist.
    package static let unknownBudget: ErrorCode = "AXIOM_TELEMETRY_008"
    /// A performance budget or its limit is invalid, or two rules contradict each other.
    package static let invalidBudget: ErrorCode = "AXIOM_TELEMETRY_009"
    /// Two orchestrators use one telemetry.
    package static let telemetryTaken: ErrorCode = "AXIOM_TELEMETRY_010"
    /// A signal of a module cannot be recorded: its family is invalid or its name is taken.
    package static let invalidSignal: ErrorCode = "AXIOM_TELEMETRY_011"
}
