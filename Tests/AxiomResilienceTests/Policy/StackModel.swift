// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport

@testable import AxiomResilience

/// How a call ended, as far as the model knows.
enum StackEnd: Equatable {
    case value
    case failure
    case timeout(String)
    case cancelled
    case refused

    init(_ result: Result<Int, any Error>) {
        switch result {
        case .success: self = .value
        case .failure(let error as TimeoutError): self = .timeout(error.policy)
        case .failure(is CancellationError): self = .cancelled
        case .failure(is CircuitOpenError): self = .refused
        case .failure: self = .failure
        }
    }
}

/// One run of the operation: how long it takes, how it ends, and what it does about a cancellation.
struct StackStep {
    enum Manner: CaseIterable {
        /// It ends at once with a `CancellationError`.
        case polite
        /// It ends at once with an error of its own.
        case wrapping
        /// It goes on to its end.
        case stubborn
    }

    let duration: Int64
    let fails: Bool
    let manner: Manner
}

/// What a stack of strategies does to one call, by plain arithmetic on instants: no task, no lock, no clock.
///
/// It knows from the documentation alone: what a deadline ends is a failure of the breakers that the call passes, what
/// the caller cancels is cancelled, and the earlier of the two decides.
struct StackModel {
    enum Layer {
        case timeout(String, Int64)
        case retry(attempts: Int, delay: Int64)
        case breaker(Int)
        case bulkhead
        case fallback
    }

    private struct Limit {
        let instant: Int64
        /// When the task of the deadline is cancelled from outside.
        let cancelledAt: Int64

        /// Whether it expires up to `time`.
        func expires(by time: Int64) -> Bool { instant < cancelledAt && instant <= time }
    }

    let layers: [Layer]
    var breakers: [ReferenceBreaker]
    var steps: [StackStep] = []
    private(set) var runs = 0
    /// Whether two events came at one instant, so that their order is not defined.
    private(set) var isAmbiguous = false
    private var limits: [Limit] = []

    init(_ layers: [Layer], _ breakers: [ReferenceBreaker]) {
        self.layers = layers
        self.breakers = breakers
    }

    /// - Returns: How the call ends, and when.
    mutating func call(at start: Int64, cancelledAt: Int64) -> (end: StackEnd, at: Int64) {
        runs = 0
        return run(0, start, cancelledAt)
    }

    private mutating func run(_ index: Int, _ start: Int64, _ cancel: Int64) -> (end: StackEnd, at: Int64) {
        guard index < layers.count else { return operate(start, cancel) }
        switch layers[index] {
        case .bulkhead:
            return run(index + 1, start, cancel)
        case .fallback:
            let inner = run(index + 1, start, cancel)
            if inner.end == .cancelled || inner.end != .value && cancel <= inner.at { return inner }
            return (.value, inner.at)
        case .timeout(let name, let length):
            return limited(to: start + length, .timeout(name), start, cancel) { $0.run(index + 1, start, $1) }
        case .breaker(let number):
            return guarded(number, start) { $0.run(index + 1, start, cancel) }
        case .retry(let attempts, let delay):
            return repeated(attempts, delay, start, cancel) { $0.run(index + 1, $1, cancel) }
        }
    }

    private mutating func operate(_ start: Int64, _ cancel: Int64) -> (end: StackEnd, at: Int64) {
        let step = steps[runs % steps.count]
        runs += 1
        let natural = start + step.duration
        if natural == cancel || limits.contains(where: { $0.instant == natural }) { isAmbiguous = true }
        if cancel < natural, step.manner != .stubborn {
            return (step.manner == .polite ? .cancelled : .failure, max(start, cancel))
        }
        return (step.fails ? .failure : .value, natural)
    }

    private mutating func limited(
        to instant: Int64,
        _ timeout: StackEnd,
        _ start: Int64,
        _ cancel: Int64,
        _ body: (inout StackModel, Int64) -> (end: StackEnd, at: Int64)
    ) -> (end: StackEnd, at: Int64) {
        if instant == cancel { isAmbiguous = true }
        let limit = Limit(instant: instant, cancelledAt: cancel)
        limits.append(limit)
        let inner = body(&self, min(cancel, instant))
        limits.removeLast()
        return limit.expires(by: inner.at) ? (timeout, inner.at) : inner
    }

    private mutating func guarded(
        _ number: Int,
        _ start: Int64,
        _ body: (inout StackModel) -> (end: StackEnd, at: Int64)
    ) -> (end: StackEnd, at: Int64) {
        guard case .admitted = breakers[number].admit(start, isTimed: true) else { return (.refused, start) }
        let id = breakers[number].callCount
        let running = limits.filter { start < $0.instant && start < $0.cancelledAt }
        let inner = body(&self)
        let outcome: CallOutcome =
            if running.contains(where: { $0.expires(by: inner.at) }) {
                .failure
            } else if inner.end == .value {
                .success
            } else {
                inner.end == .cancelled ? .cancelled : .failure
            }
        breakers[number].record(id, outcome, inner.at)
        return inner
    }

    private mutating func repeated(
        _ attempts: Int,
        _ delay: Int64,
        _ start: Int64,
        _ cancel: Int64,
        _ body: (inout StackModel, Int64) -> (end: StackEnd, at: Int64)
    ) -> (end: StackEnd, at: Int64) {
        var now = start
        for attempt in 1... {
            let inner = body(&self, now)
            if [.value, .cancelled, .refused].contains(inner.end) || cancel <= inner.at { return inner }
            if attempt >= attempts { return inner }
            now = inner.at + delay
            if cancel == now || limits.contains(where: { $0.instant == now }) { isAmbiguous = true }
            if cancel < now { return (.cancelled, cancel) }
        }
        return (.failure, now)
    }
}

/// Runs the jobs of tasks on the thread that calls ``drain()``, one after the other, in an order that depends on the seed.
/// After ``drain()``, every task waits for time or for the test, so that no test has to guess when something has happened.
final class SeededExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var generator: SplitMix64
    }

    private let state: Lock<State>

    init(seed: UInt64) {
        state = Lock(State(generator: SplitMix64(seed: seed)))
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// Runs jobs until there is none.
    func drain() {
        while let job = next() { job.runSynchronously(on: asUnownedTaskExecutor()) }
    }

    private func next() -> UnownedJob? {
        state.withLock { state in
            guard !state.jobs.isEmpty else { return nil }
            let index = Int.random(in: state.jobs.indices, using: &state.generator)
            return state.jobs.remove(at: index)
        }
    }
}
