// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// What is in the slot of a capability.
enum CapabilityOccupant {
    /// The instance, and the same instance as its registered type `C`: an ``ExposedInstance`` of `C`.
    case working(any Capability, any AnyObject & Sendable)
    case absent(reason: String, cause: (any Error)?)

    var capability: (any Capability)? {
        if case .working(let capability, _) = self { capability } else { nil }
    }
}

/// An instance as its registered type. In an object, so that the state of a slot is not generic: the metadata of its parts would
/// be looked up for each call of the capability.
final class ExposedInstance<C: Sendable>: Sendable {
    let value: C

    init(_ value: C) { self.value = value }
}

/// What the lock of a slot guards. Not generic, see ``ExposedInstance``.
struct CapabilitySlotState {
    var occupant = CapabilityOccupant.absent(reason: "it was not initialised yet", cause: nil)
    var availability = CapabilityAvailability()
    var level = CapabilityLevel()
    /// The level that callers see, and when it became that; nil before the first change.
    var present: (level: DegradationLevel, since: Instant)?
    /// The levels that subscribers do not have yet.
    var unpublished: [DegradationLevel] = []
    /// Whether a thread publishes them.
    private var isPublishing = false
    /// What is known about permissions, services and resources.
    var conditions = CapabilityConditions()
    /// The ``AuthorizationError`` of a use, while the system does not permit it. Boxed, because each use copies it.
    var refusal: (any Error)?
    /// The known statuses of the permissions that the capability declares.
    var permissions: [Permission: PermissionStatus] = [:]
    /// The checks that the occupant has not answered yet.
    var questions: [CapabilityAvailability.Question: Task<Void, Never>] = [:]
    /// Called when a reported level changed.
    var levelChanged: (@Sendable () -> Void)?
    /// Called after a request of a permission.
    var permissionChanged: (@Sendable ([CapabilityEvent]) async -> Void)?
    /// Availability checks answered from the cache.
    var cachedChecks: UInt64 = 0

    /// Puts `next` into the slot.
    ///
    /// - Returns: The previous occupant, to be released outside the lock, and its questions, to be cancelled there.
    mutating func leave(for next: CapabilityOccupant) -> (occupant: CapabilityOccupant, questions: [Task<Void, Never>])
    {
        defer { (occupant, questions) = (next, [:]) }
        return (occupant, Array(questions.values))
    }

    /// The instance that may be used now; nil if there is none.
    var usable: (any AnyObject & Sendable)? {
        guard case .working(_, let exposed) = occupant, refusal == nil else { return nil }
        return exposed
    }

    /// Whether the caller must publish levels, because there are some and no other thread does.
    mutating func beginPublishing() -> Bool {
        guard !isPublishing, !unpublished.isEmpty else { return false }
        isPublishing = true
        return true
    }

