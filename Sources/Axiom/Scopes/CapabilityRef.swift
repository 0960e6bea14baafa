// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// A reference to a capability that outlives its instances: after a change of permission or availability, it resolves
/// to the new instance.
///
/// Clients and capabilities store the reference and use the capability through ``call(isolation:function:_:)``: no use
/// leaves the capability off the path of its errors, and each use is authorized.
public struct CapabilityRef<C: Sendable>: Sendable {
    let slot: CapabilitySlot<C>
    /// Records the calls of the component that resolved the reference; nil if nothing does.
    let probe: (any CapabilityProbe)?

    init(_ slot: CapabilitySlot<C>, _ probe: (any CapabilityProbe)?) {
        (self.slot, self.probe) = (slot, probe)
    }

    /// The time source of the orchestrator.
    package var clock: TimeSource { slot.clock }

    /// The working instance. Not public: an error of a method called on it would not be noted as an error of the
    /// capability. Costs one uncontended lock.
    ///
    /// - Throws: ``CapabilityError`` with the code ``ErrorCode/capabilityUnavailable`` and the reason, if there is no
    ///   instance: before it is initialised, after its initialisation failed, while it is being replaced, and after
    ///   shutdown. ``AuthorizationError`` if a permission that it needs is missing.
    package func current() throws -> C {
        do {
            return try slot.current()
        } catch {
            ErrorTrail.noteFailure(error, from: slot.component)
            throw error
        }
    }

    /// Calls `body` with the working instance. Notes its error as an error of the capability, so that the path of the
    /// error shows the capability:
    /// ```swift
    /// let answer = try await network.call { try await $0.get("/profile") }
    /// ```
    /// On success this costs one uncontended lock. An observer that records calls adds two readings of the clock, the counts
    /// and a span. The body runs on the caller's actor.
    ///
    /// If the body throws, the capability decides what follows; see ``CapabilityRecovery``. The body may therefore run
    /// several times. They are one call, whose duration includes them all and the waits between them.
    ///
    /// - Parameter name: The calling function, whose name without its parameters is the name of the call in metrics and
    ///   spans. Pass another name to ``call(_:isolation:_:)``.
    /// - Throws: ``CapabilityError`` with the code ``ErrorCode/capabilityUnavailable`` and the reason, if there is no
    ///   instance: before it is initialised, after its initialisation failed, while it is being replaced, and after
    ///   shutdown. ``AuthorizationError`` if a permission that it needs is missing. The last error of `body`, unchanged.
    public func call<R>(
        isolation: isolated (any Actor)? = #isolation,
        function name: StaticString = #function,
        _ body: (C) async throws -> sending R
    ) async throws -> sending R {
        try await call(name, isolation: isolation, body)
    }

    /// Calls `body` with the working instance like ``call(isolation:function:_:)``, under a name.
    ///
    /// - Parameter name: The name of the call in metrics and spans, such as `load`. A parenthesis and what follows it are
    ///   left out. The first 32 names of a capability are kept; later ones are called `other`.
    public func call<R>(
        _ name: StaticString,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (C) async throws -> sending R
    ) async throws -> sending R {
        let watched = slot.isWatched ? WatchedCall.current : nil
        watched?.beginWait()
        defer { watched?.endWait() }
        var hasRun = false
        guard isRecorded else { return try await run(body, &hasRun) }
        let (call, context) = begin(name)
        var failure: (any Error)?
        // Not after a result in a variable, which would take memory of the task for each call.
        defer { end(call, failure, hasRun: hasRun) }
        do {
            if slot.hasBinding { return try await runBound(isolation: isolation, in: context, body, &hasRun) }
            if slot.recordsSpans { context.push() }
            defer { if slot.recordsSpans { OperationContext.pop() } }
            return try await run(isolation: isolation, body, &hasRun)
        } catch {
            failure = error
            throw error
        }
    }

    /// Runs the call within its span and the values that the spans bind. Apart, so that other calls cost nothing more.
    @inline(never)
    private func runBound<R>(
        isolation: isolated (any Actor)?,
        in context: OperationContext,
        _ body: (C) async throws -> sending R,
        _ hasRun: inout Bool
    ) async throws -> sending R {
        try await context.bind(with: slot.spans) {
            CallResult(value: try await run(isolation: isolation, body, &hasRun))
        }.value
    }

