// SPDX-License-Identifier: Apache-2.0

/// The stable code of an error, as in `AXIOM_CLIENT_001`, for comparisons in programs and for metric labels.
///
/// The framework's own codes are declared here; ``ErrorCatalog`` has an entry for each. An application adds its own in
/// an extension.
public struct ErrorCode: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    /// The code as it is printed and as it labels metrics.
    public let rawValue: String

    /// Makes a code. By convention, it consists of upper-case letters, digits and underscores.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Makes a code from a literal.
    public init(stringLiteral value: String) { rawValue = value }

    /// The code of any error: that of an ``AxiomError``, otherwise the name of the error's type.
    public init(of error: any Error) {
        rawValue = (error as? any AxiomError)?.code.rawValue ?? String(describing: type(of: error))
    }

    // The meaning of a code never changes. It stands in the catalogue, and a test checks that the comment of a public code
    // begins with it. Public are the codes that an application is likely to handle by itself, and those that the
    // documentation of a public declaration names. All others can be written as text. Those of telemetry and storage are in
    // ErrorCode+Modules.swift.

    package static let capabilityInitializationFailed: ErrorCode = "AXIOM_CAPABILITY_001"
    /// A capability was used while there is no working instance of it.
    public static let capabilityUnavailable: ErrorCode = "AXIOM_CAPABILITY_002"
    /// A capability did not answer in time.
    public static let capabilityTimedOut: ErrorCode = "AXIOM_CAPABILITY_003"
    /// A capability works less than an operation requires.
    public static let capabilityDegraded: ErrorCode = "AXIOM_CAPABILITY_004"
    // AXIOM_CAPABILITY_005 meant that a computation was refused. It is not used again.
    /// A source of changes failed repeatedly and is no longer monitored.
    public static let monitoringEnded: ErrorCode = "AXIOM_CAPABILITY_006"
    package static let capabilitySourceInvalid: ErrorCode = "AXIOM_CAPABILITY_010"
    package static let capabilitySourceUnavailable: ErrorCode = "AXIOM_CAPABILITY_011"
    package static let capabilitySourceStopped: ErrorCode = "AXIOM_CAPABILITY_012"

    /// A subscriber did not take 1,000 critical states, and another one followed. The pending states were delivered
    /// before this error. Subscribe again to continue from the current state.
    public static let subscriberStalled: ErrorCode = "AXIOM_STATE_001"
    /// An iterator was called while an earlier call on it, or on a copy of it, still waits. Only the second call fails.
    package static let concurrentIteration: ErrorCode = "AXIOM_STATE_002"
    /// The body of an update called `update` on the same store. The inner change was discarded.
    package static let reentrantUpdate: ErrorCode = "AXIOM_STATE_003"
    /// A change would leave a state that violates an invariant of its type.
    public static let stateInconsistent: ErrorCode = "AXIOM_STATE_004"
    /// An update relied on a version of the state that is no longer the current one. The state is unchanged.
    public static let staleState: ErrorCode = "AXIOM_STATE_005"
    /// A subscriber resumed, but the store no longer has all critical states since its position.
    public static let criticalStatesLost: ErrorCode = "AXIOM_STATE_006"
    package static let referenceInState: ErrorCode = "AXIOM_STATE_007"

    package static let clientNotStarted: ErrorCode = "AXIOM_CLIENT_001"
    // AXIOM_CLIENT_002 meant that a client was disabled by a partial shutdown. It is not used again.
    package static let storeOutsideScope: ErrorCode = "AXIOM_CLIENT_003"
    /// A client refused an action because too many callers already wait for it.
    public static let actionQueueFull: ErrorCode = "AXIOM_CLIENT_004"
    package static let answerSkipped: ErrorCode = "AXIOM_CLIENT_005"

    /// A request handler has no free place for a request: as many as its limits allow run and wait.
    public static let requestsFull: ErrorCode = "AXIOM_REQUEST_001"
    /// A request handler takes no requests: the application does not run, or the handler could not be made.
    public static let requestsClosed: ErrorCode = "AXIOM_REQUEST_002"
    /// A request was not answered within its time limit.
    public static let requestTooLate: ErrorCode = "AXIOM_REQUEST_003"

    // AXIOM_CONTEXT_001 meant that an action was refused in emergency mode. It is not used again.
    package static let contextGone: ErrorCode = "AXIOM_CONTEXT_002"
    /// An action was sent to a context that had disappeared, and was not handled.
    public static let contextDisappeared: ErrorCode = "AXIOM_CONTEXT_003"

    /// A route has no known destination.
    public static let unknownRoute: ErrorCode = "AXIOM_NAVIGATION_001"
    package static let navigationFallbackFailed: ErrorCode = "AXIOM_NAVIGATION_002"
    package static let redirectCircle: ErrorCode = "AXIOM_NAVIGATION_003"
    package static let tooManyRedirects: ErrorCode = "AXIOM_NAVIGATION_004"
    /// The history of a flow is full.
    public static let historyFull: ErrorCode = "AXIOM_NAVIGATION_005"
    package static let navigationWaitsForItself: ErrorCode = "AXIOM_NAVIGATION_006"
    package static let nextCalledTwice: ErrorCode = "AXIOM_NAVIGATION_007"
    package static let flowEnded: ErrorCode = "AXIOM_NAVIGATION_008"
    package static let emptyHistory: ErrorCode = "AXIOM_NAVIGATION_009"
    /// The route is in the history already, and the options of the flow refuse it.
    public static let routeInHistory: ErrorCode = "AXIOM_NAVIGATION_010"
    package static let invalidPattern: ErrorCode = "AXIOM_NAVIGATION_011"
    package static let overlappingPatterns: ErrorCode = "AXIOM_NAVIGATION_012"
    /// The text of a deep link is not a valid URL.
    public static let invalidLink: ErrorCode = "AXIOM_NAVIGATION_013"
    package static let invalidCapture: ErrorCode = "AXIOM_NAVIGATION_014"
    package static let unequalLinks: ErrorCode = "AXIOM_NAVIGATION_015"
    package static let noLinkHandler: ErrorCode = "AXIOM_NAVIGATION_016"
    package static let loginRequiresAuthentication: ErrorCode = "AXIOM_NAVIGATION_017"
    package static let signInUnknown: ErrorCode = "AXIOM_NAVIGATION_018"
    package static let prefetchInvalid: ErrorCode = "AXIOM_NAVIGATION_019"

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
    /// An action was refused by its own validation.
    public static let actionRefused: ErrorCode = "AXIOM_VALIDATION_004"

    /// No user is signed in.
    public static let notSignedIn: ErrorCode = "AXIOM_AUTHORIZATION_001"
    /// The signed-in user has no permission for this.
    public static let forbidden: ErrorCode = "AXIOM_AUTHORIZATION_002"
    /// The session has ended.
    public static let sessionExpired: ErrorCode = "AXIOM_AUTHORIZATION_003"
    /// A permission that a capability needs was refused.
    public static let permissionDenied: ErrorCode = "AXIOM_AUTHORIZATION_004"
    /// A permission that a capability needs was not requested yet.
    public static let permissionNotRequested: ErrorCode = "AXIOM_AUTHORIZATION_005"
    // AXIOM_AUTHORIZATION_006 meant that a session could not be renewed. It is not used again.

    /// A circuit breaker refused a call because too many earlier calls failed.
    public static let circuitOpen: ErrorCode = "AXIOM_CIRCUIT_001"
    package static let circuitForcedOpen: ErrorCode = "AXIOM_CIRCUIT_002"
    package static let circuitProbing: ErrorCode = "AXIOM_CIRCUIT_003"

    /// An operation exceeded its limit, was cancelled and is no longer awaited.
    public static let limitExpired: ErrorCode = "AXIOM_LIFECYCLE_001"
    /// An operation would wait for itself: another operation that it waits for waits for it.
    public static let waitsForItself: ErrorCode = "AXIOM_LIFECYCLE_002"
    /// A step of a change of the application's phase did not end within the grace time.
    public static let phaseStepOverdue: ErrorCode = "AXIOM_LIFECYCLE_003"
    /// The image of the application's state is larger than the archive allows. It was not saved.
    public static let imageTooLarge: ErrorCode = "AXIOM_LIFECYCLE_004"
    /// The archive of the application's state could not be read or written.
    public static let archiveFailed: ErrorCode = "AXIOM_LIFECYCLE_005"
    /// A saved image of the application's state cannot be used. It was set aside.
    package static let imageSetAside: ErrorCode = "AXIOM_LIFECYCLE_006"
    /// A route of a saved stack cannot be read any more. The stack ends below it.
    public static let routesDropped: ErrorCode = "AXIOM_LIFECYCLE_007"
    /// The saved image of a context cannot be read. The context keeps its initial state.
    package static let contextNotRestored: ErrorCode = "AXIOM_LIFECYCLE_008"

    /// Some settings are missing or invalid. None of them was applied, and the previous ones stay in force.
    public static let invalidSettings: ErrorCode = "AXIOM_CONFIGURATION_001"
    /// A source of the configuration could not be read. What it contained before stays in force.
    package static let configurationUnreadable: ErrorCode = "AXIOM_CONFIGURATION_002"
    /// A capability refused its new settings. The previous ones stay in force.
    package static let settingsRefused: ErrorCode = "AXIOM_CONFIGURATION_003"

    package static let registeredTwice: ErrorCode = "AXIOM_COMPOSITION_001"
    package static let notRegistered: ErrorCode = "AXIOM_COMPOSITION_002"
    package static let stateOwnedTwice: ErrorCode = "AXIOM_COMPOSITION_003"
    package static let capabilityCycle: ErrorCode = "AXIOM_COMPOSITION_004"
    package static let contextCycle: ErrorCode = "AXIOM_COMPOSITION_005"
    package static let foreignIdentity: ErrorCode = "AXIOM_COMPOSITION_006"
    package static let wrongPhase: ErrorCode = "AXIOM_COMPOSITION_007"
    package static let notConforming: ErrorCode = "AXIOM_COMPOSITION_008"
    package static let severalMistakes: ErrorCode = "AXIOM_COMPOSITION_009"
    package static let invalidLimit: ErrorCode = "AXIOM_COMPOSITION_010"
    package static let invalidName: ErrorCode = "AXIOM_COMPOSITION_011"
    package static let storeInStatelessClient: ErrorCode = "AXIOM_COMPOSITION_012"
    package static let referenceType: ErrorCode = "AXIOM_COMPOSITION_013"
    package static let contextsTooDeep: ErrorCode = "AXIOM_COMPOSITION_014"
    package static let secondOrchestrator: ErrorCode = "AXIOM_COMPOSITION_016"
    package static let serviceCycle: ErrorCode = "AXIOM_COMPOSITION_017"
    package static let invalidFlow: ErrorCode = "AXIOM_COMPOSITION_018"
}
