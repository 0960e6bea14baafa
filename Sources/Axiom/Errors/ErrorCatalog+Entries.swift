// SPDX-License-Identifier: Apache-2.0

// The entries of the catalogue, family by family, in the order of the codes.
extension ErrorCatalog {
    static let capabilities = [
        Entry(
            .capabilityInitializationFailed,
            "A required capability could not be initialised.",
            remedy: "Correct the cause, or register the capability as optional to start without it.",
            .critical,
            .contactSupport
        ),
        Entry(
            .capabilityUnavailable,
            "A capability was used while there is no working instance of it.",
            remedy: "Check isAvailable first, or serve cached data until the capability is available again.",
            .nonCritical,
            .retry
        ),
        Entry(
            .capabilityTimedOut,
            "A capability did not answer in time.",
            remedy: "Try again. If it happens often, allow more time, or find out what the capability waits for.",
            .nonCritical,
            .retry
        ),
    ]

    static let states = [
        Entry(
            .subscriberStalled,
            "A subscriber did not take 1,000 critical states, and another one followed.",
            remedy: "Take states faster (nextBatch() takes all pending states), or mark fewer updates as critical.",
            .nonCritical,
            .retry
        ),
        Entry(
            .concurrentIteration,
            "An iterator was called while an earlier call on it, or on a copy of it, still waits.",
            remedy: "Use a separate iterator in each task.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .reentrantUpdate,
            "The body of an update called `update` on the same store.",
            remedy: "Make the whole change in one body, or call the second update after the first has returned.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .stateInconsistent,
            "A change would leave a state that violates an invariant of its type.",
            remedy: "Check the input. Throw this error in the body of update: the state then stays unchanged.",
            .nonCritical,
            .dismiss
        ),
    ]

    static let clients = [
        Entry(
            .clientNotStarted,
            "A client's factory or its `activate()` threw when the application started.",
            remedy: "Correct the cause. The error was also reported when the application started.",
            .critical,
            .contactSupport
        ),
        Entry(
            .clientDisabled,
            "A client was disabled by a partial shutdown.",
            remedy: "Continue without this client until the application is started again.",
            .nonCritical,
            .dismiss
        ),
        Entry(
            .storeOutsideScope,
            "A client publishes a state store that its scope did not make. It works, but its state is not observed.",
            remedy: "Make the store with scope.store(…); StateStore(…) is for tests, previews and doubles.",
            .warning,
            .contactSupport
        ),
    ]

    static let contexts = [
        Entry(
            .emergencyMode,
            "An action was refused because the application runs in emergency mode without this context.",
            remedy: "Leave emergency mode first, or add the context to those that emergency mode keeps.",
            .nonCritical,
            .dismiss
        ),
        Entry(
            .contextGone,
            "A failed operation cannot be run again because its context is gone.",
            remedy: "Start the operation again from a context that is shown now.",
            .warning,
            .dismiss
        ),
        Entry(
            .contextDisappeared,
            "An action was sent to a context that had disappeared, and was not handled.",
            remedy:
                "Send actions to the context that is shown now. Move work that must outlive a context to a client.",
            .warning,
            .dismiss
        ),
    ]

    static let navigation = [
        Entry(
            .unknownRoute,
            "A route has no known destination.",
            remedy: "Check the link, or register its destination.",
            .nonCritical,
            .dismiss
        ),
        Entry(
            .navigationFallbackFailed,
            "The fallback destination of an error could not be shown.",
            remedy: "Navigate to a destination that needs no data and no permission.",
            .critical,
            .contactSupport
        ),
    ]

    static let network = [
        Entry(
            .noConnection,
            "There is no connection.",
            remedy: "Check the connection and try again.",
            .nonCritical,
            .retry
        ),
        Entry(
            .networkTimeout,
            "No answer came in time.",
            remedy: "Try again in a moment.",
            .nonCritical,
            .retry
        ),
        Entry(
            .serverError,
            "A server answered with an error status.",
            remedy: "For a status of 500 or above, try again later. Otherwise check the request.",
            .nonCritical,
            .retry
        ),
        Entry(
            .invalidResponse,
            "The answer of a server could not be decoded.",
            remedy: "Report it: the application and the server use different formats.",
            .nonCritical,
            .contactSupport
        ),
    ]

    static let validation = [
        Entry(
            .missingValue,
            "A required value is missing.",
            remedy: "Enter the value.",
            .warning,
            .dismiss
        ),
        Entry(
            .invalidFormat,
            "A value does not have the required format.",
            remedy: "Use the format that the message names.",
            .warning,
            .dismiss
        ),
        Entry(
            .outOfRange,
            "A value is outside its range.",
            remedy: "Choose a value within the range that the message names.",
            .warning,
            .dismiss
        ),
    ]

    static let authorization = [
        Entry(
            .notSignedIn,
            "No user is signed in.",
            remedy: "Sign in and try again.",
            .nonCritical,
            .authenticate
        ),
        Entry(
            .forbidden,
            "The signed-in user has no permission for this.",
            remedy: "Sign in as a user with the permission, or request the permission.",
            .nonCritical,
            .authenticate
        ),
        Entry(
            .sessionExpired,
            "The session has ended.",
            remedy: "Sign in again.",
            .nonCritical,
            .authenticate
        ),
    ]

