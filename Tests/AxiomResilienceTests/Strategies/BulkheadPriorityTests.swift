// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Testing

/// A bulkhead and the calls that a test makes, each in its own task, which runs until the test finishes it.
private final class BulkheadUnderTest: Sendable {
    typealias Fate = ReferenceBulkhead.Fate

    let bulkhead: Bulkhead
    let time = ManualTime()
    private let calls = Lock<[(task: Task<Fate, Never>, gate: Gate)]>([])
    /// How many nanoseconds pass in the operation that ends next.
    private let passing = Lock(0)
    private let fates = Lock<[Int: Fate]>([:])
    private let began = Lock<[Int]>([])

    init(limit: Int, queueLimit: Int, timeout: Int?) throws {
        bulkhead = try Bulkhead("test", clock: .manual(time)) {
            $0.limit = limit
            $0.queueLimit = queueLimit
            $0.queueTimeout = timeout.map { .nanoseconds($0) }
        }
    }

    /// A call arrives. One of normal priority takes the method without a priority every other time.
    func arrive(_ priority: BulkheadPriority) {
        let (gate, call) = (Gate(), calls.withLock { $0.count })
        let task = Task { await run(call, priority, gate) }
        calls.withLock { $0.append((task, gate)) }
    }

    func cancel(_ call: Int) { calls.withLock { $0[call].task }.cancel() }

    /// Ends a running call. Time moves and the slot becomes free with no suspension between.
    func finish(_ call: Int, after nanoseconds: Int = 0) {
        passing.withLock { $0 = nanoseconds }
        calls.withLock { $0[call].gate }.open()
    }

    /// Waits until the calls have the fates of the model. A time limit ends the wait of a failing test.
    func settles(like model: ReferenceBulkhead, _ comment: Comment) async -> Bool {
        while !isLike(model) {
            guard !Task.isCancelled else {
                let expected = "\(model.fates), begun \(model.begun)"
                let found = "\(fates.withLock { $0 }), begun \(began.withLock { $0 }), \(bulkhead.counts)"
                Issue.record("\(comment): expected \(expected); found \(found)")
                return false
            }
            await Task.yield()
        }
        return true
    }

    /// The fates with which the tasks ended.
    func results() async -> [Fate] {
        var results: [Fate] = []
        for (task, _) in calls.withLock({ $0 }) { results.append(await task.value) }
        return results
    }

    private func isLike(_ model: ReferenceBulkhead) -> Bool {
        let (fates, began) = (fates.withLock { $0 }, began.withLock { $0 })
        let isSettled = model.fates.enumerated().allSatisfy { $1 == .waiting || fates[$0] == $1 }
        return isSettled && Set(began) == Set(model.begun) && model.matches(bulkhead.counts)
    }

    private func run(_ call: Int, _ priority: BulkheadPriority, _ gate: Gate) async -> Fate {
        let fate = await fate(call, priority, gate)
        fates.withLock { $0[call] = fate }
        return fate
    }

    private func fate(_ call: Int, _ priority: BulkheadPriority, _ gate: Gate) async -> Fate {
        let operation = {
            self.began.withLock { $0.append(call) }
            self.fates.withLock { $0[call] = .running }
            await gate.wait()
            self.time.advance(by: .nanoseconds(self.passing.withLock { $0 }))
        }
        do {
            if priority == .normal, call.isMultiple(of: 2) {
                try await bulkhead.run { await operation() }
            } else {
                try await bulkhead.run(priority: priority) { await operation() }
            }
            return .finished
        } catch let error as BulkheadFullError {
            return error.reason == .queueFull ? .full : .late
        } catch {
            return error is CancellationError ? .cancelled : .running
        }
    }
}

@Suite("Priorities of a bulkhead", .timeLimit(.minutes(10)))
struct BulkheadPriorityTests {
    /// Makes calls of the given priorities, one after the other, while one call runs. Returns the fate of each, and the order
    /// in which those that had waited began.
    private func fates(
        queueLimit: Int,
        _ priorities: [BulkheadPriority]
    ) async throws -> (fates: [ReferenceBulkhead.Fate], order: [Int]) {
        let test = try BulkheadUnderTest(limit: 1, queueLimit: queueLimit, timeout: nil)
        var model = ReferenceBulkhead(limit: 1, queueLimit: queueLimit, timeout: nil)
        for priority in [.normal] + priorities {
            test.arrive(priority)
            model.arrive(priority)
            guard await test.settles(like: model, "\(priorities)") else { return ([], []) }
        }
        while let call = model.calls(.running).first {
            test.finish(call)
            model.finish(call)
            guard await test.settles(like: model, "\(priorities)") else { return ([], []) }
        }
        return (await test.results(), model.begun)
    }

