// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// The slot of one registered capability. It outlives the instances that occupy it.
final class CapabilitySlot<C: Sendable>: Sendable {
    private enum Occupant {
        /// The instance, and the same instance as its registered type.
        case working(any Capability, C)
        case absent(reason: String, cause: (any Error)?)

        var capability: (any Capability)? {
            if case .working(let capability, _) = self { capability } else { nil }
        }
    }

    private struct State {
        var occupant = Occupant.absent(reason: "it was not initialised yet", cause: nil)
        var availability = CapabilityAvailability()
        var level = CapabilityLevel()
        /// The checks that the occupant has not answered yet.
        var questions: [CapabilityAvailability.Question: Task<Void, Never>] = [:]
        /// Called when a reported level changed.
        var levelChanged: (@Sendable () -> Void)?
        /// Availability checks answered from the cache.
        var cachedChecks: UInt64 = 0

        /// Puts `next` into the slot.
        ///
        /// - Returns: The previous occupant, to be released outside the lock, and its questions, to be cancelled there.
        mutating func leave(for next: Occupant) -> (occupant: Occupant, questions: [Task<Void, Never>]) {
            defer { (occupant, questions) = (next, [:]) }
            return (occupant, Array(questions.values))
        }

        /// The cached answer, and whether this check is timed.
        mutating func cached() -> (Bool?, isTimed: Bool) {
            guard case .working = occupant else { return (false, false) }
            guard let known = availability.known else { return (nil, false) }
            guard InstrumentedTrait.isOn else { return (known, false) }
            defer { cachedChecks &+= 1 }
            return (known, cachedChecks.isMultiple(of: ComponentOperation.sampling))
        }
    }

    let component: ComponentDescriptor
    private let probe: (any OperationProbe)?
    /// Records the calls of the capability; nil if nothing records spans.
    let spans: (any SpanProbe)?
    private let port: InstrumentationPort
    /// Every field is read and written under this lock, which is never held across an `await`. Operations that may run
    /// application code stay outside it: a deinit, the cancellation of a task, the end of a wait.
    private let state = Lock(State())

    init(
        _ component: ComponentDescriptor,
        probe: (any OperationProbe)?,
        spans: (any SpanProbe)?,
        port: InstrumentationPort
    ) {
        self.component = component
        self.probe = probe
        self.spans = spans
        self.port = port
    }

    var clock: TimeSource { port.clock }

    func current() throws(CapabilityError) -> C {
        switch state.withLock({ $0.occupant }) {
        case .working(_, let exposed): return exposed
        case .absent(let reason, let cause): throw .unavailable(component.name, because: reason, cause: cause)
        }
    }

    /// Puts an instance into the slot.
    ///
    /// - Parameter level: The level read from the instance. A level that the instance reported takes precedence.
    func occupy(_ capability: any Capability, as exposed: C, level: DegradationLevel) {
        let instance = capability.identity.id
        let (previous, question) = state.withLock { state in
            let previous = state.leave(for: .working(capability, exposed))
            state.level.occupied(by: instance, saying: level)
            return (previous, state.availability.replaced())
        }
        for question in previous.questions { question.cancel() }
        // The last reference to the previous instance may end here, outside the lock, since a deinit may run any code.
        if let question { put(question, to: capability) }
    }

    /// Takes the instance out of the slot.
    ///
    /// - Parameter isFinal: Whether no instance follows. If false, the waiters get the answer of the next instance.
    func vacate(reason: String, cause: (any Error)? = nil, isFinal: Bool = true) {
        let (previous, answered) = state.withLock { state in
            let previous = state.leave(for: .absent(reason: reason, cause: cause))
            state.level.vacated()
            return (previous, isFinal ? state.availability.ended() : state.availability.paused())
        }
        for question in previous.questions { question.cancel() }
        for waiter in answered { waiter.settle(.success(false)) }
    }
}

// MARK: - Availability

