// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The place of one registered capability: it outlives the instances that come and go in it.
final class CapabilitySlot<C: Sendable>: Sendable {
    private enum Occupant {
        /// The instance, and the same instance as the type under which it was registered.
        case working(any Capability, C)
        case absent(reason: String, cause: (any Error)?)
    }

    private struct State {
        var occupant = Occupant.absent(reason: "it was not initialised yet", cause: nil)
        var degradation = DegradationLevel.full
        var cachedAvailability: Bool?
        /// The question that is on its way to the occupant, for all who ask meanwhile; nil when an invalidation has made
        /// its answer one of the past.
        var check: Task<Bool, Never>?
        /// Counts occupants and invalidations, so that an answer that was on its way meanwhile is not cached.
        var generation: UInt64 = 0
        #if Instrumented
        /// Questions that the cache answered.
        var cachedChecks: UInt64 = 0
        #endif

        /// What a question for availability finds, and whether it is one that is timed.
        mutating func ask() -> (Occupant, Bool?, UInt64, isTimed: Bool) {
            #if Instrumented
            let isTimed = cachedAvailability != nil && cachedChecks.isMultiple(of: ComponentOperation.sampling)
            if cachedAvailability != nil { cachedChecks &+= 1 }
            #else
            let isTimed = false
            #endif
            return (occupant, cachedAvailability, generation, isTimed)
        }
    }

    let component: ComponentDescriptor
    #if Instrumented
    private let probe: (any OperationProbe)?
    #endif
    private let clock: TimeSource
    /// Every field is read and written under this lock, which is never held across an `await`.
    private let state = Lock(State())

    init(_ component: ComponentDescriptor, probe: (any OperationProbe)?, clock: TimeSource) {
        self.component = component
        self.clock = clock
        #if Instrumented
        self.probe = probe
        #endif
    }

    func current() throws(CapabilityError) -> C {
        switch state.withLock({ $0.occupant }) {
        case .working(_, let exposed): return exposed
        case .absent(let reason, let cause): throw .unavailable(component.name, because: reason, cause: cause)
        }
    }

    func isAvailable() async -> Bool {
        let (occupant, cached, generation, isTimed) = state.withLock { $0.ask() }
        guard case .working(let capability, _) = occupant else { return false }
        if let cached {
            if isTimed { timeCachedCheck() }
            return cached
        }
        return await check(capability, generation).value
    }

    /// The question that is on its way, or a new one. A task of its own, so that who asks first and is cancelled spoils
    /// the answer for nobody.
    private func check(_ capability: any Capability, _ generation: UInt64) -> Task<Bool, Never> {
        state.withLock { state in
            let isPresent = state.generation == generation
            if isPresent, let check = state.check { return check }
            let check = Task { await ask(capability, generation) }
            if isPresent { state.check = check }
            return check
        }
    }

    private func ask(_ capability: any Capability, _ generation: UInt64) async -> Bool {
        let start = clock.now
        let answer = await capability.isAvailable
        report(.firstCheck, since: start)
        state.withLock { state in
            guard state.generation == generation else { return }
            state.cachedAvailability = answer
            state.check = nil
        }
        return answer
    }

    /// Asks the cache once more between two readings of the clock: to time a question from its beginning would mean
    /// to read the clock for each.
    private func timeCachedCheck() {
        let start = clock.now
        _ = state.withLock { ($0.occupant, $0.cachedAvailability, $0.generation) }
        report(.cachedCheck, since: start)
    }

    private func report(_ operation: ComponentOperation, since start: Instant) {
        #if Instrumented
        if let probe { Hooks.operationEnded(operation, since: start, probe, clock) }
        #endif
    }

    func invalidate() {
        state.withLock { state in
            state.cachedAvailability = nil
            state.check = nil
            state.generation += 1
        }
    }

    var degradationLevel: DegradationLevel {
        state.withLock { state in
            if case .absent = state.occupant { return .unavailable }
            return state.degradation
        }
    }

    func occupy(_ capability: any Capability, as exposed: C, degradation: DegradationLevel) {
        replace(.working(capability, exposed), degradation: degradation)
    }

    func vacate(reason: String, cause: (any Error)? = nil) {
        replace(.absent(reason: reason, cause: cause), degradation: .unavailable)
    }

    /// Sets the level that follows from the capability's own and from those of the capabilities below it.
    func setDegradation(_ level: DegradationLevel) {
        state.withLock { $0.degradation = level }
    }

    private func replace(_ occupant: Occupant, degradation: DegradationLevel) {
        let previous = state.withLock { state in
            let previous = state.occupant
            state.occupant = occupant
            state.degradation = degradation
            state.cachedAvailability = nil
            state.check = nil
            state.generation += 1
            return previous
        }
        // The last reference may go here: outside of the lock, since a deinit may run any code.
        _ = previous
    }
}
