// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport

/// Runs the jobs of tasks on the thread that calls ``drain()``, one after the other, in an order that the seed decides.
/// After it, every task waits for time or for the test: no test has to guess when something has happened.
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
