// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
public import AxiomInstrumentation
public import Testing

/// An application under test: the production engine on a manual time.
///
/// ```swift
/// let app = TestOrchestrator {
///     $0.register(CartClient.self) { try CartClient($0) }
///     $0.register(CartContext.self) { try CartContext($0) }
/// }
/// let network = app.simulate((any Network).self, as: FakeNetwork.self)
/// let cart = try await app.context(CartContext.self)
/// await cart.send(.load) { $0.isLoading = true }
/// await cart.finish()
/// ```
/// It has no state outside of itself: any number of them run in parallel tests. Whether the test is exhaustive is fixed
/// when it is made.
@MainActor
public final class TestOrchestrator {
    /// The orchestrator of the production engine.
    public let orchestrator: Orchestrator
    /// The time of the application. It moves only by ``advance(by:sourceLocation:)``.
    public nonisolated let time: ManualTime
    /// What the application records. Empty in a build without the trait `Instrumented`.
    ///
    /// - Throws: The error of `Telemetry.init`, if it could not be made. The application then runs without it.
    public nonisolated var telemetry: Telemetry { get throws { try made.get() } }
    /// The life of all contexts.
    public let lifecycle: LifecycleMonitor
    /// Whether the test has to assert everything that happens.
    public nonisolated var exhaustivity: Exhaustivity { failures.exhaustivity }

    /// How long a function of the kit waits in real time for what it cannot follow, such as a real clock, before it records
    /// a failure. Default: 20 s.
    public var patience: Duration = .seconds(20)

    private nonisolated let made: Result<Telemetry, any Error>
    nonisolated let failures: FailureRecorder
    let taps = ContextTaps()
    /// Run at the end of the start, each until it succeeds once.
    var startHooks: [@MainActor () async throws -> Void] = []
    var endedStartHooks = 0
    /// Checks what the test did not assert, when no context is under test any more.
    var endChecks: [@MainActor (SourceLocation) -> Void] = []
    var assertedErrors = 0
    var startPhase = StartPhase.pending
    /// The start, and what the application was told. What waits at the end of the test is reported.
    private var works: [TestWork] = []

    /// Makes an application. It starts with its first context, or with ``start(sourceLocation:)``.
    ///
    /// - Parameters:
    ///   - exhaustivity: Whether the test has to assert everything that happens.
    ///   - limits: How long the framework waits for the code of components, in the manual time.
    ///   - reporter: Takes the failures.
    ///   - configure: Registers the components. It may be the function that the application itself uses.
    /// - Throws: The error of `configure`.
    public convenience init(
        exhaustivity: Exhaustivity = .on,
        limits: WaitLimits = WaitLimits(),
        reporter: FailureReporter = .testing,
        _ configure: (Orchestrator) throws -> Void
    ) rethrows {
        self.init(exhaustivity: exhaustivity, limits: limits, reporter: reporter)
        try configure(orchestrator)
    }

    /// Makes an application without components; register them with ``orchestrator``.
    ///
    /// - Parameters:
    ///   - exhaustivity: Whether the test has to assert everything that happens.
    ///   - limits: How long the framework waits for the code of components, in the manual time.
    ///   - reporter: Takes the failures.
    public init(
        exhaustivity: Exhaustivity = .on,
        limits: WaitLimits = WaitLimits(),
        reporter: FailureReporter = .testing
    ) {
        let time = ManualTime()
        self.time = time
        failures = FailureRecorder(exhaustivity: exhaustivity, reporter: reporter)
        lifecycle = LifecycleMonitor(reporter: reporter)
        made = Result { try Telemetry(logsErrors: false, clock: .manual(time)) }
        let observer: any Instrumentation = if case .success(let telemetry) = made { telemetry } else { Unobserved() }
        orchestrator = Orchestrator(instrumentation: observer, clock: .manual(time), limits: limits)
        orchestrator.quiescence.followsWaits = true
        orchestrator.quiescence.tap = taps
        taps.lifecycle = lifecycle
    }

    /// The values of the application that its contexts see; see `Orchestrator.values`.
    public var values: AppValues {
        get { orchestrator.values }
        set { orchestrator.values = newValue }
    }

    /// The time of the application, for the components that take a source of time.
    public nonisolated var clock: TimeSource { .manual(time) }

    /// Ends the application: finishes the contexts that were not finished, checks what is left, and shuts it down.
    public func finish(sourceLocation location: SourceLocation = #_sourceLocation) async {
        await settle(at: location)
        // Before the first context ends, which cancels its part of a way.
        checkWorks(at: location)
        for context in taps.live { await context.finish(sourceLocation: location) }
        checkEnd(at: location)
        let work = begin("the shutdown") { await self.orchestrator.shutdown() }
        await settle(at: location)
        if !work.hasEnded { failures.fail("The shutdown waits for the time or a simulated capability.", at: location) }
        checkErrors("during the shutdown", at: location)
    }

    /// Tells the application that it goes to the background.
    ///
    /// Returns when its contexts have been told and its states are saved, or wait for the time or for a simulated
    /// capability. What still waits when the application or its last context is finished is a failure, as far as the test is
    /// exhaustive. A context that is finished before does not hold the way any more.
    public func enterBackground(sourceLocation location: SourceLocation = #_sourceLocation) async {
        await follow("the way to the background", at: location) { await self.orchestrator.enterBackground() }
    }

    /// Tells the application that it returns to the foreground.
    ///
    /// Returns, and fails, as ``enterBackground(sourceLocation:)``.
    public func enterForeground(sourceLocation location: SourceLocation = #_sourceLocation) async {
        await follow("the way to the foreground", at: location) { await self.orchestrator.enterForeground() }
    }

    /// Runs work of the application until it has ended, or waits for the test.
    func follow(_ name: String, at location: SourceLocation, _ body: @escaping @MainActor () async -> Void) async {
        works.removeAll(where: \.hasEnded)
        works.append(begin(name, body))
        await settle(at: location)
    }

    /// Checks once that the works of the application have ended. Called before contexts end, which cancels what they wait for.
    func checkWorks(at location: SourceLocation) {
        checkEnded(works, at: location)
        works = []
    }
}

/// Observes nothing, in place of a telemetry that could not be made.
private final class Unobserved: Instrumentation {}
