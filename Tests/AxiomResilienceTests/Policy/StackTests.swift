// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomResilience

@Suite("Random stacks beside a plain model", .timeLimit(.minutes(10)))
struct StackTests {
    private final class Outcome: Sendable {
        let value = Lock<Result<Int, any Error>?>(nil)
    }

    /// The operation of one call: each run takes the next step.
    private final class Script: Sendable {
        private let steps: [StackStep]
        private let clock: TimeSource
        let executor: SeededExecutor
        private let count = Lock(0)

        init(_ steps: [StackStep], _ clock: TimeSource, _ executor: SeededExecutor) {
            self.steps = steps
            self.clock = clock
            self.executor = executor
        }

        var runs: Int { count.withLock { $0 } }

        func operate() async throws -> Int {
            let run = count.withLock { count in
                count += 1
                return count - 1
            }
            let step = steps[run % steps.count]
            let duration = Duration.nanoseconds(step.duration)
            switch step.manner {
            case .polite: try await clock.sleep(for: duration)
            case .wrapping: do { try await clock.sleep(for: duration) } catch { throw Failure(number: 2) }
            case .stubborn: await wait(duration)
            }
            if step.fails { throw Failure() }
            return 1
        }

        /// Waits in a task of its own, which is not cancelled.
        private func wait(_ duration: Duration) async {
            let clock = clock
            let wait = Task(executorPreference: executor) { try await clock.sleep(for: duration) }
            _ = await wait.result
        }
    }

    /// One stack, the real one and the model's, with calls one after the other.
    private final class History {
        let seed: UInt64
        var generator: SplitMix64
        let time = ManualTime()
        let executor: SeededExecutor
        var policy: Policy?
        var breakers: [CircuitBreaker] = []
        var model: StackModel
        /// What has happened, for a person who reads a failure.
        var story = ""
        var timeouts = 0
        var cancellations = 0

        init(seed: UInt64) throws {
            self.seed = seed
            generator = SplitMix64(seed: seed)
            executor = SeededExecutor(seed: seed &+ 1)
            model = StackModel([], [])
            var (layers, strategies): ([StackModel.Layer], [any ResilienceStrategy]) = ([], [])
            var references: [ReferenceBreaker] = []
            for kind in [0, 0, 1, 1, 2, 2, 3, 4].shuffled(using: &generator).prefix(number(1...6)) {
                let (layer, strategy) = try self.layer(kind, "\(layers.count)", &references)
                layers.append(layer)
                strategies.append(strategy)
            }
            policy = try Policy("p") { strategies }
            model = StackModel(layers, references)
        }

        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
        func length(_ range: ClosedRange<Int>) -> Int64 { Int64(number(range)) }

        private func layer(
            _ kind: Int,
            _ name: String,
            _ references: inout [ReferenceBreaker]
        ) throws -> (StackModel.Layer, any ResilienceStrategy) {
            let clock = TimeSource.manual(time)
            switch kind {
            case 0:
                let limit = length(20...300)
                return (.timeout(name, limit), try Timeout(name, .nanoseconds(limit), clock: clock))
            case 1:
                var configuration = RetryConfiguration()
                configuration.maximumAttempts = number(1...3)
                let delay = length(1...60)
                configuration.backoff = .constant(.nanoseconds(delay), jitter: .none)
                return (
                    .retry(attempts: configuration.maximumAttempts, delay: delay),
                    try Retry(name, clock: clock) { $0 = configuration }
                )
            case 2:
                let configuration = CircuitBreakerConfiguration(
                    minimumCalls: number(2...4),
                    consecutiveFailures: number(0...1) == 0 ? nil : number(1...3),
                    openDuration: .nanoseconds(length(50...400)),
                    openDurationJitter: 0
                )
                let breaker = try CircuitBreaker(name: name, configuration, clock: clock)
                breakers.append(breaker)
                let rules = try BreakerRules(configuration, SettingCheck(subject: "test", file: "", line: 0))
                references.append(ReferenceBreaker(rules: rules, at: 0, random: SeededGenerator(seed: 1)))
                return (.breaker(references.count - 1), breaker)
            case 3: return (.bulkhead, try Bulkhead(name, clock: clock) { $0.limit = 1 })
            default: return (.fallback, try Fallback(name) { _ in 7 })
            }
        }

