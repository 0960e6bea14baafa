// SPDX-License-Identifier: Apache-2.0

// The entries of the catalogue, family by family, in the order of the codes.
extension ErrorCatalog {
    static let capabilities = [
        Entry(
            .capabilityInitializationFailed,
            "A required capability could not be initialised.",
            remedy: "Mend the cause, or register the capability as optional to start without it.",
            .critical,
            .contactSupport
        ),
        Entry(
            .capabilityUnavailable,
            "A capability was used while there is no working instance of it.",
            remedy: "Ask isAvailable first, or serve what was cached until the capability is back.",
            .nonCritical,
            .retry
        ),
        Entry(
            .capabilityTimedOut,
            "A capability did not answer in time.",
            remedy: "Try again; when it happens often, allow more time or look at what the capability waits for.",
            .nonCritical,
            .retry
        ),
    ]

    static let states = [
        Entry(
            .subscriberStalled,
            "A subscriber left 1,000 critical states untaken and one more came.",
            remedy: "Take states faster (nextBatch() takes all that are pending), or mark fewer updates as critical.",
            .nonCritical,
            .retry
        ),
        Entry(
            .concurrentIteration,
            "An iterator was asked for a state while an earlier call on it, or on a copy of it, still waits.",
            remedy: "Give each task an iterator of its own.",
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
            "A change would leave a state that breaks a rule of its own.",
            remedy: "Check what was entered; throw this inside the body of update, so that the state stays as it was.",
            .nonCritical,
            .dismiss
        ),
    ]

    static let clients = [
        Entry(
            .clientNotStarted,
            "A client's factory or its `activate()` threw when the application started.",
            remedy: "Mend the cause; the error was also reported when the application started.",
            .critical,
            .contactSupport
        ),
        Entry(
            .clientDisabled,
            "A client was disabled by a partial shutdown.",
            remedy: "Do without what it offers until the application is started again.",
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
            remedy: "Leave emergency mode first, or name the context among those that are kept.",
            .nonCritical,
            .dismiss
        ),
        Entry(
            .contextGone,
            "A failed operation cannot be run again because its context is gone.",
            remedy: "Begin anew from what is shown now.",
            .warning,
            .dismiss
        ),
        Entry(
            .contextDisappeared,
            "An action was sent to a context that had disappeared, and was not handled.",
            remedy:
                "Send actions to the context that is shown now; let work that must outlive a context be a client's.",
            .warning,
            .dismiss
        ),
    ]

    static let navigation = [
        Entry(
            .unknownRoute,
            "A route leads to nothing that is known.",
            remedy: "Check the link, or register what it should show.",
            .nonCritical,
            .dismiss
        ),
        Entry(
            .navigationFallbackFailed,
            "The safe place that an error should lead to could not be shown.",
            remedy: "Lead to a place that needs no data and no permission.",
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
            remedy: "Try again in a moment when it is the server's fault (500 and above); else check what was asked.",
            .nonCritical,
            .retry
        ),
        Entry(
            .invalidResponse,
            "A server answered with something that cannot be understood.",
            remedy: "Report it: the application and the server disagree.",
            .nonCritical,
            .contactSupport
        ),
    ]

    static let validation = [
        Entry(
            .missingValue,
            "A value that is needed is missing.",
            remedy: "Fill it in.",
            .warning,
            .dismiss
        ),
        Entry(
            .invalidFormat,
            "A value does not have the form that is needed.",
            remedy: "Write it in the form that the message names.",
            .warning,
            .dismiss
        ),
        Entry(
            .outOfRange,
            "A value lies outside of its range.",
            remedy: "Choose one inside the range that the message names.",
            .warning,
            .dismiss
        ),
    ]

    static let authorization = [
        Entry(
            .notSignedIn,
            "Nobody is signed in.",
            remedy: "Sign in and try again.",
            .nonCritical,
            .authenticate
        ),
        Entry(
            .forbidden,
            "Whoever is signed in may not do this.",
            remedy: "Sign in as somebody who may, or ask for the permission.",
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
            "A circuit breaker refused a call because too many before it failed.",
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
            "A half-open circuit breaker refused a call because its probes are still under way.",
            remedy: "Try again in a moment.",
            .nonCritical,
            .retry
        ),
    ]

