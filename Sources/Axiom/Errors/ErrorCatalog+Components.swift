// SPDX-License-Identifier: Apache-2.0

// The entries of components and their states, family by family, in the order of the codes.
extension ErrorCatalog {
    static let capabilities = [
        Entry(
            .capabilityInitializationFailed,
            "A required capability could not be initialised.",
            remedy: "Correct the cause, or register the capability as optional to start without it.",
            severity: .critical
        ),
        Entry(
            .capabilityUnavailable,
            "A capability was used while there is no working instance of it.",
            remedy: "Check isAvailable first, or serve cached data until the capability is available again.",
            action: .retry
        ),
        Entry(
            .capabilityTimedOut,
            "A capability did not answer in time.",
            remedy: "Try again. If it happens often, allow more time, or find out what the capability waits for.",
            action: .retry
        ),
        Entry(
            .capabilityDegraded,
            "A capability works less than an operation requires.",
            remedy: "Offer less, serve cached data, or wait for the level: CapabilityRef.levels.",
            action: .retry
        ),
        Entry(
            .monitoringEnded,
            "A source of changes failed repeatedly and is no longer monitored.",
            remedy:
                "Correct the cause and monitor the source again; until then call refreshAll() or capabilityChanged(…)."
        ),
        Entry(
            .capabilitySourceInvalid,
            "A parameter of a source of capability events is outside its range.",
            remedy: "Pass a value in the range that the message names."
        ),
        Entry(
            .capabilitySourceUnavailable,
            "The system does not provide what a source of capability events reads.",
            remedy: "Check that the path exists and may be read, or run without this source."
        ),
        Entry(
            .capabilitySourceStopped,
            "A source of capability events stopped because it cannot read the system any more.",
            remedy: "Correct the cause, and listen again.",
            action: .retry
        ),
    ]

    static let states: [Entry] = [
        Entry(
            .subscriberStalled,
            "A subscriber did not take 1,000 critical states, and another one followed.",
            remedy: "Take states faster, and do slow work in another task; or mark fewer updates as critical.",
            action: .retry
        ),
        Entry(
            .concurrentIteration,
            "An iterator was called while an earlier call on it, or on a copy of it, still waits.",
            remedy: "Use a separate iterator in each task."
        ),
        Entry(
            .reentrantUpdate,
            "The body of an update called `update` on the same store.",
            remedy: "Make the whole change in one body, or call the second update after the first has returned."
        ),
        Entry(
            .stateInconsistent,
            "A change would leave a state that violates an invariant of its type.",
            remedy: "Check the input. Throw this error in the body of update: the state then stays unchanged.",
            action: .dismiss
        ),
        Entry(
            .staleState,
            "An update relied on a version of the state that is no longer the current one.",
            remedy: "Read the state again and decide again, or merge the result in withStateValidation.",
            action: .retry
        ),
        Entry(
            .criticalStatesLost,
            "A subscriber resumed, but the store no longer has all critical states since its position.",
            remedy: "Resume sooner, or rebuild what depends on each critical state from the current state.",
            action: .dismiss
        ),
        .mistake(
            .referenceInState,
            "A state or an action contains a reference, so it can be changed in place (rules 17 and 18).",
            remedy: "Store values only, or conform a type that behaves as a value to ValueSemantics."
        ),
    ]

    static let clients = [
        Entry(
            .clientNotStarted,
            "A client's factory or its `activate()` threw when the application started.",
            remedy: "Correct the cause. The error was also reported when the application started.",
            severity: .critical
        ),
        Entry(
            .storeOutsideScope,
            "A client publishes a state store that its scope did not make. It works, but its state is not observed.",
            remedy: "Make the store with scope.store(…); StateStore(…) is for tests, previews and doubles.",
            severity: .warning
        ),
        Entry(
            .actionQueueFull,
            "A client refused an action because too many callers already wait for it.",
            remedy: "Try again in a moment.",
            action: .retry
        ),
        Entry.mistake(
            .answerSkipped,
            "A middleware for all clients skipped an action that has an answer.",
            remedy: "Throw an error to refuse the action, or answer it in a middleware for this client."
        ),
    ]

    static let requests = [
        Entry(
            .requestsFull,
            "A request handler has no free place for a request: as many as its limits allow run and wait.",
            remedy: "Try again after the time that the error names; a server answers with 503 and Retry-After.",
            action: .retry
        ),
        Entry(
            .requestsClosed,
            "A request handler takes no requests: the application does not run, or the handler could not be made.",
            remedy: "Try again after the time that the error names. If it names a cause, correct it and start again.",
            action: .retry
        ),
        Entry(
            .requestTooLate,
            "A request was not answered within its time limit.",
            remedy: "Try again in a moment; a server answers with 504.",
            action: .retry
        ),
    ]

    static let contexts = [
        Entry(
            .contextGone,
            "A failed operation cannot be run again because its context is gone.",
            remedy: "Start the operation again from a context that is shown now.",
            severity: .warning,
            action: .dismiss
        ),
        Entry(
            .contextDisappeared,
            "An action was sent to a context that had disappeared, and was not handled.",
            remedy:
                "Send actions to the context that is shown now. Move work that must outlive a context to a client.",
            severity: .warning,
            action: .dismiss
        ),
    ]
}
