// SPDX-License-Identifier: Apache-2.0

// kB and MB are 1,024 and 1,048,576 bytes, as usual for memory. If two rows name one operation, the stricter one
// applies.
extension PerformanceBudget {
    /// Every row of the specification's tables: RFC-001 1.7, "Performance Summary", and framework documentation 1.0,
    /// "Performance Requirements" and "Timing Requirements".
    package static let specification: [PerformanceBudget] =
        capabilityBudgets + clientBudgets + contextBudgets + viewBudgets + applicationBudgets + concurrencyBudgets
}

extension PerformanceBudget.ID {
    /// The first check of a capability's availability.
    public static let capabilityCheckFirst: Self = "capability_check_first"
    /// An availability check that the cache answers.
    public static let capabilityCheckCached: Self = "capability_check_cached"
    /// The release of a capability's resources.
    public static let capabilityInvalidation: Self = "capability_invalidation"
    /// The replacement of a capability after its availability changed.
    public static let availabilityChange: Self = "availability_change"
    /// The processing of an action by a client.
    public static let clientAction: Self = "client_action"
    /// A change of state alone.
    public static let stateMutation: Self = "state_mutation"
    /// The publication of a state to every subscriber.
    public static let statePublishing: Self = "state_publishing"
    /// The time from a change of state to its arrival at a subscriber.
    public static let stateObservation: Self = "state_observation"
    /// The framework's objects of a client.
    public static let clientMemory: Self = "client_memory"
    /// The state of a client.
    public static let stateMemory: Self = "state_memory"
    /// A user's action, from sending it to its end.
    public static let contextAction: Self = "context_action"
    /// The creation of a context with its dependencies.
    public static let contextCreation: Self = "context_creation"
    /// The framework's objects of a context.
    public static let contextMemory: Self = "context_memory"
    /// A method of a context's life cycle.
    public static let lifecycle: Self = "lifecycle"
    /// The time from a change of observed state to the frame that shows it.
    public static let rendering: Self = "rendering"
    /// A transition from one route to another.
    public static let navigation: Self = "navigation"
    /// The choice of a recovery strategy.
    public static let strategyChoice: Self = "strategy_choice"
    /// The time from the throw in a client until the error reached the boundary of a context.
    public static let clientErrorPropagation: Self = "client_error_propagation"
    /// The time from the throw in a capability until the error reached the boundary of a context.
    public static let capabilityErrorPropagation: Self = "capability_error_propagation"
    /// The time from the throw that reached a context until the error was settled.
    public static let errorPropagation: Self = "error_propagation"
    /// The first start of an application in the process.
    public static let coldStart: Self = "cold_start"
    /// A later start in the same process.
    public static let warmStart: Self = "warm_start"
    /// The resident memory of the process after a start.
    public static let baseMemory: Self = "base_memory"
    /// Components that outlive their presentation or the shutdown.
    public static let leakPrevention: Self = "leak_prevention"
    /// The wait for a client's actor.
    public static let actorWait: Self = "actor_wait"
    /// The time from the creation of a task to its first step.
    public static let taskStartup: Self = "task_startup"
    /// The time from the cancellation of a task to its end.
    public static let cancellation: Self = "cancellation"
}

extension PerformanceBudget.Row {
    static func rfc(_ operation: String, _ target: String) -> Self {
        Self(document: "RFC-001 1.7, Performance Summary", operation: operation, target: target)
    }

    static func rule(_ operation: String, _ target: String) -> Self {
        Self(document: "RFC-001 1.7, Architectural Constraints", operation: operation, target: target)
    }

    static func documentation(_ operation: String, _ target: String) -> Self {
        Self(document: "Framework Documentation 1.0, Performance Requirements", operation: operation, target: target)
    }

    static func timing(_ operation: String, _ target: String) -> Self {
        Self(document: "Framework Documentation 1.0, Timing Requirements", operation: operation, target: target)
    }
}

