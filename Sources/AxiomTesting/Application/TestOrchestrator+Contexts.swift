// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
public import Testing

extension TestOrchestrator {
    /// Makes and mounts a context, and waits until it has appeared, or its `onAppear()` waits for the test.
    ///
    /// - Parameter input: The input of the context.
    /// - Throws: As `PresentationHost.mount(_:)`, and as ``start(sourceLocation:)``; ``TestError`` while the start waits for
    ///   the time or for a simulated capability.
    public func context<C: Context>(
        _ type: C.Type,
        _ input: C.Input,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async throws -> TestContext<C> {
        try await present(ContextUnderTest<C>.self, input, sourceLocation: location)
    }

    /// Makes and mounts a context that takes no input.
    ///
    /// - Throws: As ``context(_:_:sourceLocation:)``.
    public func context<C: Context>(
        _ type: C.Type,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async throws -> TestContext<C> where C.Input == Void {
        try await context(type, (), sourceLocation: location)
    }

    /// Mounts a presentation with its context.
    ///
    /// - Throws: As ``context(_:_:sourceLocation:)``.
    public func present<P: Presentation>(
        _ type: P.Type,
        _ input: P.ContextType.Input,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async throws -> TestContext<P.ContextType> {
        let remedy = "After start(), call advance(by:) or release(), and only then show a context."
        try await startFully(or: remedy, at: location)
        let mounted = MountedContext<P>(orchestrator)
        try await run("The appearance of \(P.ContextType.self)", at: location) { try await mounted.mount(input) }
        guard let context = mounted.context else { throw CancellationError() }
        return test(context, mounted, at: location)
    }

    /// The test of a context that is mounted.
    func test<C: Context>(
        _ context: C,
        _ presented: any PresentedContext,
        at location: SourceLocation
    ) -> TestContext<C> {
        let tested = TestContext(context, presented, self, at: location)
        taps.contexts[ObjectIdentifier(context)] = WeakTestedContext(context: tested)
        return tested
    }

    /// Unmounts a context.
    func end<C: Context>(_ context: TestContext<C>, at location: SourceLocation) async {
        let presented = context.presented
        let work = begin("the end of \(C.self)") { await presented.unmount() }
        await settle(at: location)
        if !work.hasEnded {
            failures.unasserted("The end of \(C.self) waits for the time or a simulated capability.", at: location)
        }
        taps.contexts = taps.contexts.filter { $0.value.context !== context && $0.value.context != nil }
    }

    // MARK: - Errors and the end

    /// Compares the next error that ended at the orchestrator, outside of any context.
    ///
    /// - Parameter code: The code of the error.
    public func expectError(_ code: ErrorCode, sourceLocation location: SourceLocation = #_sourceLocation) async {
        await settle(at: location)
        let expected = "Expected an error with the code \(code.rawValue) at the orchestrator"
        guard let entry = unassertedErrors.first else {
            return failures.fail("\(expected), but none ended there.", at: location)
        }
        assertedErrors = entry.id + 1
        guard (entry.error as? any AxiomError)?.code != code else { return }
        failures.fail("\(expected), but \(entry.summary).", at: location)
    }

    private var unassertedErrors: [ErrorBoundary.Entry] {
        orchestrator.errorBoundary.history.filter { $0.id >= assertedErrors && $0.resolution != .cancelled }
    }

    func checkErrors(_ moment: String, at location: SourceLocation) {
        for entry in unassertedErrors {
            let text = "The test does not expect an error at the orchestrator \(moment): \(entry.summary)."
            failures.unasserted(text, at: location)
        }
        let boundary = orchestrator.errorBoundary
        assertedErrors = boundary.historyDropped + boundary.history.count
    }

    /// Checks that works of the test have ended.
    func checkEnded(_ works: [TestWork], at location: SourceLocation) {
        for work in works where !work.hasEnded {
            let state = work.isWaiting ? "waits for the time or a simulated capability" : "still runs"
            failures.unasserted("At the end of the test, \(work.name) \(state).", at: location)
        }
    }

    /// Checks what is left when no context is under test any more.
    func checkEnd(at location: SourceLocation) {
        guard taps.live.isEmpty else { return }
        checkStart(at: location)
        checkErrors("during the test", at: location)
        for check in endChecks { check(location) }
        checkWorks(at: location)
        let deadlines = time.deadlines
        guard let first = deadlines.first else { return }
        let tasks = deadlines.count == 1 ? "1 task sleeps" : "\(deadlines.count) tasks sleep"
        let rest = first.duration(since: time.now)
        failures.unasserted("At the end of the test, \(tasks) on the manual time, the first for \(rest).", at: location)
    }

    // MARK: - Request handlers

    /// Starts the application, and returns where the requests to a handler come in.
    ///
    /// ```swift
    /// let stock = try await app.endpoint(StockHandler.self)
    /// #expect(try await stock.request(.take("tea")) == 4)
    /// ```
    /// A request runs in the task of the test, so it asserts what the request throws. Of a request that waits for the time,
    /// begin the task, call `ManualTime.waitForSleepers(_:)`, and advance the time.
    ///
    /// - Throws: As `Orchestrator.endpoint(_:)`, and as ``start(sourceLocation:)``; ``TestError`` while the start waits for
    ///   the time or for a simulated capability.
    public func endpoint<H: RequestHandler>(
        _ type: H.Type,
        sourceLocation location: SourceLocation = #_sourceLocation
    ) async throws -> Endpoint<H> {
        let remedy = "After start(), call advance(by:) or release(), and only then ask for an endpoint."
        try await startFully(or: remedy, at: location)
        return try orchestrator.endpoint(type)
    }
}
