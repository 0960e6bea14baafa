// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomResilience

/// The place of one registered capability: it outlives the instances that come and go in it.
final class CapabilitySlot<C: Sendable>: Sendable {
    private enum Occupant {
        /// The instance, and the same instance as the type under which it was registered.
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
        /// The questions that the occupant has not answered yet.
        var questions: [CapabilityAvailability.Question: Task<Void, Never>] = [:]
        /// Called when a reported level changed.
        var levelChanged: (@Sendable () -> Void)?
        /// Availability checks that the cache answered.
        var cachedChecks: UInt64 = 0

        /// Puts `next` into the slot.
        ///
        /// - Returns: What was there, to be released outside of the lock, and the questions to be cancelled there.
        mutating func leave(for next: Occupant) -> (occupant: Occupant, questions: [Task<Void, Never>]) {
            defer { (occupant, questions) = (next, [:]) }
            return (occupant, Array(questions.values))
        }

        /// The cached answer, and whether this look at it is one that is timed.
        mutating func cached() -> (Bool?, isTimed: Bool) {
            guard case .working = occupant else { return (false, false) }
            guard let known = availability.known else { return (nil, false) }
            guard InstrumentationPort.isInstrumented else { return (known, false) }
            defer { cachedChecks &+= 1 }
            return (known, cachedChecks.isMultiple(of: ComponentOperation.sampling))
        }
    }

    let component: ComponentDescriptor
    private let probe: (any OperationProbe)?
    private let port: InstrumentationPort
    /// Every field is read and written under this lock, which is never held across an `await`. What may run code of the
    /// application is kept outside of it: a deinit, the cancellation of a task, the end of a wait.
    private let state = Lock(State())

    init(_ component: ComponentDescriptor, probe: (any OperationProbe)?, port: InstrumentationPort) {
        self.component = component
        self.probe = probe
        self.port = port
    }

    func current() throws(CapabilityError) -> C {
        switch state.withLock({ $0.occupant }) {
        case .working(_, let exposed): return exposed
        case .absent(let reason, let cause): throw .unavailable(component.name, because: reason, cause: cause)
        }
    }

    /// Puts an instance into the slot.
    ///
    /// - Parameter level: What the instance said of itself; less than what it reported counts.
    func occupy(_ capability: any Capability, as exposed: C, level: DegradationLevel) {
        let instance = capability.identity.id
        let (previous, question) = state.withLock { state in
            let previous = state.leave(for: .working(capability, exposed))
            state.level.occupied(by: instance, saying: level)
            return (previous, state.availability.replaced())
        }
        for question in previous.questions { question.cancel() }
        // The last reference may go here: outside of the lock, since a deinit may run any code.
        if let question { put(question, to: capability) }
    }

    /// Takes the instance out of the slot.
    ///
    /// - Parameter isFinal: Whether none follows. Else those who wait for an answer wait for that of the next instance.
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
    /// Whether the capability can be used now: the answer that is known, else that of the capability.
    ///
    /// - Throws: ``CapabilityError`` when no answer came within the limit, `CancellationError` when the calling task is
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

    /// Asks the capability, in a task of its own: the answer is for all who wait, whichever of them is cancelled. A
    /// question that is never answered is cancelled with the instance; those who wait have their limit.
    private func put(_ question: CapabilityAvailability.Question, to capability: any Capability) {
        state.withLock { state in
            // Those who wait were referred to the next instance when this one left.
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

    /// Asks the cache once more between two readings of the clock: to time a question from its beginning would mean
    /// to read the clock for each.
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
    /// How much of the capability works, given what it depends on.
    var degradationLevel: DegradationLevel {
        state.withLock { $0.level.present }
    }

    /// What the capability said of itself; ``DegradationLevel/unavailable`` while there is no instance.
    var ownLevel: DegradationLevel {
        state.withLock { $0.level.own }
    }

    /// Sets the level that the capabilities below leave.
    func setInherited(_ level: DegradationLevel) {
        state.withLock { $0.level.inherited = level }
    }

    /// Takes a report of an instance.
    func report(_ level: DegradationLevel, by instance: UInt64) {
        note { $0.reported(level, by: instance) }
    }

    /// Takes what an instance said of itself.
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