    static let lifecycle = [
        Entry(
            .limitExpired,
            "A component did not end an operation within its limit, which was cancelled and is no longer waited for.",
            remedy: "Let it end when its task is cancelled, or allow more time in WaitLimits.",
            .nonCritical,
            .retry
        ),
        Entry(
            .waitsForItself,
            "An operation would wait for itself, because what it waits for waits for it.",
            remedy:
                "Break the circle that the message shows, or do the last step in a Task.detached that is not awaited.",
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
            "A component asked for a type that nobody registered.",
            remedy: "Register it before start().",
            .critical,
            .contactSupport
        ),
        Entry(
            .stateOwnedTwice,
            "Two client types own one state type (rule 7).",
            remedy: "Give each client a state type of its own, or let one client own it.",
            .critical,
            .contactSupport
        ),
        Entry(
            .capabilityCycle,
            "Capabilities depend on each other in a circle (rule 3).",
            remedy: "Move what they share into a capability below both.",
            .critical,
            .contactSupport
        ),
        Entry(
            .contextCycle,
            "Contexts resolve each other in a circle (rule 8).",
            remedy: "Break the circle, or register the context with recursive: true.",
            .critical,
            .contactSupport
        ),
        Entry(
            .foreignIdentity,
            "A component stores an identity that is not the one its scope gave it.",
            remedy: "Store scope.identity in the initializer, and return a new instance from the factory each time.",
            .critical,
            .contactSupport
        ),
        Entry(
            .wrongPhase,
            "Something was asked of the orchestrator in a phase in which it cannot be done.",
            remedy: "Register before start(), mount and change between start() and shutdown().",
            .critical,
            .contactSupport
        ),
        Entry(
            .notConforming,
            "A capability was registered under a protocol that it does not conform to.",
            remedy: "Declare the conformance, or register it as another type.",
            .critical,
            .contactSupport
        ),
        Entry(
            .severalMistakes,
            "Several registrations are wrong; the message lists them all.",
            remedy: "Mend each; the message says how.",
            .critical,
            .contactSupport
        ),
        Entry(
            .invalidLimit,
            "A limit of a wait is not longer than zero.",
            remedy: "Give a longer one, or WaitLimits.unlimited for a wait without an end.",
            .critical,
            .contactSupport
        ),
        Entry(
            .invalidName,
            "The name of a component is blank or longer than 256 bytes.",
            remedy: "Give it a componentName of 1 to 256 bytes: metrics, errors and graphs show it.",
            .critical,
            .contactSupport
        ),
        Entry(
            .storeInStatelessClient,
            "A client without state made a state store.",
            remedy: "Conform it to Client and name the state as its StateType, or leave the store out.",
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
            "Contexts contain each other more than 256 deep.",
            remedy: "End the recursion in the factory, or make deeper levels when they are shown.",
            .critical,
            .contactSupport
        ),
    ]

    static let telemetry = [
        Entry(
            .registryTaken,
            "A registry was given to two telemetries.",
            remedy: "Give each telemetry a registry of its own, and each orchestrator a telemetry of its own.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .invalidLeakThreshold,
            "The time after which a context is suspected of a leak is negative.",
            remedy: "Give 0 s or more; 30 s is usual.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .invalidErrorGroupLimit,
            "The number of groups that the error monitor may keep is not positive.",
            remedy: "Give 1 or more; 200 is usual.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .invalidBreaker,
            "The configuration of a circuit breaker is invalid, or two are given for one component.",
            remedy: "Change the option that the message names, or give each component one breaker.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .strategyNameTaken,
            "Two strategies of one kind are watched under one name.",
            remedy: "Give each strategy of one kind a name of its own.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .invalidRegressions,
            "Durations are to be recorded or judged by options that contradict themselves or the baseline.",
            remedy: "Change the option that the message names, or record the baseline again.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .noProfile,
            "A profile was asked for and there is none.",
            remedy: "Make the telemetry with recording on, and let a window pass in which something is done.",
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
            "A performance budget or a limit for one is invalid, or two rules contradict each other.",
            remedy: "Change what the message names.",
            .nonCritical,
            .contactSupport
        ),
        Entry(
            .telemetryTaken,
            "A telemetry was given to two orchestrators.",
            remedy: "Give each orchestrator a telemetry of its own, and that a registry of its own.",
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
