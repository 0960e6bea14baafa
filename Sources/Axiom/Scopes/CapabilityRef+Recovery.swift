// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

extension CapabilityRef {
    /// The answer of the capability, or else its last answer from `cache`, or else the reason why there is none.
    ///
    /// ```swift
    /// switch try await catalogue.answer(orCached: lastPrices, { try await $0.prices() }) {
    /// case .fresh(let prices): show(prices)
    /// case .cached(let prices, let staleness): show(prices, asOf: staleness)
    /// case .empty(let reason): show(reason)
    /// }
    /// ```
    /// An error of the capability is not thrown and does not count as an error of the application, also a
    /// `CancellationError` without a cancellation of the caller. A fresh answer is stored in the cache.
    ///
    /// - Parameter name: The name of the call, as in ``call(_:isolation:_:)``; by default that of the calling function.
    /// - Throws: `CancellationError` only.
    public func answer<Value: Sendable>(
        _ name: StaticString = #function,
        orCached cache: CapabilityCache<Value>,
        isolation: isolated (any Actor)? = #isolation,
        _ body: (C) async throws -> Value
    ) async throws -> CapabilityAnswer<Value> {
        cache.adopt(slot.clock)
        do {
            let value = try await call(name, isolation: isolation) { CallResult(value: try await body($0)) }.value
            cache.store(value)
            probe?.answered(.fresh)
            return .fresh(value)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            if Cancellation.isIntended(error) { throw error }
            guard let (value, staleness) = cache.current else {
                probe?.answered(.empty)
                return .empty(reason: String(clause: error))
            }
            probe?.answered(.cached)
            return .cached(value, staleness: staleness)
        }
    }

    /// Requests a permission of a ``SystemCapability`` from the user. Concurrent requests of one permission share one
    /// request. If the permission is granted, the capability is replaced before this returns.
    ///
    /// - Returns: The decision.
    /// - Throws: The error of the request; ``CapabilityError`` if there is no working instance, or if the capability does
    ///   not declare the permission; `CancellationError` as soon as the calling task is cancelled.
    public func requestPermission(_ permission: Permission) async throws -> PermissionStatus {
        do {
            return try await slot.requestPermission(permission)
        } catch {
            ErrorTrail.noteFailure(error, from: slot.component)
            throw error
        }
    }

    /// The status of a declared permission, from the last event, request or check; nil if it is not declared or not
    /// known yet.
    public func permissionStatus(_ permission: Permission) -> PermissionStatus? {
        slot.permissionStatus(permission)
    }

    /// Does what the capability declares for the error of a call, until the call succeeds or an error has to be thrown.
    func recover<R>(
        from first: any Error,
        isolation: isolated (any Actor)? = #isolation,
        _ hasRun: inout Bool,
        _ body: (C) async throws -> sending R
    ) async throws -> sending R {
        var remedies = CallRemedies(slot.clock, slot.levels, slot.recovery) { [slot] in slot.report.level <= .limited }
        var error = first
        while true {
            do {
                switch try await remedies.next(after: error) {
                case .repeat:
                    let result = try await again(isolation: isolation, &hasRun, body)
                    probe?.recovered(by: .retry)
                    return result.value
                case .substitute(let substitute):
                    guard let substitute = substitute as? C else { break }
                    hasRun = true
                    let result = CallResult(value: try await body(substitute))
                    probe?.recovered(by: .fallback)
                    return result.value
                case .nothing:
                    guard let nothing = Nothing<R>.value else { break }
                    probe?.recovered(by: .ignore)
                    return nothing.value
                case .propagate: break
                }
                ErrorTrail.noteFailure(error, from: slot.component, at: InstrumentedTrait.isOn ? slot.clock.now : nil)
                throw Unrecovered(error: error)
            } catch let unrecovered as Unrecovered {
                if !Cancellation.isIntended(error) { probe?.recovered(by: .propagate) }
                throw unrecovered.error
            } catch let next {
                error = next
            }
        }
    }

    /// Runs the body once more, in a span of its own if spans are recorded.
    private func again<R>(
        isolation: isolated (any Actor)?,
        _ hasRun: inout Bool,
        _ body: (C) async throws -> sending R
    ) async throws -> CallResult<R> {
        probe?.retried()
        guard slot.recordsSpans else {
            let instance = try slot.current()
            hasRun = true
            return CallResult(value: try await body(instance))
        }
        let call = RecordedOperation(probe: slot.spans, span: OperationContext.currentSpan, instance: 0)
        return try await call.step(.retryAttempt, .kind, slot.clock, isolation: isolation) {
            let instance = try slot.current()
            hasRun = true
            return CallResult(value: try await body(instance))
        }
    }
}

/// Marks the error that leaves the loop of recoveries.
private struct Unrecovered: Error {
    let error: any Error
}

/// The result of a call whose error is ignored: `()` or nil.
private struct Nothing<R>: @unchecked Sendable {
    // Unchecked: the value is empty.
    let value: R

    static var value: Nothing? {
        if let void = () as? R { return Nothing(value: void) }
        guard let type = R.self as? any ExpressibleByNilLiteral.Type else { return nil }
        return (type.init(nilLiteral: ()) as? R).map { Nothing(value: $0) }
    }
}

/// What follows the failures of one call.
private struct CallRemedies {
    enum Step {
        case `repeat`
        case substitute(any Sendable)
        case nothing
        case propagate
    }

    private let clock: TimeSource
    private let changes: Broadcast<DegradationLevel>
    /// Whether the capability works now: its levels may be published a moment later.
    private let works: @Sendable () -> Bool
    private let recovery: @Sendable (any Error) -> CapabilityRecovery
    private var attempts = 1
    private var isLast = false

    init(
        _ clock: TimeSource,
        _ changes: Broadcast<DegradationLevel>,
        _ recovery: @escaping @Sendable (any Error) -> CapabilityRecovery,
        works: @escaping @Sendable () -> Bool
    ) {
        (self.clock, self.changes, self.recovery, self.works) = (clock, changes, recovery, works)
    }

    /// Chooses the next step, and waits until it may begin.
    ///
    /// - Throws: `CancellationError` if the task is cancelled during a wait.
    mutating func next(after error: any Error) async throws -> Step {
        guard !Cancellation.isIntended(error), !isLast else { return .propagate }
        switch recovery(error) {
        case .propagate: return .propagate
        case .ignore: return .nothing
        case .fallback(let substitute):
            isLast = true
            return .substitute(substitute)
        case .whenAvailable(let limit):
            isLast = true
            return try await works(within: limit) ? .repeat : .propagate
        case .retry(let limit, let backoff):
            guard attempts < limit else { return .propagate }
            let delay = backoff.delay(beforeRetry: attempts - 1)
            attempts += 1
            try await clock.sleep(for: delay)
            return .repeat
        }
    }
    /// Waits until the capability works.
    ///
    /// - Returns: False if it does not within `limit`, or if the application is shut down.
    /// - Throws: `CancellationError` if the task is cancelled.
    private func works(within limit: Duration) async throws -> Bool {
        if works() { return true }
        guard limit > .zero else { return false }
        let (clock, changes, works) = (clock, changes, works)
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                for await _ in changes.stream() where works() { return true }
                return false
            }
            group.addTask {
                try await clock.sleep(for: limit)
                return false
            }
            let answer = try await group.next() ?? false
            try Task.checkCancellation()
            return answer
        }
    }
}