    /// - Parameter hasRun: Set before a body runs.
    @inline(__always)
    private func run<R>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (C) async throws -> sending R,
        _ hasRun: inout Bool
    ) async throws -> sending R {
        do {
            let instance = try slot.current()
            hasRun = true
            return try await body(instance)
        } catch {
            return try await recover(from: error, &hasRun, body)
        }
    }

    /// Whether the capability can be used now: the result of ``checkAvailability()``, or `false` if that throws.
    public var isAvailable: Bool { get async { (try? await slot.checkAvailability()) ?? false } }

    /// Whether the capability can be used now; `false` if there is no working instance.
    ///
    /// The first call checks the capability. Calls before its answer wait for the same answer. Later calls return that
    /// answer, until ``invalidate()`` or until the capability is replaced. If the instance is replaced while a call
    /// waits, the call returns the answer of the new instance. A late answer is kept for later calls.
    ///
    /// - Throws: ``CapabilityError`` with the code ``ErrorCode/capabilityTimedOut`` if no answer came within
    ///   ``WaitLimits/availability``; `CancellationError` as soon as the calling task is cancelled.
    public func checkAvailability() async throws -> Bool { try await slot.checkAvailability() }

    /// Discards the cached availability. The next call checks the capability and reads its level again.
    public func invalidate() { slot.invalidate() }
}

/// A call that is recorded.
private struct RecordedCall {
    let name: StaticString
    /// The number of the name for the probe; 0 without one.
    let number: Int
    let start: Instant
    let span: OpenSpan?
}

/// A value that leaves the closure that made it. Unchecked: the closure made it with `sending` and keeps no reference.
struct CallResult<R>: @unchecked Sendable {
    let value: R
}

extension CapabilityRef {
    private var isRecorded: Bool { probe != nil || slot.recordsSpans }

    /// Begins a call, and returns what its tasks inherit.
    private func begin(_ name: StaticString) -> (RecordedCall, OperationContext) {
        let start = slot.clock.now
        var (context, span) = (OperationContext.inherited, OpenSpan?.none)
        if slot.recordsSpans {
            let open = slot.spans.begin(.capabilityCall, .call(name), at: start, under: context.span)
            (span, context.span) = (open, open.context)
        }
        let number = probe?.number(of: name) ?? 0
        probe?.began(number)
        return (RecordedCall(name: name, number: number, start: start, span: span), context)
    }

    private func end(_ call: RecordedCall, _ error: (any Error)?, hasRun: Bool) {
        let nanoseconds = slot.clock.now.nanoseconds(since: call.start)
        var outcome = error.map(ActionOutcome.init(ofError:)) ?? .success
        // Also if the error of a body that could not run was ignored.
        if outcome != .cancelled, !hasRun { outcome = .rejected }
        if let span = call.span {
            let record = SpanRecord(
                .capabilityCall,
                .call(call.name),
                start: call.start,
                nanoseconds: nanoseconds,
                outcome: outcome,
                error: error
            )
            slot.spans.end(span, record)
        }
        probe?.ended(call.number, outcome: outcome, nanoseconds: nanoseconds)
    }

    /// How much of the capability works now: the worst of its own level, the level that its dependencies allow (see
    /// ``CapabilityRequirement``), and the level that permissions, services and resources allow. Its own level is its
    /// last report or, without one, the level that was read last. ``DegradationLevel/unavailable`` while there is no
    /// working instance. Costs one lock.
    public var degradationLevel: DegradationLevel { slot.degradationLevel }

    /// The level, the known availability, and the reason. Costs one lock.
    public var report: CapabilityReport { slot.report }

    /// The level now, and after every change until the application is shut down. While the capability is being
    /// replaced, it is ``DegradationLevel/unavailable``.
    public var levels: CapabilityLevels { CapabilityLevels(slot.levels) }

    /// Throws if the capability works less than an operation requires.
    ///
    /// - Parameter level: The worst level at which the operation is possible.
    /// - Throws: ``CapabilityError`` with the code ``ErrorCode/capabilityDegraded``, the level and the reason;
    ///   ``ErrorCode/capabilityUnavailable`` if there is no working instance; ``AuthorizationError`` if a permission is
    ///   missing.
    public func require(_ level: DegradationLevel) throws {
        _ = try current()
        let report = slot.report
        guard report.level > level else { return }
        let name = slot.component.name
        let error = CapabilityError.degraded(name, report.level, required: level, because: report.reason)
        ErrorTrail.noteFailure(error, from: slot.component)
        throw error
    }

    /// Writes the level into a client's state, now and after every change, so that contexts can adjust to it: they see
    /// the client's state and no capability (rule 2).
    ///
    /// Returns when the application is shut down or the task is cancelled. A client calls it in a task that it begins in
    /// ``StatelessClient/activate()`` and cancels in ``StatelessClient/deactivate()``.
    public func follow<S>(in store: StateStore<S>, _ path: any WritableKeyPath<S, DegradationLevel> & Sendable) async {
        for await level in levels {
            store.update { $0[keyPath: path] = level }
        }
    }
}
