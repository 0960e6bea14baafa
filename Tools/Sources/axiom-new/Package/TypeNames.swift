// SPDX-License-Identifier: Apache-2.0

/// The names that a type of an application may not have, because what `axiom-new` writes uses another type of that name.
enum TypeNames {
    /// The public types of Axiom's modules that new files import. A test compares them with `Documentation/public-api`.
    static let ofAxiom: Set = [
        "Action", "ActionCall", "ActionConcurrency", "ActionOutcome", "Announcement", "Announcements", "AppImage",
        "AppLifecycle", "AppPhase", "AppValues", "ArchitectureRule", "ArchitectureValidator",
        "ArchitectureViolation", "AuthenticationGuard", "AuthorizationError", "AxiomError", "AxiomTestCase",
        "BreakerRule",
        "BudgetCounts", "BudgetExample", "BudgetLimit", "BudgetMonitor", "BudgetReport", "BudgetRule",
        "BudgetStatistic",
        "BudgetStatus", "BudgetViolation", "Capability", "CapabilityAnswer", "CapabilityCache", "CapabilityChange",
        "CapabilityError", "CapabilityEvent", "CapabilityLevels", "CapabilityRecovery", "CapabilityRef",
        "CapabilityReport",
        "CapabilityRequirement", "CapabilityScope", "CapabilityStatus", "CarriedSpan",
        "ChangeSource",
        "CircuitError", "Client", "ClientError", "ClientOf", "ClientProbe", "ClientScope",
        "Component", "ComponentDependency", "ComponentDescriptor", "ComponentEnding", "ComponentGraph",
        "ComponentIdentity",
        "ComponentInstance", "ComponentKind", "ComponentOperation", "CompositionError", "CompositionReport",
        "Configurable",
        "ConfigurationError", "Context", "ContextError", "ContextProbe", "ContextSample", "ContextScope",
        "ContextValues",
        "DashboardOptions", "DeepLink", "DeepLinkHandler", "DeepLinkOpener", "DeepLinkOutcome", "DeepLinkTable",
        "DeepLinkTarget", "DegradationLevel", "DetailLevel", "EndedError", "Endpoint",
        "ErrorAction",
        "ErrorBoundary", "ErrorCode", "ErrorContext", "ErrorGroup", "ErrorLocalization", "ErrorMonitor",
        "ErrorNotification", "ErrorSeverity", "ErrorSink", "ErrorText", "Exhaustivity", "ExpectedCount",
        "ExpectedProperties", "ExponentialHistogramData", "Exporter", "FailedOperation", "FailureReporter",
        "FeatureFlag",
        "FeatureFlags", "FlagEvaluation", "FlagReason", "FlagRule", "FlagSource", "FlagValue",
        "FlightRecorderOptions", "FrameworkObservers", "HandlerScope", "Inspection", "Instant", "Instrumentation",
        "Instrumentations",
        "Interleaving",
        "InterleavingFailure", "KeyValueStorage", "LifecycleError", "LifecycleEvent", "LifecycleMonitor",
        "LifecyclePhase", "LinkOverlaps", "LoadedState", "ManualTime", "MemoryStorage", "MessageError", "Middleware",
        "MiddlewareChain",
        "MiddlewareNext", "MiddlewareToken", "MockCapability", "MockNavigationFlow", "ModalStyle", "NavigationError",
        "NavigationFlow", "NavigationMiddleware", "NavigationNext", "NavigationOptions", "NavigationOutcome",
        "NavigationRequest",
        "NavigationSource", "Navigator", "NetworkCapability", "NetworkError", "NoAction", "ObservationAwareClient",
        "OperationProbe", "Orchestrator", "OrchestratorRole", "OverdueAction", "OwnedState", "PageMask",
        "PerformanceBudget", "PerformanceMonitor",
        "Permission", "PermissionStatus", "PrefetchBudget", "PrefetchCounts", "PrefetchKey", "PrefetchLoader",
        "PrefetchRequirement", "Prefetcher", "Presentation", "PresentationHost", "PressureLevel", "PressureRelieving",
        "RateLimit", "RecordKinds",
        "RecordedScenario", "RecoveryContext", "RecoveryOption", "RecoveryReport", "RecoveryStrategy", "Redacted",
        "RedactedState", "RegressionMonitor", "RegressionOptions", "RegressionVerdict",
        "RequestError", "RequestHandler", "RequestLimits", "RequestOrigin", "RequestSession",
        "RestorableContext", "RestorableFlow", "Route", "RouteMetadata", "RouteValidator",
        "ScheduledClient", "Screen", "ServiceLifetime", "ServiceScope", "SetAsideImage", "Signal", "SignalFamily",
        "SignalPhases", "SimulatedCapability", "SimulatedState", "Simulation", "SingleFlight", "StateArchive",
        "StateCheckpoint", "StateConflict", "StateDelivery", "StateError", "StateProbe", "StateStore", "StateStream",
        "StateVersion", "StatelessClient", "StorageArchive", "StorageCapability",
        "StorageChange", "StorageKey", "SystemCapability", "SystemDegradation",
        "SystemResource",
        "SystemService", "Telemetry", "TelemetryAssertions", "TelemetryError", "TelemetryExpectation",
        "TestApplication",
        "TestClient", "TestContext", "TestError", "TestOrchestrator", "TestScopes",
        "TestableClient", "TimeSource", "TraceParts", "TransitionStyle", "URLCaptures",
        "URLPattern",
        "ValidationError", "ValueSemantics", "Version", "WaitLimits", "WorkScope",
    ]

    /// Types of the libraries of Swift that new files use, or that every reader expects.
    private static let ofSwift: Set = [
        "Actor", "Any", "AnyObject", "Array", "AsyncSequence", "AsyncStream", "Bool", "Character", "Clock", "Codable",
        "CustomStringConvertible", "Data", "Date", "Decodable", "Dictionary", "Double", "Duration", "Encodable",
        "Equatable", "Error", "Executor", "Float", "Hashable", "Identifiable", "Int", "Iterator", "Logger", "Mirror",
        "Never", "Observable", "Optional", "Result", "Sendable", "Sequence", "Service", "ServiceGroup", "Set", "String",
        "Substring", "Suite", "Task", "Test", "UUID", "URL", "Void",
    ]

    /// - Throws: ``ScaffoldError`` that names the first type in `files` whose name is taken.
    static func check(_ files: [NewFile]) throws {
        let declaration =
            #/(?m)^(?:@\w+(?:\([^)]*\))?\s+)*(?:[a-z]+ )*(?:struct|enum|actor|class|protocol) (?<name>\w+)/#
        for file in files {
            for match in file.text.matches(of: declaration) {
                let name = String(match.name)
                guard ofAxiom.contains(name) || ofSwift.contains(name) else { continue }
                let owner = ofAxiom.contains(name) ? "Axiom" : "Swift"
                throw ScaffoldError(
                    "\(file.path) would declare the type \(name), which \(owner) has already: choose another name."
                )
            }
        }
    }
}
