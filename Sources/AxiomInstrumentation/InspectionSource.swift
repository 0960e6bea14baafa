// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomBase

/// Inspects the observed orchestrator, for tools that do not know it.
package final class InspectionSource: Sendable {
    /// The result of an inspection.
    package enum Answer: Sendable {
        case inspected(Inspection)
        /// No orchestrator was started, or it was released.
        case noOrchestrator
        /// The main actor was busy for longer than the limit.
        case busy
    }

    /// Replaced by each start. Called outside the lock.
    private let inspect = Lock<(@MainActor @Sendable () -> Inspection?)?>(nil)
    /// Real, also under a manual clock: a main actor that is busy stands still in real time.
    private let clock = TimeSource.live

    func set(_ inspect: @escaping @MainActor @Sendable () -> Inspection?) {
        self.inspect.withLock { $0 = inspect }
    }

    /// Inspects the orchestrator on the main actor, and waits for that actor no longer than `limit`.
    package func inspection(within limit: Duration = .seconds(5)) async -> Answer {
        guard let inspect = inspect.withLock({ $0 }) else { return .noOrchestrator }
        let answer = OneShot<Answer>()
        let work = Task { @MainActor in
            if Task.isCancelled { return }
            answer.settle(inspect().map(Answer.inspected) ?? .noOrchestrator)
        }
        let alarm = Alarm(after: limit, on: clock) { answer.settle(.busy) }
        let result = await answer.value
        alarm.cancel()
        work.cancel()
        return result
    }
}
