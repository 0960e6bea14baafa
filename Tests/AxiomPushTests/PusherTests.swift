// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Foundation
import ServiceLifecycle
import ServiceLifecycleTestKit
import Testing

@testable import AxiomPush

/// A receiver that answers as a test wants, and remembers what it took.
private actor FakeReceiver: PushDestination {
    enum Answer {
        case take
        case fail(PushError)
        case never
    }

    nonisolated let name: String
    nonisolated let capacity: QueueCapacity
    private var answer: Answer
    private(set) var taken: [Int] = []
    private(set) var attempts = 0
    private nonisolated let number = Counting()

    init(_ name: String = "fake", _ capacity: QueueCapacity = .bytes(1_000), _ answer: Answer = .take) {
        self.name = name
        self.capacity = capacity
        self.answer = answer
    }

    /// Each snapshot is one batch, whose samples are the number of the snapshot: 1, 2, ...
    nonisolated func batches(of snapshot: Snapshot, at time: Double) -> [PushBatch] {
        [PushBatch(samples: number.next(), bytes: [UInt8](repeating: 0, count: 100))]
    }

    nonisolated func lastBatches(at time: Double) -> [PushBatch] {
        [PushBatch(samples: 1_000, bytes: [1])]
    }

    func send(_ batch: PushBatch) async throws -> PushReceipt {
        attempts += 1
        switch answer {
        case .take: taken.append(batch.samples)
        case .fail(let error): throw error
        case .never: try await Task.sleep(for: .seconds(3_600))
        }
        return PushReceipt()
    }

    func set(_ answer: Answer) { self.answer = answer }
}

private final class Counting: Sendable {
    private let count = Lock(0)

    func next() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }
}

@Suite("A pusher")
struct PusherTests {
    private static let away = PushError(.unreachable, "away")

    private func wait(_ what: String, until condition: () async -> Bool) async throws {
        try await Loopback.wait(for: what) { await condition() }
    }

    private func dropped(_ registry: Registry, _ reason: String) -> Double? {
        registry.collect().value("axiom_push_dropped_samples_total", ["destination": "fake", "reason": reason])
    }

    private func requests(_ registry: Registry, _ outcome: String) -> Double? {
        registry.collect().value("axiom_push_requests_total", ["destination": "fake", "outcome": outcome])
    }