extension PerformanceBudget {
    private static let capabilityBudgets = [
        PerformanceBudget(
            .capabilityCheckFirst,
            "The first check of a capability's availability",
            .duration(.milliseconds(10)),
            .measured("CapabilityRef.isAvailable, while nothing is cached"),
            [.rfc("Capability: Initialization (first)", "< 10ms")]
        ),
        PerformanceBudget(
            .capabilityCheckCached,
            "A check that the cache answers",
            .duration(.milliseconds(1)),
            judged: .p99,
            .measured("CapabilityRef.isAvailable, one in 64"),
            [.rfc("Capability: Initialization (cached)", "< 1ms")]
        ),
        PerformanceBudget(
            .capabilityInvalidation,
            "The release of a capability's resources",
            .duration(.milliseconds(5)),
            .measured("Capability.terminate()"),
            [.rfc("Capability: Invalidation", "< 5ms")]
        ),
        PerformanceBudget(
            .availabilityChange,
            "A capability is replaced after its availability changed",
            .duration(.milliseconds(10)),
            .measured("Orchestrator.capabilityChanged"),
            [.timing("Capability State", "< 10ms")]
        ),
        PerformanceBudget(
            .strategyChoice,
            "The choice of a recovery strategy",
            .duration(.milliseconds(5)),
            .measured("Context.recovery(for:)"),
            [.rfc("Capability: Recovery Strategy", "< 5ms")]
        ),
    ]

    private static let clientBudgets = [
        PerformanceBudget(
            .clientAction,
            "A client processes an action",
            .duration(.milliseconds(8)),
            judged: .p95,
            .measured("Client.process"),
            [.rfc("Client: State Mutation", "< 8ms")]
        ),
        PerformanceBudget(
            .stateMutation,
            "The change of the state alone, without the rest of the action",
            .duration(.milliseconds(8)),
            judged: .p95,
            .measured("StateStore.update, one in 64"),
            [.rfc("Client: State Mutation", "< 8ms")]
        ),
        PerformanceBudget(
            .statePublishing,
            "A state is offered to every subscriber",
            .duration(.milliseconds(1)),
            .measured("StateStore.update, one in 64"),
            [.rfc("Client: State Publishing", "< 1ms")]
        ),
        PerformanceBudget(
            .stateObservation,
            "From a change of state to its arrival at a subscriber",
            .duration(.milliseconds(5)),
            .measured("StateStream, each delivery"),
            [
                .rfc("Context: State Observation", "< 8ms"), .documentation("State Updates", "< 5ms"),
                .timing("State Propagation", "< 5ms"),
            ]
        ),
        PerformanceBudget(
            .clientMemory,
            "The framework's objects of a client, without its state",
            .bytes(512),
            judged: .every,
            .measured("the creation of a client, as malloc counts it"),
            [.rfc("Client: Memory Overhead", "< 512 bytes")]
        ),
        PerformanceBudget(
            .stateMemory,
            "The state of a client",
            .bytes(1_048_576),
            judged: .every,
            .measured("a scrape, at most every 10 s, estimated by reflection"),
            [.documentation("State Memory", "< 1MB")]
        ),
    ]

    private static let contextBudgets = [
        PerformanceBudget(
            .contextAction,
            "A user's action, from its sending to its end",
            .duration(.milliseconds(50)),
            .measured("Context.send"),
            [.documentation("Action Processing", "< 50ms")]
        ),
        PerformanceBudget(
            .contextCreation,
            "The creation of a context with its dependencies",
            .duration(.milliseconds(50)),
            judged: .p99,
            .measured("the context's factory"),
            [.rfc("Context: Creation", "< 50ms")]
        ),
        PerformanceBudget(
            .contextMemory,
            "The framework's objects of a context",
            .bytes(1_024),
            judged: .every,
            .measured("the creation of a context, as malloc counts it"),
            [.rfc("Context: Memory Overhead", "< 1KB")]
        ),
        PerformanceBudget(
            .lifecycle,
            "A method of a context's life cycle",
            .duration(.milliseconds(10)),
            judged: .every,
            .measured("onAppear, onDisappear, onBackground, onForeground"),
            [.rfc("Context: Lifecycle Methods", "< 10ms")]
        ),
        PerformanceBudget(
            .clientErrorPropagation,
            "From the throw in a client until the error reached the boundary of a context",
            .duration(.milliseconds(5)),
            .measured("the context's error boundary, each error of a client"),
            [.rule("19: Error Boundaries", "< 5ms")]
        ),
        PerformanceBudget(
            .capabilityErrorPropagation,
            "From the throw in a capability until the error reached the boundary of a context",
            .duration(.milliseconds(10)),
            .measured("the context's error boundary, each error of CapabilityRef.call"),
            [.rule("15: Error Propagation", "< 10ms")]
        ),
        PerformanceBudget(
            .errorPropagation,
            "From the throw that reached a context until the error was settled",
            .duration(.milliseconds(50)),
            .measured("the context's error boundary, remedies included"),
            [.timing("Error Handling", "< 50ms")]
        ),
    ]