    @Test("Waiting calls are admitted by priority, and in the order of arrival within one")
    func order() async throws {
        let (fates, order) = try await fates(queueLimit: 6, [.low, .normal, .high, .low, .normal, .high])
        #expect(order == [0, 3, 6, 2, 5, 1, 4])
        #expect(fates == Array(repeating: .finished, count: 7))
    }

    @Test("A call that finds the queue full displaces the latest call of the lowest priority below its own")
    func displaced() async throws {
        let (fates, order) = try await fates(queueLimit: 3, [.low, .normal, .low, .high, .high, .high, .high])
        // 4 displaces 3, 5 displaces 1, 6 displaces 2, and 7 finds none below its own.
        #expect(fates == [.finished, .full, .full, .full, .finished, .finished, .finished, .full])
        #expect(order == [0, 4, 5, 6])
    }

    @Test("A call does not displace one of its own priority, and none without a queue")
    func refused() async throws {
        let (fates, _) = try await fates(queueLimit: 2, [.normal, .normal, .normal, .low])
        #expect(fates == [.finished, .finished, .finished, .full, .full])
        let (others, _) = try await self.fates(queueLimit: 0, [.high])
        #expect(others == [.finished, .full])
    }

    @Test("Priorities are ordered")
    func priorities() {
        #expect(BulkheadPriority.allCases.sorted() == [.low, .normal, .high])
    }

    @Test("In random histories, each call ends as in the model, and every count is that of the model")
    func model() async throws {
        let seed = TestSeed.drawn()
        for history in 0..<UInt64(TestScale.count(1_000, usual: 0.1)) {
            guard try await followsModel(seed: seed &+ history) else { return }
        }
    }

    private func followsModel(seed: UInt64) async throws -> Bool {
        var generator = SplitMix64(seed: seed)
        let limit = Int.random(in: 1...3, using: &generator)
        let queueLimit = Int.random(in: 0...5, using: &generator)
        let timeout = Bool.random(using: &generator) ? 20 : nil
        let test = try BulkheadUnderTest(limit: limit, queueLimit: queueLimit, timeout: timeout)
        var model = ReferenceBulkhead(limit: limit, queueLimit: queueLimit, timeout: timeout)
        for step in 0..<40 {
            takeStep(test, &model, &generator)
            guard await test.settles(like: model, "seed \(seed), step \(step)") else { return false }
        }
        while let call = model.calls(.running).randomElement(using: &generator) {
            test.finish(call)
            model.finish(call)
            guard await test.settles(like: model, "seed \(seed), at the end") else { return false }
        }
        #expect(await test.results() == model.fates, "seed \(seed)")
        #expect(test.time.sleeperCount == 0, "seed \(seed)")
        return true
    }

    private func takeStep(
        _ test: BulkheadUnderTest,
        _ model: inout ReferenceBulkhead,
        _ generator: inout SplitMix64
    ) {
        switch Int.random(in: 0..<10, using: &generator) {
        case 0..<6:
            let priority = BulkheadPriority.allCases.randomElement(using: &generator)!
            test.arrive(priority)
            model.arrive(priority)
        case 6..<8:
            guard let call = model.calls(.running).randomElement(using: &generator) else { return }
            let nanoseconds = Int.random(in: 0...8, using: &generator)
            test.finish(call, after: nanoseconds)
            model.advance(by: nanoseconds)
            model.finish(call)
        case 8:
            guard let call = model.calls(.waiting).randomElement(using: &generator) else { return }
            test.cancel(call)
            model.cancel(call)
        default:
            let nanoseconds = Int.random(in: 0...8, using: &generator)
            test.time.advance(by: .nanoseconds(nanoseconds))
            model.advance(by: nanoseconds)
        }
    }
}