    /// The next level for the thread that publishes; nil at the end.
    mutating func nextPublished() -> DegradationLevel? {
        isPublishing = !unpublished.isEmpty
        return isPublishing ? unpublished.removeFirst() : nil
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

/// The slot of one registered capability. It outlives the instances that occupy it.
final class CapabilitySlot<C: Sendable>: Sendable {
    typealias State = CapabilitySlotState

    let component: ComponentDescriptor
    private let probe: (any OperationProbe)?
    /// Records the calls of the capability. Not optional, because an optional would be retained for each call.
    let spans: any SpanProbe
    let recordsSpans: Bool
    /// Whether the spans have a ``SpanBinding``.
    let hasBinding: Bool
    /// Takes the capability away for a time, for tests. Not optional, for the same reason.
    let faults: FaultGate
    private let port: InstrumentationPort
    /// What the capability does with an error of a call.
    let recovery: @Sendable (any Error) -> CapabilityRecovery
    /// The requests of permissions that are in progress. A decision of the user counts even if no caller waits for it.
    let requests: SingleFlight<Permission, PermissionStatus>
    /// Every field is read and written under this lock, which is never held across an `await`. Operations that may run
    /// application code stay outside it: a deinit, the cancellation of a task, the end of a wait, the resumption of a
    /// subscriber to the level.
    let state = Lock(State())
    /// The level that callers see.
    let levels = Broadcast<DegradationLevel>(keeping: 1, beginningWith: .unavailable)

    init(
        _ component: ComponentDescriptor,
        probe: (any OperationProbe)?,
        spans: (any SpanProbe)?,
        faults: FaultGate? = nil,
        port: InstrumentationPort,
        recovery: @escaping @Sendable (any Error) -> CapabilityRecovery
    ) {
        self.component = component
        requests = SingleFlight(of: component, outlivesCallers: true)
        self.probe = probe
        self.spans = spans ?? NoSpans.probe
        recordsSpans = spans != nil
        hasBinding = spans?.binding != nil
        self.faults = faults ?? .none
        self.port = port
        self.recovery = recovery
    }

    var clock: TimeSource { port.clock }
    /// Whether a watchdog watches the clients, which do not run while they wait for the capability.
    var isWatched: Bool { port.watchdog != nil }

    /// Whether a developer took the capability away.
    var isTakenAway: Bool { faults.isAbsent(clock) }

    /// The working instance.
    ///
    /// - Throws: ``CapabilityError`` if there is none, ``AuthorizationError`` if its use is not permitted.
    func current() throws -> C {
        if isTakenAway {
            throw CapabilityError.unavailable(component.name, because: Self.absence)
        }
        guard let exposed = state.withLock({ $0.usable }) else { return try explain() }
        return unsafeDowncast(exposed, to: ExposedInstance<C>.self).value
    }

    /// Throws the reason why there is no instance that may be used; returns the instance if there is one again.
    @inline(never)
    private func explain() throws -> C {
        let (occupant, refusal) = state.withLock { ($0.occupant, $0.refusal) }
        switch occupant {
        case .working(_, let exposed):
            if let refusal { throw refusal }
            return unsafeDowncast(exposed, to: ExposedInstance<C>.self).value
        case .absent(let reason, let cause):
            throw CapabilityError.unavailable(component.name, because: reason, cause: cause)
        }
    }

    /// Puts an instance into the slot.
    ///
    /// - Parameter level: The level read from the instance. A level that the instance reported takes precedence.
    func occupy(_ capability: any Capability, as exposed: C, level: DegradationLevel) {
        let instance = capability.identity.id
        let exposed = ExposedInstance(exposed)
        let (previous, question, answered) = changeLevel { state in
            let previous = state.leave(for: .working(capability, exposed))
            state.level.occupied(by: instance, saying: level)
            guard let reported = state.level.occupantReport?.isAvailable else {
                return (previous, state.availability.replaced(), Answered.none)
            }
            return (previous, nil, Answered(reported, state.availability.reported(reported)))
        }
        for question in previous.questions { question.cancel() }
        answered.settle()
        // The last reference to the previous instance may end here, outside the lock, since a deinit may run any code.
        if let question { put(question, to: capability) }
    }

    /// Takes the instance out of the slot.
    ///
    /// - Parameter isFinal: Whether no instance follows. If false, the waiters get the answer of the next instance.
    func vacate(reason: String, cause: (any Error)? = nil, isFinal: Bool = true) {
        let (previous, answered) = changeLevel { state in
            let previous = state.leave(for: .absent(reason: reason, cause: cause))
            state.level.vacated()
            return (previous, isFinal ? state.availability.ended() : state.availability.paused())
        }
        for question in previous.questions { question.cancel() }
        for waiter in answered { waiter.settle(.success(false)) }
    }

    /// The instance, as what the orchestrator knows of it; nil while there is none.
    var occupant: (any Capability)? { state.withLock { $0.occupant.capability } }

    // MARK: - Availability

    /// Whether the capability can be used now: the cached answer, or else the answer of the capability.
    ///
    /// - Throws: ``CapabilityError`` if no answer came within the limit, `CancellationError` if the calling task is
    ///   cancelled while it waits.
    func checkAvailability() async throws -> Bool {
        if isTakenAway { return false }
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
            state.questions[question] = Task(executorPreference: inheritedExecutor) { [self] in
                await ask(capability, question)
            }
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

    /// The cached answer; nil if there is none. Neither counted nor timed.
    var knownAvailability: Bool? { state.withLock { $0.availability.known } }

    func invalidate() { state.withLock { $0.availability.invalidate() } }
}