    private static let viewBudgets = [
        PerformanceBudget(
            .rendering,
            "From a change of observed state to the frame that shows it",
            .duration(.milliseconds(10)),
            .measured("PresentationHost, each rendering after the first"),
            [
                .rfc("View: Rendering", "< 16ms"), .documentation("UI Rendering", "< 10ms"),
                .timing("UI Updates", "< 10ms"),
            ]
        ),
        PerformanceBudget(
            .navigation,
            "A transition from one route to another",
            .duration(.milliseconds(10)),
            judged: .every,
            .measured("NavigationFlow, each transition"),
            [
                .rfc("View: Navigation", "< 300ms"), .documentation("Navigation", "< 10ms"),
                .timing("Navigation", "< 10ms"),
            ]
        ),
        PerformanceBudget(
            "view_memory",
            "The stack that a view's body uses",
            .bytes(262_144),
            judged: .every,
            .notAvailable(
                "no call tells the stack that it used; the row framework/view.memory of axiom-bench --goals "
                    + "measures a body on a painted stack"
            ),
            [.rfc("View: Memory", "< 256KB")]
        ),
    ]

    private static let applicationBudgets = [
        PerformanceBudget(
            .coldStart,
            "The first start of an application in the process",
            .duration(.seconds(1)),
            .measured("Orchestrator.start()"),
            [.documentation("App Launch (cold)", "< 1s")]
        ),
        PerformanceBudget(
            .warmStart,
            "A later start in the same process",
            .duration(.milliseconds(100)),
            .measured("Orchestrator.start()"),
            [.documentation("App Launch (warm)", "< 100ms")]
        ),
        PerformanceBudget(
            .baseMemory,
            "The resident memory of the whole process after a start: no less than the framework's part of it",
            .bytes(50 * 1_048_576),
            judged: .every,
            .measured("Orchestrator.start(), from /proc/self/statm"),
            [.documentation("Base Memory", "< 50MB")]
        ),
        PerformanceBudget(
            "navigation_memory",
            "A history of 50 screens",
            .bytes(10 * 1_048_576),
            judged: .every,
            .notAvailable(
                "no allocation shows which screen it belongs to; the row framework/navigation.memory of "
                    + "axiom-bench --goals measures 50 screens"
            ),
            [.documentation("Navigation Stack", "< 10MB")]
        ),
        PerformanceBudget(
            "cache_limits",
            "Caches have limits that can be configured",
            .unstated,
            .notAvailable("a property of each cache's design, without a number to measure"),
            [.documentation("Cache Limits", "configurable")]
        ),
        PerformanceBudget(
            .leakPrevention,
            "Components that outlive their presentation or the shutdown",
            .count(0),
            judged: .every,
            .measured("the component census: leak suspects"),
            [.documentation("Leak Prevention", "zero")]
        ),
    ]

    private static let concurrencyBudgets = [
        PerformanceBudget(
            .actorWait,
            "The wait for a client's actor",
            .duration(.milliseconds(1)),
            judged: .mean,
            .measured("Client.process, about one in 64"),
            [.documentation("Actor Contention", "< 1ms average")]
        ),
        PerformanceBudget(
            .taskStartup,
            "From the creation of a task to its first step",
            .duration(.milliseconds(1)),
            .measured("the tasks that observe clients for contexts"),
            [.documentation("Task Startup", "< 1ms")]
        ),
        PerformanceBudget(
            .cancellation,
            "From the cancellation of a task to its end",
            .duration(.milliseconds(10)),
            .measured("the tasks that observe clients for contexts"),
            [.documentation("Cancellation", "< 10ms")]
        ),
        PerformanceBudget(
            "thread_pool",
            "The system's thread pool is used efficiently",
            .unstated,
            .notAvailable("no number is named, and Swift's pool tells nothing of itself"),
            [.documentation("Thread Pool", "efficient")]
        ),
        PerformanceBudget(
            "deadlock_prevention",
            "No deadlock",
            .unstated,
            .notAvailable("a property of the program, which no measurement can show"),
            [.documentation("Deadlock Prevention", "zero")]
        ),
    ]
}
