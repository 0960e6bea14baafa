// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

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
        /// Counts occupants and invalidations, so that an answer that was on its way meanwhile is not cached.
        var generation: UInt64 = 0
    }

    let component: ComponentDescriptor
    /// Every field is read and written under this lock, which is never held across an `await`.
    private let state = Mutex(State())

    init(_ component: ComponentDescriptor) {
        self.component = component
    }

    func current() throws(CapabilityError) -> C {
        switch state.withLock({ $0.occupant }) {
        case .working(_, let exposed): return exposed
        case .absent(let reason, let cause): throw .unavailable(component.name, because: reason, cause: cause)
        }
    }

    func isAvailable() async -> Bool {
        let (occupant, cached, generation) = state.withLock { ($0.occupant, $0.cachedAvailability, $0.generation) }
        guard case .working(let capability, _) = occupant else { return false }
        if let cached { return cached }
        let answer = await capability.isAvailable
        state.withLock { state in
            if state.generation == generation { state.cachedAvailability = answer }
        }
        return answer
    }

    func invalidate() {
        state.withLock { state in
            state.cachedAvailability = nil
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
            state.generation += 1
            return previous
        }
        // The last reference may go here: outside of the lock, since a deinit may run any code.
        _ = previous
    }
}