    static let circuits = [
        Entry(
            .circuitOpen,
            "A circuit breaker refused a call because too many earlier calls failed.",
            remedy: "Try again after the time that the message names.",
            .nonCritical,
            .retry
        ),
        Entry(
            .circuitForcedOpen,
            "A circuit breaker refused a call because an operator opened it.",
            remedy: "Wait until the operator closes it.",
            .nonCritical,
            .dismiss
        ),
        Entry(
            .circuitProbing,
            "A half-open circuit breaker refused a call because its probes have not ended.",
            remedy: "Try again in a moment.",
            .nonCritical,
            .retry
        ),
    ]

    static let lifecycle = [
        Entry(
            .limitExpired,
            "An operation exceeded its limit, was cancelled and is no longer awaited.",
            remedy: "End the operation when its task is cancelled, or allow more time in WaitLimits.",
            .nonCritical,
            .retry
        ),
        Entry(
            .waitsForItself,
            "An operation would wait for itself: another operation that it waits for waits for it.",
            remedy:
                "Break the cycle that the message shows, or run its last step in a Task.detached without awaiting it.",
            .nonCritical,
            .contactSupport
        ),
    ]

    static let composition = [
        Entry(
            .registeredTwice,
            "A type was registered twice.",
            remedy: "Register each type once; use override(…) to replace one in a test.",
            .critical,
            .contactSupport
        ),
        Entry(
            .notRegistered,
            "A component requested a type that is not registered.",
            remedy: "Register it before start().",
            .critical,
            .contactSupport
        ),
        Entry(
            .stateOwnedTwice,
            "Two client types own one state type (rule 7).",
            remedy: "Declare a separate state type for each client, or let one client own it.",
            .critical,
            .contactSupport
        ),
        Entry(
            .capabilityCycle,
            "Capabilities depend on each other in a cycle (rule 3).",
            remedy: "Move the shared part to a capability on which both depend.",
            .critical,
            .contactSupport
        ),
        Entry(
            .contextCycle,
            "Contexts resolve each other in a cycle (rule 8).",
            remedy: "Break the cycle, or register the context with recursive: true.",
            .critical,
            .contactSupport
        ),
        Entry(
            .foreignIdentity,
            "A component stores an identity that did not come from its scope.",
            remedy: "Store scope.identity in the initializer, and return a new instance from the factory each time.",
            .critical,
            .contactSupport
        ),
        Entry(
            .wrongPhase,
            "A method of the orchestrator was called in the wrong phase of its life cycle.",
            remedy: "Register before start(). Mount and change capabilities between start() and shutdown().",
            .critical,
            .contactSupport
        ),
        Entry(
            .notConforming,
            "A capability was registered under a protocol that it does not conform to.",
            remedy: "Declare the conformance, or register the capability under another type.",
            .critical,
            .contactSupport
        ),
        Entry(
            .severalMistakes,
            "Several registrations are wrong; the message lists them all.",
            remedy: "Correct each of them as the message says.",
            .critical,
            .contactSupport
        ),
        Entry(
            .invalidLimit,
            "The limit of a wait is zero or negative.",
            remedy: "Set a positive limit, or WaitLimits.unlimited to wait without a limit.",
            .critical,
            .contactSupport
        ),
        Entry(
            .invalidName,
            "The name of a component is blank or longer than 256 bytes.",
            remedy: "Declare a componentName of 1 to 256 bytes. Metrics, errors and graphs show it.",
            .critical,
            .contactSupport
        ),
        Entry(
            .storeInStatelessClient,
            "A client without state made a state store.",
            remedy: "Conform the client to Client, with the state as its StateType, or remove the store.",
            .critical,
            .contactSupport
        ),
        Entry(
            .referenceType,
            "A state or an action is a class (rules 17 and 18).",
            remedy: "Make it a struct or an enum of values.",
            .critical,
            .contactSupport
        ),
        Entry(
            .contextsTooDeep,
            "Contexts are nested more than 256 levels deep.",
            remedy: "End the recursion in the factory, or make the deeper levels when they are shown.",
            .critical,
            .contactSupport
        ),
    ]

    static let telemetry = [
        Entry(
            .registryTaken,
            "Two telemetries use one registry.",
            remedy: "Use a separate registry for each telemetry, and a separate telemetry for each orchestrator.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .invalidLeakThreshold,
            "The leak threshold of contexts is negative.",
            remedy: "Use 0 s or more; the default is 30 s.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .invalidErrorGroupLimit,
            "The limit of groups of the error monitor is not positive.",
            remedy: "Use 1 or more; the default is 200.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .invalidBreaker,
            "The configuration of a circuit breaker is invalid, or a component has two.",
            remedy: "Change the option that the message names, or configure one breaker for each component.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .strategyNameTaken,
            "Two watched strategies of one kind have the same name.",
            remedy: "Use a different name for each strategy of one kind.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .invalidRegressions,
            "The options for regressions are invalid, or do not fit the baseline.",
            remedy: "Change the option that the message names, or record the baseline again.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .noProfile,
            "A profile was requested, but none was recorded.",
            remedy: "Enable recording in the telemetry, and wait until a window with activity has ended.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .unknownBudget,
            "A rule names a performance budget that does not exist.",
            remedy: "Use one of the names that the message lists, or add the budget.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .invalidBudget,
            "A performance budget or its limit is invalid, or two rules contradict each other.",
            remedy: "Change the option that the message names.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .telemetryTaken,
            "Two orchestrators use one telemetry.",
            remedy: "Use a separate telemetry for each orchestrator, and a separate registry for each telemetry.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .invalidSignal,
            "A signal of a module cannot be recorded: its family is invalid or its name is taken.",
            remedy: "Change the declaration of the family, or the values, as the message says.",
            .nonCritical,
            .contactSupport
        ),
    ]
}
