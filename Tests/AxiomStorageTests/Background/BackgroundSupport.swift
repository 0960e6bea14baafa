// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomStorage
import AxiomTestSupport

/// An application with background tasks and nothing else.
@MainActor
struct BackgroundWorld {
    let orchestrator: Orchestrator
    let time = ManualTime()
    let tasks: BackgroundTasks

    init(_ instrumentation: any Instrumentation = SignalValues()) async throws {
        let made = Journal<BackgroundTasks>()
        let clock = TimeSource.manual(time)
        orchestrator = Orchestrator(instrumentation: Instrumentations(instrumentation))
        orchestrator.register(BackgroundTasks.self) { scope in
            let backoff = Backoff.exponential(base: .seconds(1), cap: .seconds(4), jitter: .none)
            let tasks = BackgroundTasks(scope, clock: clock, backoff: backoff)
            made.write(tasks)
            return tasks
        }
        try await orchestrator.start()
        tasks = made.entries[0]
    }
}

/// Counts the bodies of each name that run at the same time.
final class OverlapWatch: Sendable {
    private let running = Lock<[String: Int]>([:])
    private let state = Lock((most: 0, entries: 0))

    /// The most bodies of one name at the same time.
    var most: Int { state.withLock { $0.most } }
    /// The bodies that run now.
    var now: Int { running.withLock { $0.values.reduce(0, +) } }
    var entries: Int { state.withLock { $0.entries } }

    func enter(_ name: String) {
        let count = running.withLock { running in
            running[name, default: 0] += 1
            return running[name, default: 0]
        }
        state.withLock { state in
            state.most = max(state.most, count)
            state.entries += 1
        }
    }

    func leave(_ name: String) { running.withLock { $0[name, default: 0] -= 1 } }
}
