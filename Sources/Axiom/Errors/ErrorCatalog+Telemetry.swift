// SPDX-License-Identifier: Apache-2.0

// The entries of how an application is observed, in the order of the codes.
extension ErrorCatalog {
    static let telemetry = [
        Entry(
            .registryTaken,
            "Two telemetries use one registry.",
            remedy: "Use a separate registry for each telemetry, and a separate telemetry for each orchestrator."
        ),
        Entry(
            .invalidLeakThreshold,
            "The leak threshold of contexts is negative.",
            remedy: "Use 0 s or more; the default is 30 s."
        ),
        Entry(
            .invalidErrorGroupLimit,
            "The limit of groups of the error monitor is not positive.",
            remedy: "Use 1 or more; the default is 200."
        ),
        Entry(
            .invalidBreaker,
            "The configuration of a circuit breaker is invalid, or a component has two.",
            remedy: "Change the option that the message names, or configure one breaker for each component."
        ),
        Entry(
            .strategyNameTaken,
            "Two watched strategies of one kind have the same name.",
            remedy: "Use a different name for each strategy of one kind."
        ),
        Entry(
            .invalidRegressions,
            "The options for regressions are invalid, or do not fit the baseline.",
            remedy: "Change the option that the message names, or record the baseline again."
        ),
        Entry(
            .noProfile,
            "A profile was requested, but none was recorded.",
            remedy: "Enable recording in the telemetry, and wait until a window with activity has ended."
        ),
        Entry(
            .unknownBudget,
            "A rule names a performance budget that does not exist.",
            remedy: "Use one of the names that the message lists, or add the budget."
        ),
        Entry(
            .invalidBudget,
            "A performance budget or its limit is invalid, or two rules contradict each other.",
            remedy: "Change the option that the message names."
        ),
        Entry(
            .telemetryTaken,
            "Two orchestrators use one telemetry.",
            remedy: "Use a separate telemetry for each orchestrator, and a separate registry for each telemetry."
        ),
        Entry(
            .invalidSignal,
            "A signal of a module cannot be recorded: its family is invalid or its name is taken.",
            remedy: "Change the declaration of the family, or the values, as the message says."
        ),
        Entry(
            .invalidSpanMemory,
            "The memory of the flight recorder is out of range, or the system does not have it.",
            remedy: "Give 512 KiB to 256 MiB, or 0 to record no spans."
        ),
        Entry(
            .spanExportRefused,
            "The export of spans was requested after a component was registered, or twice.",
            remedy: "Request it once, before the start of the orchestrator."
        ),
        Entry(
            .injectedFault,
            "A developer injected an error into a client in the dashboard.",
            remedy: "End the fault on the page of the component, or wait until it ends by itself.",
            action: .retry
        ),
    ]

    static let profilers = [
        Entry(
            .profilerUnsupported,
            "The profiler cannot run in this process: the system or the build lacks what it needs.",
            remedy: "Permit what the message names, or run without a profiler."
        ),
        Entry(
            .invalidProfilerOption,
            "An option of the profiler is out of range.",
            remedy: "Change the option that the message names."
        ),
        Entry(
            .profilerRunning,
            "A profiler already runs in this process.",
            remedy: "Stop it first, or use it."
        ),
        Entry(
            .profileNotWritten,
            "A profile could not be written to a file.",
            remedy: "Use a path that can be written."
        ),
        Entry(
            .profilerSignalTaken,
            "The program handles or ignores SIGPROF, which the profiler needs.",
            remedy: "Start the profiler without the other user of the signal."
        ),
    ]
}