extension CapabilitySlot {
    /// Whether the capability can be used now: the cached answer, or else the answer of the capability.
    ///
    /// - Throws: ``CapabilityError`` if no answer came within the limit, `CancellationError` if the calling task is
    ///   cancelled while it waits.
    func checkAvailability() async throws -> Bool {
        let (cached, isTimed) = state.withLock { $0.cached() }
        if let cached {
            if isTimed { timeCachedCheck() }
            return cached
        }
        let limit = port.limit(.availability, of: component)
        do {
            return try await withLimit(concurrently: limit) { try await self.answer() }
        } catch let error as LifecycleError where error.code == .limitExpired {
            throw CapabilityError.timedOut(component.name, after: limit.duration)
        }
    }

    private func answer() async throws -> Bool {
        let waiter = CapabilityAvailability.Waiter()
        let (capability, finding) = state.withLock { state in
            let capability = state.occupant.capability
            return (capability, capability == nil ? .known(false) : state.availability.ask(waiter))
        }
        defer { state.withLock { $0.availability.leave(waiter) } }
        switch finding {
        case .known(let answer): return answer
        case .asked: break
        case .new(let question): if let capability { put(question, to: capability) }
        }
        return try await waiter.value(ifCancelled: .failure(CancellationError())).get()
    }

    /// Asks the capability in a separate task: the answer is for all waiters, even if one of them is cancelled. A
    /// question that is never answered is cancelled with the instance; the waiters have their limit.
    private func put(_ question: CapabilityAvailability.Question, to capability: any Capability) {
        state.withLock { state in
            // When this instance left, the waiters were assigned to the next one.
            guard state.occupant.capability === capability else { return }
            state.questions[question] = Task { await ask(capability, question) }
        }
    }

    private func ask(_ capability: any Capability, _ question: CapabilityAvailability.Question) async {
        let start = port.clock.now
        let answer = await capability.isAvailable
        report(.firstCheck, since: start)
        let waiters = state.withLock { state in
            state.questions[question] = nil
            return state.availability.answered(question, answer)
        }
        for waiter in waiters { waiter.settle(.success(answer)) }
        note(said: await capability.degradationLevel, by: capability.identity.id)
    }

    /// Reads the cache once more between two clock readings. To time a check from its start, every check would have to
    /// read the clock.
    private func timeCachedCheck() {
        let start = port.clock.now
        _ = state.withLock { ($0.occupant, $0.availability.known) }
        report(.cachedCheck, since: start)
    }

    private func report(_ operation: ComponentOperation, since start: Instant) {
        probe?.operationEnded(operation, nanoseconds: port.clock.now.nanoseconds(since: start))
    }

    func invalidate() {
        state.withLock { $0.availability.invalidate() }
    }
}

// MARK: - Level

extension CapabilitySlot {
    /// How much of the capability works, given its dependencies.
    var degradationLevel: DegradationLevel {
        state.withLock { $0.level.present }
    }

    /// The capability's own level; ``DegradationLevel/unavailable`` while there is no instance.
    var ownLevel: DegradationLevel {
        state.withLock { $0.level.own }
    }

    /// Sets the level that the capabilities below allow.
    func setInherited(_ level: DegradationLevel) {
        state.withLock { $0.level.inherited = level }
    }

    /// Records a level that an instance reported.
    func report(_ level: DegradationLevel, by instance: UInt64) {
        note { $0.reported(level, by: instance) }
    }

    /// Records a level that was read from an instance.
    func note(said level: DegradationLevel, by instance: UInt64) {
        note { $0.said(level, by: instance) }
    }

    func observeLevel(_ observer: @escaping @Sendable () -> Void) {
        state.withLock { $0.levelChanged = observer }
    }

    private func note(_ change: @Sendable (inout CapabilityLevel) -> Void) {
        let observer = state.withLock { state -> (@Sendable () -> Void)? in
            let before = state.level.own
            change(&state.level)
            return state.level.own == before ? nil : state.levelChanged
        }
        observer?()
    }
}