    @Test("It pushes at once, after each interval, and at its end", .timeLimit(.minutes(10)))
    func interval() async throws {
        let (time, registry, receiver) = (ManualTime(), Registry(), FakeReceiver())
        let pusher = try Pusher(
            registry: registry,
            to: [PushTarget(receiver)],
            interval: .seconds(10),
            clock: .manual(time)
        )
        let running = Task { try await pusher.run() }
        for number in 1...3 {
            await time.waitForSleepers(1)
            try await wait("push \(number)") { await receiver.taken == Array(1...number) }
            time.advance(by: .seconds(9))
            #expect(await receiver.taken.count == number)
            time.advance(by: .seconds(1))
        }
        try await wait("push 4") { await receiver.taken.count == 4 }
        // A step of the clock over several intervals is one push.
        await time.waitForSleepers(1)
        time.advance(by: .seconds(95))
        try await wait("push 5") { await receiver.taken.count == 5 }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5))
        try await wait("push 6") { await receiver.taken.count == 6 }
        running.cancel()
        try await running.value
        #expect(await receiver.taken == [1, 2, 3, 4, 5, 6, 7, 1_000])
        let last = registry.collect().value("axiom_push_last_success_timestamp_seconds", ["destination": "fake"])
        #expect(last == 1_700_000_130)
        #expect(requests(registry, "success") == 8)
    }

    @Test(
        "A failed push is retried with backoff, waits for the next snapshot, and keeps its place",
        .timeLimit(.minutes(10))
    )
    func retries() async throws {
        let (time, registry, messages) = (ManualTime(), Registry(), Messages())
        let receiver = FakeReceiver("fake", .bytes(1_000), .fail(Self.away))
        let pusher = try Pusher(
            registry: registry,
            to: [PushTarget(receiver)],
            interval: .seconds(60),
            attempts: 3,
            clock: .manual(time),
            onFailure: { messages.add($0) }
        )
        let running = Task { try await pusher.run() }
        for attempt in 1...3 {
            try await wait("attempt \(attempt)") { await receiver.attempts == attempt }
            await time.waitForSleepers(attempt < 3 ? 2 : 1)
            // The backoff is at most 400 ms, the interval a minute.
            time.advance(by: .milliseconds(500))
        }
        try await wait("the queue") { await pusher.pending["fake"]?.samples == 1 }
        await receiver.set(.take)
        time.advance(by: .seconds(60))
        try await wait("both") { await receiver.taken == [1, 2] }
        running.cancel()
        try await running.value
        #expect(await receiver.taken == [1, 2, 3, 1_000])
        #expect(requests(registry, "unreachable") == 3 && requests(registry, "success") == 4)
        #expect(dropped(registry, "queue_full") == 0)
        try await wait("messages") { messages.all == ["fake: away", "fake: pushes succeed again"] }
    }

    @Test("The wait that a server asks for is kept, also over several intervals", .timeLimit(.minutes(10)))
    func retryAfter() async throws {
        let (time, registry) = (ManualTime(), Registry())
        let busy = PushError(.unavailable, "busy", status: 503, retryAfter: .seconds(100))
        let receiver = FakeReceiver("fake", .latest, .fail(busy))
        let pusher = try Pusher(
            registry: registry,
            to: [PushTarget(receiver)],
            interval: .seconds(10),
            clock: .manual(time),
            onFailure: { _ in }
        )
        let running = Task { try await pusher.run() }
        try await wait("the first attempt") { await receiver.attempts == 1 }
        await receiver.set(.take)
        for _ in 0..<9 {
            await time.waitForSleepers(2)
            time.advance(by: .seconds(10))
        }
        await time.waitForSleepers(2)
        time.advance(by: .milliseconds(9_999))
        #expect(time.sleeperCount == 2, "nothing wakes before 100 s")
        #expect(await receiver.attempts == 1)
        // To 110 s: a tenth at most is added to the wait, so that not all programs return in one instant.
        time.advance(by: .milliseconds(10_001))
        try await wait("the pushes") { await receiver.taken.count >= 2 }
        running.cancel()
        try await running.value
        let superseded = dropped(registry, "superseded") ?? 0
        let totals = try #require(await pusher.pending["fake"]?.totals)
        #expect(Double(totals.dropped[.superseded] ?? 0) == superseded && superseded > 0)
        #expect(totals.appended == totals.sent + totals.dropped.values.reduce(0, +))
    }

    @Test("What a receiver refuses is dropped, counted and not tried again", .timeLimit(.minutes(10)))
    func refused() async throws {
        let (time, registry) = (ManualTime(), Registry())
        let receiver = FakeReceiver("fake", .bytes(1_000), .fail(PushError(.rejected, "no", status: 400)))
        let pusher = try Pusher(
            registry: registry,
            to: [PushTarget(receiver)],
            clock: .manual(time),
            onFailure: { _ in }
        )
        let running = Task { try await pusher.run() }
        try await wait("the refusal") { dropped(registry, "refused") == 1 }
        #expect(await receiver.attempts == 1)
        running.cancel()
        try await running.value
        #expect(dropped(registry, "refused") == 1 + 2 + 1_000 && requests(registry, "rejected") == 3)
    }

    @Test(
        "The queue is bounded while the receiver is away, and the oldest are dropped and counted",
        .timeLimit(.minutes(10))
    )
    func bounded() async throws {
        let (time, registry) = (ManualTime(), Registry())
        let receiver = FakeReceiver("fake", .bytes(350), .fail(Self.away))
        let pusher = try Pusher(
            registry: registry,
            to: [PushTarget(receiver)],
            interval: .seconds(10),
            attempts: 1,
            clock: .manual(time),
            onFailure: { _ in }
        )
        let running = Task { try await pusher.run() }
        for number in 1...10 {
            await time.waitForSleepers(1)
            try await wait("attempt \(number)") {
                let isSending = await pusher.pending["fake"]?.isSending
                return await receiver.attempts == number && isSending == false
            }
            if number < 10 { time.advance(by: .seconds(10)) }
        }
        try await wait("the queue") { await pusher.pending["fake"]?.samples == 8 + 9 + 10 }
        #expect(dropped(registry, "queue_full") == 28)
        let snapshot = registry.collect()
        #expect(snapshot.value("axiom_push_queue_bytes", ["destination": "fake"]) == 300)
        #expect(snapshot.value("axiom_push_queue_samples", ["destination": "fake"]) == 27)
        await receiver.set(.take)
        running.cancel()
        try await running.value
        // The last snapshot displaced the oldest one, and the last batch of one byte fits.
        #expect(await receiver.taken == [9, 10, 11, 1_000])
        #expect(registry.collect().value("axiom_push_queue_bytes", ["destination": "fake"]) == 0)
    }

    @Test(
        "The push at the end has a deadline, after which what is left is dropped and counted",
        .timeLimit(.minutes(10))
    )
    func deadline() async throws {
        let (time, registry, messages) = (ManualTime(), Registry(), Messages())
        let receiver = FakeReceiver("fake", .bytes(1_000), .never)
        let pusher = try Pusher(
            registry: registry,
            to: [PushTarget(receiver)],
            finalTimeout: .seconds(5),
            clock: .manual(time),
            onFailure: { messages.add($0) }
        )
        let running = Task { try await pusher.run() }
        try await wait("the first attempt") { await receiver.attempts == 1 }
        await time.waitForSleepers(1)
        running.cancel()
        try await wait("the attempt at the end") { await receiver.attempts == 2 }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5))
        try await running.value
        // The two snapshots, and what the receiver gets last.
        #expect(dropped(registry, "shutdown") == Double(1 + 2 + 1_000))
        try await wait("the message") { messages.all.contains { $0.contains("1003 samples") } }
    }

    @Test("A receiver that never answers delays no other one", .timeLimit(.minutes(10)))
    func independence() async throws {
        let (time, registry) = (ManualTime(), Registry())
        let (slow, fast) = (FakeReceiver("slow", .latest, .never), FakeReceiver("fast", .latest))
        let pusher = try Pusher(
            registry: registry,
            to: [PushTarget(slow), PushTarget(fast)],
            interval: .seconds(10),
            finalTimeout: .zero,
            clock: .manual(time),
            onFailure: { _ in }
        )
        let running = Task { try await pusher.run() }
        for number in 1...5 {
            await time.waitForSleepers(1)
            try await wait("push \(number)") { await fast.taken.count == number }
            time.advance(by: .seconds(10))
        }
        #expect(await slow.attempts == 1)
        running.cancel()
        try await running.value
        // Without time for a last push nothing more was sent.
        #expect(await slow.attempts == 1)
    }

    @Test("As a service it ends with the last push at the graceful shutdown", .timeLimit(.minutes(10)))
    func gracefulShutdown() async throws {
        let receiver = FakeReceiver()
        let pusher = try Pusher(registry: Registry(), to: [PushTarget(receiver)])
        try await testGracefulShutdown { trigger in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await pusher.run() }
                try await wait("the first push") { await receiver.taken == [1] }
                trigger.triggerGracefulShutdown()
                try await group.waitForAll()
            }
        }
        #expect(await receiver.taken == [1, 2, 1_000])
        await #expect(throws: PushError.self) { try await pusher.run() }
    }

    @Test(
        "Of two pushers with one registry and one name of a target, the second does not run, until the first has ended",
        .timeLimit(.minutes(10))
    )
    func sameName() async throws {
        let (registry, first) = (Registry(), FakeReceiver())
        let running = Task {
            try await Pusher(registry: registry, to: [PushTarget(first)]).run()
        }
        try await wait("the first push") { await first.attempts == 1 }
        let second = FakeReceiver()
        let error = await #expect(throws: PushError.self) {
            try await Pusher(registry: registry, to: [PushTarget(second)]).run()
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.hasPrefix("fake: another pusher of this process") == true)
        #expect(await second.attempts == 0)
        // Another name and another registry are other series.
        for (registry, name) in [(registry, "other"), (Registry(), "fake")] {
            let other = FakeReceiver(name)
            let third = Task { try await Pusher(registry: registry, to: [PushTarget(other)]).run() }
            try await wait("its push") { await other.attempts == 1 }
            third.cancel()
            try await third.value
        }
        running.cancel()
        try await running.value
        let next = Task { try await Pusher(registry: registry, to: [PushTarget(second)]).run() }
        try await wait("the push after it") { await second.attempts == 1 }
        next.cancel()
        try await next.value
    }

    @Test(
        "Two pushers that replace one group of a Pushgateway: the second does not run, and its error names the group",
        .timeLimit(.minutes(10))
    )
    func sameGroup() async throws {
        // Nobody listens there: who pushes is decided before the first request.
        let gateway = try Pushgateway("http://127.0.0.1:1", job: "backup", grouping: ["instance": "db1"])
        func pusher(_ update: PushTarget.GroupUpdate, _ receiver: FakeReceiver) throws -> Pusher {
            try Pusher(
                registry: Registry(),
                to: [.pushgateway(gateway, update: update), PushTarget(receiver)],
                finalTimeout: .zero,
                onFailure: { _ in }
            )
        }
        let first = FakeReceiver()
        let running = Task { try await pusher(.replace, first).run() }
        try await wait("the first push") { await first.attempts == 1 }
        let error = await #expect(throws: PushError.self) { try await pusher(.replace, FakeReceiver()).run() }
        #expect(
            error?.message.contains("replaces the group http://127.0.0.1:1/metrics/job/backup/instance/db1") == true
        )
        let other = FakeReceiver()
        let adding = Task { try await pusher(.add, other).run() }
        try await wait("the push of the one that adds") { await other.attempts == 1 }
        for task in [running, adding] {
            task.cancel()
            try await task.value
        }
    }

    @Test("Options out of range, no targets and names given twice are refused with the remedy")
    func invalid() {
        let target = PushTarget(FakeReceiver())
        #expect(target.description == "fake")
        let calls: [() throws -> Pusher] = [
            { try Pusher(registry: Registry(), to: []) },
            { try Pusher(registry: Registry(), to: [target, target]) },
            { try Pusher(registry: Registry(), to: [target], interval: .milliseconds(99)) },
            { try Pusher(registry: Registry(), to: [target], finalTimeout: .seconds(-1)) },
            { try Pusher(registry: Registry(), to: [target], attempts: 0) },
        ]
        for (number, call) in calls.enumerated() {
            let error = #expect(throws: PushError.self, "call \(number)") { _ = try call() }
            #expect(
                error?.code == .invalidConfiguration && error?.description.hasPrefix("invalid_configuration: ") == true
            )
        }
    }
}