        /// - Returns: Whether the order of events is defined, so that the history can go on.
        func live() -> Bool {
            time.advance(by: .nanoseconds(number(0...200)))
            let start = time.now.nanoseconds
            model.steps = (0..<8).map { _ in
                StackStep(
                    duration: length(1...250),
                    fails: number(0...2) == 0,
                    manner: StackStep.Manner.allCases[number(0...2)]
                )
            }
            let cancel = number(0...2) == 0 ? start + length(0...300) : .max
            let expected = model.call(at: start, cancelledAt: cancel)
            if model.isAmbiguous { return false }
            let (result, runs) = perform(start, cancel)
            let end = result.map(StackEnd.init)
            if case .timeout? = end { timeouts += 1 }
            if end == .cancelled { cancellations += 1 }
            story += "\nat \(start), cancelled at \(cancel == .max ? "-" : "\(cancel)"): \(model.steps.prefix(runs))"
            story += "\n  expected \(expected), got \(String(describing: end)) at \(time.now.nanoseconds)"
            #expect(end == expected.end && time.now.nanoseconds == expected.at && runs == model.runs, "\(self.note)")
            compareBreakers()
            return true
        }

        private func perform(_ start: Int64, _ cancel: Int64) -> (Result<Int, any Error>?, runs: Int) {
            guard let policy else { return (nil, 0) }
            let script = Script(model.steps, .manual(time), executor)
            let result = Outcome()
            let call = Self.begin(policy, script, result)
            if cancel == start { call.cancel() }
            executor.drain()
            var ticks = 0
            while result.value.withLock({ $0 }) == nil, ticks < 20_000 {
                ticks += 1
                time.advance(by: .nanoseconds(1))
                if time.now.nanoseconds == cancel { call.cancel() }
                executor.drain()
            }
            return (result.value.withLock { $0 }, script.runs)
        }

        private static func begin(_ policy: Policy, _ script: Script, _ result: Outcome) -> Task<Void, Never> {
            Task(executorPreference: script.executor) {
                do {
                    let value = try await policy.run { try await script.operate() }
                    result.value.withLock { $0 = .success(value) }
                } catch {
                    result.value.withLock { $0 = .failure(error) }
                }
            }
        }

        private func compareBreakers() {
            for (breaker, index) in zip(breakers, model.breakers.indices) {
                model.breakers[index].time(time.now.nanoseconds)
                let (summary, reference) = (breaker.summary(), model.breakers[index])
                #expect(summary.state == reference.state, "\(self.note)")
                #expect(summary.window == reference.window, "\(self.note)")
                #expect(summary.counts.cancelled == reference.outcomes[.cancelled] ?? 0, "\(self.note)")
                #expect(summary.counts.failure == reference.outcomes[.failure] ?? 0, "\(self.note)")
                #expect(summary.counts.rejected == reference.rejected, "\(self.note)")
                #expect(summary.counts.isConserved && summary.counts.inFlight == 0, "\(self.note)")
            }
        }

        private var note: String { "seed \(seed), \(policy?.description ?? "")\(story)" }
    }

    @Test("Timeouts, retries, breakers, bulkheads and fallbacks in any order end, count and open as the model says")
    func stacks() throws {
        let seed = TestSeed.drawn()
        var (calls, timeouts, cancellations, opened) = (0, 0, 0, 0)
        let histories = TestScale.count(6_000)
        for index in 0..<histories {
            let history = try History(seed: seed &+ UInt64(index))
            var count = 0
            while count < 8, history.live() { count += 1 }
            calls += count
            timeouts += history.timeouts
            cancellations += history.cancellations
            opened += history.breakers.count { $0.summary().count(.closed, .open) > 0 }
            #expect(history.time.sleeperCount == 0, "seed \(history.seed)")
        }
        // The histories are of use: each of these happens often.
        print("\(histories) histories: \((calls, timeouts, cancellations, opened))")
        #expect(calls > 3 * histories && timeouts > histories / 8, "seed \(seed)")
        #expect(cancellations > histories / 15 && opened > histories / 15, "seed \(seed)")
    }
}
