// SPDX-License-Identifier: Apache-2.0

// The entries of how an application is composed, configured and run, family by family, in the order of the codes.
extension ErrorCatalog {
    static let lifecycle = [
        Entry(
            .limitExpired,
            "An operation exceeded its limit, was cancelled and is no longer awaited.",
            remedy: "End the operation when its task is cancelled, or allow more time in WaitLimits.",
            action: .retry
        ),
        Entry(
            .waitsForItself,
            "An operation would wait for itself: another operation that it waits for waits for it.",
            remedy:
                "Break the cycle that the message shows, or run its last step in a Task.detached without awaiting it."
        ),
        Entry(
            .phaseStepOverdue,
            "A step of a change of the application's phase did not end within the grace time.",
            remedy:
                "End the step that the message names when its task is cancelled, or allow more time: AppLifecycle(grace:).",
            action: .dismiss
        ),
        Entry(
            .imageTooLarge,
            "The image of the application's state is larger than the archive allows.",
            remedy: "Keep less in the images of contexts, or allow more: StorageArchive(maximumBytes:)."
        ),
        Entry(
            .archiveFailed,
            "The archive of the application's state could not be read or written.",
            remedy: "Check the permissions of the folder and the free space.",
            action: .retry
        ),
        Entry(
            .imageSetAside,
            "A saved image of the application's state cannot be used.",
            remedy:
                "Nothing has to be done: an older image is used, or none. The message names its key for a later look.",
            severity: .warning,
            action: .dismiss
        ),
        Entry(
            .routesDropped,
            "A route of a saved stack cannot be read any more.",
            remedy: "Nothing has to be done. To keep old routes, let the route type decode their earlier form.",
            severity: .warning,
            action: .dismiss
        ),
        Entry(
            .contextNotRestored,
            "The saved image of a context cannot be read.",
            remedy: "Let the type of the image decode its earlier forms, and increase imageVersion with each new form.",
            severity: .warning,
            action: .dismiss
        ),
    ]

    static let configuration = [
        Entry(
            .invalidSettings,
            "Some settings are missing or invalid.",
            remedy: "Correct the values that the message names; they are read again when the source changes.",
            action: .dismiss
        ),
        Entry(
            .configurationUnreadable,
            "A source of the configuration could not be read.",
            remedy: "Correct the file; it is read again when it changes.",
            action: .dismiss
        ),
        Entry(
            .settingsRefused,
            "A capability refused its new settings.",
            remedy: "Correct the settings; the previous ones stay in force until then.",
            action: .dismiss
        ),
    ]

    static let composition: [Entry] = [
        .mistake(
            .registeredTwice,
            "A type was registered twice.",
            remedy: "Register each type once; use override(…) to replace one in a test."
        ),
        .mistake(
            .notRegistered,
            "A component requested a type that is not registered.",
            remedy: "Register it before start()."
        ),
        .mistake(
            .stateOwnedTwice,
            "Two client types own one state type (rule 7).",
            remedy: "Declare a separate state type for each client, or let one client own it."
        ),
        .mistake(
            .capabilityCycle,
            "Capabilities depend on each other in a cycle (rule 3).",
            remedy: "Move the shared part to a capability on which both depend."
        ),
        .mistake(
            .contextCycle,
            "Contexts resolve each other in a cycle (rule 8).",
            remedy: "Break the cycle, or register the context with recursive: true."
        ),
        .mistake(
            .foreignIdentity,
            "A component stores an identity that did not come from its scope, or two components were made with one scope.",
            remedy:
                "Store scope.identity in the initializer, return a new instance from the factory each time, and register a component that another one needs."
        ),
        .mistake(
            .wrongPhase,
            "A method of the orchestrator was called in the wrong phase of its life cycle.",
            remedy: "Register before start(). Mount and change capabilities between start() and shutdown()."
        ),
        .mistake(
            .notConforming,
            "A capability was registered under a protocol that it does not conform to.",
            remedy: "Declare the conformance, or register the capability under another type."
        ),
        .mistake(
            .severalMistakes,
            "Several registrations are wrong; the message lists them all.",
            remedy: "Correct each of them as the message says."
        ),
        .mistake(
            .invalidLimit,
            "The limit of a wait is zero or negative.",
            remedy: "Set a positive limit, or WaitLimits.unlimited to wait without a limit."
        ),
        .mistake(
            .invalidName,
            "The name of a component is blank or longer than 256 bytes.",
            remedy: "Declare a componentName of 1 to 256 bytes. Metrics, errors and graphs show it."
        ),
        .mistake(
            .storeInStatelessClient,
            "A client without state made a state store.",
            remedy: "Conform the client to Client, with the state as its StateType, or remove the store."
        ),
        .mistake(
            .referenceType,
            "A state or an action is a class (rules 17 and 18).",
            remedy: "Make it a struct or an enum of values."
        ),
        .mistake(
            .contextsTooDeep,
            "Contexts are nested more than 256 levels deep.",
            remedy: "End the recursion in the factory, or make the deeper levels when they are shown."
        ),
        .mistake(
            .secondOrchestrator,
            "A second orchestrator of the application was started while one runs.",
            remedy: "Shut the first down, or give orchestrators of tests and tools the role independent."
        ),
        .mistake(
            .serviceCycle,
            "Services require each other in a cycle.",
            remedy: "Move the shared part to a service on which both depend."
        ),
        .mistake(
            .invalidFlow,
            "The routes, the screens or the options of a flow are invalid.",
            remedy: "Correct the routes, the registrations or the options as the message says."
        ),
    ]
}
